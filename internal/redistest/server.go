package redistest

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/redis/go-redis/v9"
)

// Server is a real Redis, or a Sentinel. Its Client looks at it past all that is tested.
type Server struct {
	*redis.Client
	Addr, Port string

	program string
	args    []string
	cmd     *exec.Cmd
	out     bytes.Buffer
}

// Start returns nil where Redis is not installed: then the test is over. args are added to the server's command line.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	if !Installed(t, "redis-server") {
		return nil
	}
	password := ""
	if i := slices.Index(args, "--requirepass"); i >= 0 {
		password = args[i+1]
	}
	port := FreePort()
	args = append([]string{"--save", "", "--appendonly", "no", "--port", port}, args...)
	return StartProgram(t, &redis.Options{Password: password}, port, "redis-server", args...)
}

// StartProgram runs a program that becomes a server at port, as o reaches it, within Patience.
func StartProgram(t testing.TB, o *redis.Options, port, program string, args ...string) *Server {
	t.Helper()
	s := &Server{Addr: "127.0.0.1:" + port, Port: port, program: program}
	s.args = append(args, "--bind", "127.0.0.1", "--dir", t.TempDir())
	o.Addr, o.Protocol, o.DisableIdentity = s.Addr, 2, true
	o.PoolSize = 1 // which stays logged in when a password is set
	s.Client = redis.NewClient(o)
	t.Cleanup(func() {
		_ = s.Close()
		s.Kill()
		if t.Failed() {
			t.Log(s.out.String())
		}
	})
	s.Restart(t)
	return s
}

// Restart starts a server that was killed, on the same port. It has forgotten everything.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.cmd = exec.Command(s.program, s.args...)
	s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.out
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	Eventually(t, s.program+" answers", func() bool { return s.Ping(t.Context()).Err() == nil })
}

// Kill ends the server at once, as a crash does.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// Freeze keeps connections open and takes new ones, but does nothing with them any more.
func (s *Server) Freeze() { _ = s.cmd.Process.Signal(syscall.SIGSTOP) }

// Thaw ends Freeze.
func (s *Server) Thaw() { _ = s.cmd.Process.Signal(syscall.SIGCONT) }

// Must sends a command, its words separated by one space each, as in "config set maxmemory 1".
func (s *Server) Must(t testing.TB, command string) {
	t.Helper()
	var args []any
	for _, word := range strings.Split(command, " ") {
		args = append(args, word)
	}
	if err := s.Do(t.Context(), args...).Err(); err != nil {
		t.Fatalf("%s: %v", command, err)
	}
}

// Calls is how often the server has executed a command, those of scripts included.
func (s *Server) Calls(command string) int {
	for line := range strings.Lines(s.Info(context.Background(), "commandstats").Val()) {
		var n int
		if _, err := fmt.Sscanf(line, "cmdstat_"+command+":calls=%d,", &n); err == nil {
			return n
		}
	}
	return 0
}
