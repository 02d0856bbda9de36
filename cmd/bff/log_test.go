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
	public := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(<-log)
	client := &http.Client{Timeout: time.Minute} // from here on nobody reads the log
	defer client.CloseIdleConnections()
	for range 10 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+public+"/products/p-1", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Request-Timeout-Ms", "1") // which is refused, and always logged
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
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
				if !strings.Contains(line, "level=WARN") || !strings.Contains(line, "lines=7") {
					t.Errorf("after a line %q", line)
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
