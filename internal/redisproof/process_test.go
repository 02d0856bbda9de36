package redisproof

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"testing"

	"example.com/bff/internal/redistest"
	"example.com/bff/internal/world"
)

// build makes the program as make build does, so that what that has compiled is used again.
var build = sync.OnceValues(func() (string, error) {
	path := filepath.Join(tools, "bff")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", path, "../../cmd/bff")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, nil
})

// tools is a directory for as long as the tests run.
var tools string

func withTools(m *testing.M) int {
	dir, err := os.MkdirTemp("", "redisproof")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	tools = dir
	return m.Run()
}

// process is an instance with a life of its own.
type process struct {
	*instance
	cmd    *exec.Cmd
	stderr bytes.Buffer
	once   sync.Once
}

var listening = regexp.MustCompile(`"msg":"listening","address":"([^"]+)"`)

// exec starts the program, with no other environment than this.
func (s *shop) exec(t *testing.T, env ...string) *process {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	log, p := new(world.Log), &process{cmd: exec.Command(program)}
	p.cmd.Env = slices.Concat(s.env, env)
	p.cmd.Stdout, p.cmd.Stderr = log, &p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.kill()
		if p.stderr.Len() > 0 {
			t.Errorf("the process wrote to stderr: %s", p.stderr.String())
		}
		if t.Failed() {
			t.Logf("the process said of Redis: %s", p.linesAboutRedis())
		}
	})
	var found [][]string
	redistest.Eventually(t, "the process listens", func() bool {
		found = listening.FindAllStringSubmatch(log.String(), 2)
		return len(found) == 2
	})
	p.instance = s.at(t, found[0][1], found[1][1], log)
	return p
}

// kill ends it as the kernel does when memory is short.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	p.wait()
}

func (p *process) terminate() { _ = p.cmd.Process.Signal(syscall.SIGTERM) }

// wait returns the exit code once it has ended; -1 for one that was killed.
func (p *process) wait() int {
	p.once.Do(func() { _ = p.cmd.Wait() })
	return p.cmd.ProcessState.ExitCode()
}
