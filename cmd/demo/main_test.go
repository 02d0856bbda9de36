package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// output is what the demo prints, to be read while it runs.
type output struct {
	mu    sync.Mutex
	text  bytes.Buffer
	ready chan struct{}
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.text.Write(b)
	if strings.Contains(o.text.String(), "Ctrl-C ends it all.") {
		close(o.ready)
	}
	return n, err
}

// The three things to try, done as the demo tells to, over real TCP.
func TestTheDemoDoesWhatItSays(t *testing.T) {
	out := &output{ready: make(chan struct{})}
	signals := make(chan os.Signal, 1)
	ended := make(chan error, 1)
	environ := []string{"BFF_ADDR=127.0.0.1:0", "BFF_ADMIN_ADDR=127.0.0.1:0", "STOREFRONT_ADDR=127.0.0.1:0", "FAKES_ADDR=127.0.0.1:0", "BFF_DEADLINE=4s"}
	for _, name := range []string{"CATALOG", "PRICE", "STOCK", "REVIEWS", "RECOMMENDATIONS"} {
		environ = append(environ, "BFF_"+name+"_TIMEOUT=2s") // a busy machine must not look like a broken downstream
	}
	go func() { ended <- run(environ, out, t.Output(), signals) }()
	select {
	case <-out.ready:
	case err := <-ended:
		t.Fatal(err)
	}
	for i, want := range []string{
		"200", "200", "200 degraded", "204", "200", "200 degraded stale", "503", "204",
	} {
		commands := regexp.MustCompile(`curl .*`).FindAllString(out.text.String(), -1)
		if got := curl(t, commands[i]); got != want {
			t.Errorf("%s\nbrings %s, want %s", commands[i], got, want)
		}
	}
	for _, address := range regexp.MustCompile(`(?m)^  (storefront|operators|downstreams) +(\S+)`).FindAllStringSubmatch(out.text.String(), -1) {
		if got := curl(t, "curl "+address[2]); !strings.HasPrefix(got, "200") {
			t.Errorf("%s: %s", address[0], got)
		}
	}
	signals <- syscall.SIGINT
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Whichever port is taken, the demo says so, and leaves nothing behind that runs.
func TestATakenPortIsToldPlainly(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	names := []string{"FAKES_ADDR", "BFF_ADMIN_ADDR", "BFF_ADDR", "STOREFRONT_ADDR"}
	for _, name := range names {
		var environ []string
		for _, other := range names {
			environ = append(environ, other+"=127.0.0.1:0")
		}
		environ = append(environ, name+"="+taken.Addr().String())
		if err := run(environ, io.Discard, io.Discard, nil); err == nil || !strings.Contains(err.Error(), taken.Addr().String()) {
			t.Errorf("%s is taken: %v", name, err)
		}
	}
	goleak.VerifyNone(t)
}

// curl does what the command line would and says what a person looks at.
func curl(t *testing.T, command string) string {
	t.Helper()
	method, body := http.MethodGet, ""
	if m := regexp.MustCompile(`-X (\S+)`).FindStringSubmatch(command); m != nil {
		method = m[1]
	}
	if m := regexp.MustCompile(`-d '(.*)'`).FindStringSubmatch(command); m != nil {
		body = m[1]
	}
	req, err := http.NewRequestWithContext(t.Context(), method, regexp.MustCompile(`http://\S+`).FindString(command), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got := []string{resp.Status[:3]}
	var page struct {
		Degraded bool
		Price    struct{ Stale bool }
	}
	if json.NewDecoder(resp.Body).Decode(&page) == nil {
		if page.Degraded {
			got = append(got, "degraded")
		}
		if page.Price.Stale {
			got = append(got, "stale")
		}
	}
	return strings.Join(got, " ")
}

// The README shows what the demo prints where nothing else is configured.
func TestTheREADMEShowsTheGreeting(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var greeting bytes.Buffer
	greet(&greeting, usual["BFF_ADDR"], usual["STOREFRONT_ADDR"], usual["BFF_ADMIN_ADDR"], usual["FAKES_ADDR"])
	if !strings.Contains(string(readme), "```\n"+greeting.String()+"```") {
		t.Errorf("README.md does not show:\n%s", greeting.String())
	}
}
