package livecheck

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"example.com/bff/internal/redistest"
	"example.com/bff/internal/slo/rules"
)

// prometheus is one that runs.
type prometheus struct {
	url    string
	client *http.Client
}

// startPrometheus runs the shipped configuration and rules, their time shortened, until the test ends. It is nil where
// this machine has none; CI must have it.
func startPrometheus(t *testing.T, targets []string) *prometheus {
	t.Helper()
	program, err := exec.LookPath("prometheus")
	if err != nil {
		if os.Getenv("BFF_CI") != "" {
			t.Fatal("CI needs prometheus: apt-get install prometheus")
		}
		t.Log("alerts and dashboards were not tried: prometheus is missing (apt-get install prometheus, or the archive of prometheus.io)")
		return nil
	}
	folder, address := t.TempDir(), "127.0.0.1:"+redistest.FreePort()
	files, err := rules.Files(rules.Options{Scale: 20, Targets: targets})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	command := exec.Command(program, "--config.file="+filepath.Join(folder, rules.ConfigFile),
		"--storage.tsdb.path="+filepath.Join(folder, "data"), "--web.listen-address="+address,
		"--enable-feature=exemplar-storage", "--log.level=warn")
	command.Stdout, command.Stderr = &log, &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = command.Wait()
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("Prometheus said:\n%s", log.String())
		}
	})
	p := &prometheus{url: "http://" + address, client: &http.Client{Timeout: patience, Transport: &http.Transport{}}}
	t.Cleanup(p.client.CloseIdleConnections)
	eventually(t, "Prometheus is ready", func() bool {
		select {
		case <-ended:
			t.Fatal("Prometheus ended at once")
		default:
		}
		return p.ready()
	})
	return p
}

func (p *prometheus) ready() bool {
	resp, err := p.client.Get(p.url + "/-/ready")
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// get asks the API. The error is Prometheus's own, as of a query that does not parse.
func (p *prometheus) get(path string, parameters url.Values, data any) error {
	resp, err := p.client.Get(p.url + "/api/v1/" + path + "?" + parameters.Encode())
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer := struct {
		Status, Error string
		Data          any
	}{Data: data}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return err
	}
	if answer.Status != "success" {
		return fmt.Errorf("%s: %s", resp.Status, answer.Error)
	}
	return nil
}

// series is one of a query's result. An instant query gives Value, one over a range Values: a time, and a number as text.
type series struct {
	Metric map[string]string
	Value  [2]any
	Values [][2]any
}

func (s series) numbers() []float64 {
	samples := s.Values
	if s.Value[1] != nil {
		samples = append(samples, s.Value)
	}
	numbers := make([]float64, len(samples))
	for i, sample := range samples {
		numbers[i], _ = strconv.ParseFloat(fmt.Sprint(sample[1]), 64)
	}
	return numbers
}

func someFinite(found []series) bool {
	for _, s := range found {
		for _, number := range s.numbers() {
			if !math.IsNaN(number) && !math.IsInf(number, 0) {
				return true
			}
		}
	}
	return false
}

// value is the sum of an instant query's result; 0 when it is empty.
func (p *prometheus) value(t *testing.T, expr string) (sum float64) {
	t.Helper()
	var data struct{ Result []series }
	if err := p.get("query", url.Values{"query": {expr}}, &data); err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	for _, s := range data.Result {
		for _, number := range s.numbers() {
			sum += number
		}
	}
	return sum
}

// fires tells whether an alert with these labels does.
func (p *prometheus) fires(t *testing.T, labels map[string]string) bool {
	t.Helper()
	var data struct {
		Alerts []struct {
			Labels map[string]string
			State  string
		}
	}
	if err := p.get("alerts", nil, &data); err != nil {
		t.Fatal(err)
	}
	for _, alert := range data.Alerts {
		same := alert.State == "firing"
		for name, value := range labels {
			same = same && alert.Labels[name] == value
		}
		if same {
			return true
		}
	}
	return false
}

// answer runs a panel's query as Grafana would: as of now, or over the time since then.
func (p *prometheus) answer(t *testing.T, q question, since time.Time) []series {
	t.Helper()
	path, parameters := "query", url.Values{"query": {q.substituted()}}
	if !q.Instant {
		path, parameters = "query_range", over(q, since)
		parameters.Set("step", "1")
	}
	var data struct{ Result []series }
	if err := p.get(path, parameters, &data); err != nil {
		t.Fatalf("%s: %v", q.Expr, err)
	}
	return data.Result
}

// traces is how many exemplars a query's buckets have.
func (p *prometheus) traces(t *testing.T, q question, since time.Time) (n int) {
	t.Helper()
	var data []struct{ Exemplars []any }
	if err := p.get("query_exemplars", over(q, since), &data); err != nil {
		t.Fatalf("%s: %v", q.Expr, err)
	}
	for _, of := range data {
		n += len(of.Exemplars)
	}
	return n
}

func over(q question, since time.Time) url.Values {
	return url.Values{
		"query": {q.substituted()}, "start": {fmt.Sprint(since.Unix())}, "end": {fmt.Sprint(time.Now().Unix())},
	}
}
