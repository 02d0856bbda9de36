package main

import (
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

// lines hands on what is logged.
type lines chan string

func (l lines) Write(b []byte) (int, error) { l <- string(b); return len(b), nil }

// serving starts the service on ports that the system chooses and waits for both listeners.
func serving(t *testing.T, more ...string) (log lines, signals chan os.Signal, exit chan int) {
	t.Helper()
	log, signals, exit = make(lines, 100), make(chan os.Signal, 2), make(chan int, 1)
	environ := append([]string{"BFF_ADDR=127.0.0.1:0", "BFF_ADMIN_ADDR=127.0.0.1:0"}, append(more, urls...)...)
	go func() { exit <- run(process{environ: environ, stdout: log, stderr: io.Discard, signals: signals}) }()
	for range 2 {
		if line := <-log; !strings.Contains(line, "listening") {
			t.Fatal(line)
		}
	}
	return log, signals, exit
}

func TestServeEndsWellOnSIGTERM(t *testing.T) {
	log, signals, exit := serving(t, "BFF_DRAIN=0s")
	signals <- syscall.SIGTERM
	if code := <-exit; code != 0 {
		t.Errorf("exit code %d", code)
	}
	if line := <-log; !strings.HasPrefix(line, `{"time":`) || !strings.Contains(line, `"msg":"draining"`) {
		t.Errorf("not one JSON object a line: %s", line)
	}
}

func TestServeEndsAtOnceOnASecondSignal(t *testing.T) {
	_, signals, exit := serving(t, "BFF_DRAIN=10m")
	signals <- syscall.SIGTERM
	signals <- syscall.SIGTERM
	if code := <-exit; code != 1 {
		t.Errorf("exit code %d", code)
	}
}

func TestServeLogsText(t *testing.T) {
	log, signals, exit := serving(t, "BFF_LOG=text", "BFF_DRAIN=10m")
	signals <- syscall.SIGINT
	if code := <-exit; code != 0 {
		t.Errorf("exit code %d", code)
	}
	if line := <-log; !strings.HasPrefix(line, "time=") {
		t.Errorf("%s", line)
	}
}

func TestServeTellsThatItCannotListen(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	log := make(lines, 100)
	environ := append([]string{"BFF_ADDR=" + taken.Addr().String(), "BFF_ADMIN_ADDR=127.0.0.1:0"}, urls...)
	code := run(process{environ: environ, stdout: log, stderr: io.Discard})
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
	var last string
	for range len(log) {
		last = <-log
	}
	if !strings.Contains(last, "cannot listen at BFF_ADDR="+taken.Addr().String()) {
		t.Errorf("%s", last)
	}
}
