package main

import (
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var urls = []string{
	"BFF_CATALOG_URL=http://catalog/{id}", "BFF_PRICE_URL=http://price/{id}", "BFF_STOCK_URL=http://stock/{id}",
	"BFF_REVIEWS_URL=http://reviews/{id}", "BFF_RECOMMENDATIONS_URL=http://recommendations/{id}",
}

// said is what one command left behind.
type said struct {
	code           int
	stdout, stderr string
}

func bff(environ []string, args ...string) said {
	var stdout, stderr strings.Builder
	code := run(process{args: args, environ: environ, stdout: &stdout, stderr: &stderr})
	return said{code, stdout.String(), stderr.String()}
}

func TestCheckPrintsWhatHolds(t *testing.T) {
	got := bff(append([]string{"BFF_REDIS_URL=redis://me:hunter2@redis"}, urls...), "check")
	if got.code != 0 || got.stderr != "" || !strings.HasPrefix(got.stdout, "BFF_ADDR=:8080 ") {
		t.Errorf("%+v", got)
	}
	if strings.Contains(got.stdout, "hunter2") || !strings.Contains(got.stdout, "BFF_REDIS_URL=redis://***@redis ") {
		t.Errorf("the password is not masked:\n%s", got.stdout)
	}
}

func TestCheckAndServeRefuseTheSameMistakes(t *testing.T) {
	environ := []string{"BFF_DEADLINE=450", "BFF_UNHEARD_OF=1"}
	check, serve, bare := bff(environ, "check"), bff(environ, "serve"), bff(environ)
	if check.code != 2 || strings.Count(check.stderr, "\n") != 1+5+2 || check.stdout != "" {
		t.Errorf("%+v", check)
	}
	if serve != check || bare != check {
		t.Errorf("check says %+v\nserve says %+v\nbff says %+v", check, serve, bare)
	}
}

// What only the parts can judge is told with the rest, in one go.
func TestEveryMistakeIsToldAtOnce(t *testing.T) {
	environ := []string{
		"BFF_UNHEARD_OF=1", "BFF_REDIS_URL=redis://:hunter2@redis/no-number",
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://h", "OTEL_TRACES_SAMPLER=dice", "OTEL_EXPORTER_OTLP_TIMEOUT=soon",
	}
	check, serve := bff(environ, "check"), bff(environ)
	for _, told := range []string{
		"9 mistakes", "BFF_CATALOG_URL", "BFF_UNHEARD_OF", "BFF_REDIS_URL is wrong: a Redis URL's path",
		"OTEL_TRACES_SAMPLER must", "OTEL_EXPORTER_OTLP_TIMEOUT must",
	} {
		if !strings.Contains(check.stderr, told) {
			t.Errorf("it does not tell of %s", told)
		}
	}
	if check.code != 2 || check.stdout != "" || strings.Count(check.stderr, "\n") != 1+9 || strings.Contains(check.stderr, "hunter2") {
		t.Errorf("%+v", check)
	}
	if serve != check {
		t.Errorf("check says %+v\nserve says %+v", check, serve)
	}
}

func TestHelp(t *testing.T) {
	got := bff(nil, "help")
	if got.code != 0 || got.stderr != "" || !strings.Contains(got.stdout, "BFF_X_HEDGE_AFTER") || !strings.Contains(got.stdout, "health") {
		t.Errorf("%+v", got)
	}
	for _, flag := range []string{"-h", "-help", "--help"} {
		if bff(nil, flag) != got {
			t.Errorf("%s is not help", flag)
		}
	}
}

func TestWrongArgumentsTellTheCommands(t *testing.T) {
	for _, args := range [][]string{{"chekc"}, {"check", "twice"}, {"--version"}, {""}} {
		got := bff(urls, args...)
		if got.code != 2 || got.stdout != "" || !strings.Contains(got.stderr, "usage: bff [command]") {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

func TestHealthAsksReadyz(t *testing.T) {
	status, asked := http.StatusOK, ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method + " " + r.URL.Path
		w.WriteHeader(status)
	}))
	defer server.Close()
	environ := []string{"BFF_ADMIN_ADDR=" + strings.TrimPrefix(server.URL, "http://")}
	if got := bff(environ, "health"); got != (said{0, "ready\n", ""}) || asked != "GET /readyz" {
		t.Errorf("%+v, asked %q", got, asked)
	}
	status = http.StatusServiceUnavailable
	if got := bff(environ, "health"); got.code != 1 || !strings.Contains(got.stderr, "not ready: it answers 503") {
		t.Errorf("%+v", got)
	}
	server.Close()
	if got := bff(environ, "health"); got.code != 1 || !strings.Contains(got.stderr, "no answer from 127.0.0.1:") {
		t.Errorf("%+v", got)
	}
	if got := bff([]string{"BFF_ADMIN_ADDR=9090"}, "health"); got.code != 2 || !strings.Contains(got.stderr, "is not host:port") {
		t.Errorf("%+v", got)
	}
}

func TestVersion(t *testing.T) {
	if got := bff(nil, "version"); got.code != 0 || !strings.HasPrefix(got.stdout, "bff (devel), go1.") {
		t.Errorf("%+v", got)
	}
	info := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"},
	}}
	for want, got := range map[string]build{
		"bff v1.2.3 of abc+changes, go1.": buildOf("", info),
		"bff v9 of abc+changes, go1.":     buildOf("v9", info),
		"bff (devel), go1.":               buildOf("", nil),
	} {
		if !strings.HasPrefix(got.String(), want) {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

func TestHealthGivesUpOnASilentService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		err := ready(silent{}, "127.0.0.1:9090")
		if took := time.Since(start); took != patience || err == nil || !strings.Contains(err.Error(), "within 2s") {
			t.Errorf("after %s: %v", took, err)
		}
	})
}

// silent takes a request and never answers.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}
