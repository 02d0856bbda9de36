package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestNoPageWaitsForTheLog(t *testing.T) {
	log, signals, exit := make(lines), make(chan os.Signal, 1), make(chan int, 1)
	environ := append([]string{"BFF_ADDR=127.0.0.1:0", "BFF_ADMIN_ADDR=127.0.0.1:0"}, urls...)
	go func() { exit <- run(process{environ: environ, stdout: log, stderr: io.Discard, signals: signals}) }()
	<-log
	public := address.FindString(<-log)
	client := &http.Client{Timeout: time.Minute} // from here on nobody reads the log
	defer client.CloseIdleConnections()
	for range 10 {
		get(t, client, "http://"+public+"/products/p-1")
	}
	signals <- syscall.SIGINT
	if code := <-exit; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestWhatTheLogLosesIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := make(lines)
		l := newLog("text", out)
		l.Info("line 0")
		synctest.Wait() // it is being written
		for i := range queuedLines + 7 {
			l.Info(fmt.Sprintf("line %d", i+1))
		}
		for i, want := 0, 0; want <= queuedLines; i++ {
			line := <-out
			if i == 1 {
				if !strings.Contains(line, "level=WARN") || !strings.Contains(line, "lines=7") || l.lost.Load() != 7 {
					t.Errorf("%d are counted, after a line %q", l.lost.Load(), line)
				}
				continue
			}
			if !strings.HasSuffix(line, fmt.Sprintf("msg=\"line %d\"\n", want)) {
				t.Fatalf("%q, want line %d", line, want)
			}
			want++
		}
		l.end()
	})
}

// full is a disk that has room for the lines that begin with listening alone.
type full struct{ took, refused lines }

func (f full) Write(b []byte) (int, error) {
	if strings.Contains(string(b), `"msg":"listening"`) {
		return f.took.Write(b)
	}
	f.refused <- string(b)
	return 0, syscall.ENOSPC
}

func TestWhatTheLogLosesIsInTheMetrics(t *testing.T) {
	out, signals, exit := full{make(lines), make(lines)}, make(chan os.Signal, 1), make(chan int, 1)
	environ := append([]string{"BFF_ADDR=127.0.0.1:0", "BFF_ADMIN_ADDR=127.0.0.1:0"}, urls...)
	go func() { exit <- run(process{environ: environ, stdout: out, stderr: io.Discard, signals: signals}) }()
	admin, public := address.FindString(<-out.took), address.FindString(<-out.took)
	client := &http.Client{Timeout: time.Minute}
	defer client.CloseIdleConnections()
	if scrape := get(t, client, "http://"+admin+"/metrics"); !strings.Contains(scrape, "\nbff_log_lines_lost_total 0\n") {
		t.Error("it is not there from the start")
	}
	for range 2 { // when the second line comes, the first has been counted
		get(t, client, "http://"+public+"/products/p-1")
		<-out.refused
	}
	if scrape := get(t, client, "http://"+admin+"/metrics"); !regexp.MustCompile(`\nbff_log_lines_lost_total [12]\n`).MatchString(scrape) {
		t.Error("nothing is counted as lost")
	}
	signals <- syscall.SIGINT
	<-out.refused // that it stopped
	if code := <-exit; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

var address = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// get asks for what is refused, and always logged, where it is a page.
func get(t *testing.T, client *http.Client, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Request-Timeout-Ms", "1")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestTheEndOfTheLogIsWrittenOrGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said strings.Builder
		l := newLog("json", &said)
		l.Error("ended")
		l.end()
		if !strings.Contains(said.String(), `"msg":"ended"`) {
			t.Errorf("%q", said.String())
		}

		out := make(lines)
		l = newLog("json", out)
		l.Error("ended")
		begun := time.Now()
		l.end()
		if took := time.Since(begun); took != lastLines {
			t.Errorf("it waited for %v", took)
		}
		<-out
	})
}
