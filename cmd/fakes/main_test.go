package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asProgram makes the test's own binary the program.
const asProgram = "TEST_RUN_FAKES"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// try runs a command that ends by itself.
func try(args []string, environ ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(process{args, environ, &out, &err, nil})
	return code, out.String(), err.String()
}

func TestMistakesAreAllTold(t *testing.T) {
	for name, c := range map[string]struct {
		environ []string
		want    []string
	}{
		"unknown name":   {[]string{"FAKES_FAULT={}"}, []string{"FAKES_FAULT: no such name; there are FAKES_ADDR, FAKES_FAULTS, FAKES_ONLY, FAKES_WORKERS"}},
		"address":        {[]string{"FAKES_ADDR=9000"}, []string{`FAKES_ADDR: "9000" is no address`}},
		"port":           {[]string{"FAKES_ADDR=:http"}, []string{"FAKES_ADDR"}},
		"several":        {[]string{"FAKES_ONLY=price,prize", "FAKES_WORKERS=0"}, []string{`FAKES_ONLY: "prize" is none of catalog, price`, `FAKES_WORKERS: "0" is no whole number from 1`}},
		"no JSON":        {[]string{"FAKES_FAULTS=slow"}, []string{`FAKES_FAULTS: must be a JSON object like {"recommendations"`}},
		"unknown member": {[]string{`FAKES_FAULTS={"price": {"slow": true}}`}, []string{`FAKES_FAULTS: price: "slow" is no member of a fault`}},
		"value":          {[]string{`FAKES_FAULTS={"price": {"latencyMs": -1}}`}, []string{"FAKES_FAULTS: price: latencyMs must be a whole number"}},
		"not served":     {[]string{"FAKES_ONLY=stock", `FAKES_FAULTS={"price": {"hang": true}}`}, []string{"FAKES_FAULTS: price: no such downstream is served here: choose one of stock"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, command := range [][]string{nil, {"serve"}, {"health"}} {
				code, stdout, stderr := try(command, c.environ...)
				if code != usage || stdout != "" {
					t.Errorf("%v: exit %d, stdout %q", command, code, stdout)
				}
				for _, want := range c.want {
					if !strings.Contains(stderr, want) {
						t.Errorf("%v: stderr %q does not contain %q", command, stderr, want)
					}
				}
			}
		})
	}
}

func TestArguments(t *testing.T) {
	for args, want := range map[string]int{"help": ok, "--help": ok, "sevre": usage, "serve now": usage} {
		code, stdout, stderr := try(strings.Fields(args))
		if code != want || !strings.Contains(stdout+stderr, "usage: fakes [command]") {
			t.Errorf("%s: exit %d, %q %q", args, code, stdout, stderr)
		}
	}
}

func TestWhatCannotBeDoneExitsWith1(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	taken := "FAKES_ADDR=" + l.Addr().String()
	if code, _, stderr := try(nil, taken); code != failed || !strings.Contains(stderr, "in use") {
		t.Errorf("an address that is taken: exit %d, %q", code, stderr)
	}
	l.Close()
	if code, _, stderr := try([]string{"health"}, taken); code != failed || !strings.Contains(stderr, "no answer") {
		t.Errorf("nobody there: exit %d, %q", code, stderr)
	}
}

func TestProbeAddr(t *testing.T) {
	for addr, want := range map[string]string{
		":9000": "127.0.0.1:9000", "0.0.0.0:9000": "127.0.0.1:9000", "[::]:9000": "127.0.0.1:9000", "10.1.2.3:80": "10.1.2.3:80", "[::1]:80": "[::1]:80",
	} {
		if got := probeAddr(addr); got != want {
			t.Errorf("%s is probed at %s, want %s", addr, got, want)
		}
	}
}

// start runs the program as a process of its own and returns where it listens.
func start(t *testing.T, environ ...string) (program *exec.Cmd, addr string) {
	t.Helper()
	program = exec.CommandContext(t.Context(), os.Args[0])
	program.Env = append(environ, asProgram+"=1", "FAKES_ADDR=127.0.0.1:0", "FAKES_SERVICE_HOST=10.0.0.1", "FAKES_PORT=tcp://10.0.0.1:80", "FAKES_WORKERS=")
	program.Stderr = os.Stderr
	stdout, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("it said nothing: %v", err)
	}
	said, addr, _ := strings.Cut(strings.TrimSpace(line), " on http://")
	if said != "fakes: price, recommendations" {
		t.Errorf("it said %q", line)
	}
	return program, addr
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := (&http.Client{Timeout: 10 * time.Second}).Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(body)
}

// One process: it serves what it was told with the faults it was told, says that it is well, and ends cleanly although
// a request hangs.
func TestTheProgram(t *testing.T) {
	program, addr := start(t, "FAKES_ONLY=price, recommendations", `FAKES_FAULTS={"recommendations": {"hang": true}}`)
	if status, body := get(t, "http://"+addr+"/price/p-1001"); status != 200 || !strings.Contains(body, "129.90") {
		t.Errorf("price: %d %s", status, body)
	}
	if status, _ := get(t, "http://"+addr+"/catalog/p-1001"); status != 404 {
		t.Errorf("catalog, which it does not serve: %d", status)
	}
	if code, stdout, stderr := try([]string{"health"}, "FAKES_ADDR="+addr); code != ok || stdout != "ready\n" {
		t.Errorf("health: exit %d, %q %q", code, stdout, stderr)
	}

	hung := make(chan int)
	go func() { status, _ := get(t, "http://"+addr+"/recommendations/p-1001"); hung <- status }()
	for inFlight(t, addr) == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := program.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := <-hung; status != 0 {
		t.Errorf("what hung was answered %d", status)
	}
	if err := program.Wait(); err != nil {
		t.Errorf("it ended with %v, want exit 0", err)
	}
}

func inFlight(t *testing.T, addr string) int {
	var stats map[string]struct{ InFlight int }
	_, body := get(t, "http://"+addr+"/_stats")
	if err := json.Unmarshal([]byte(body), &stats); err != nil {
		t.Fatalf("stats %q: %v", body, err)
	}
	return stats["recommendations"].InFlight
}
