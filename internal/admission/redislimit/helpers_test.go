package redislimit

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// socket is a path for a Unix socket, short enough for every system.
func socket(t *testing.T) string {
	dir, err := os.MkdirTemp("", "redis")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// startRedis starts a real Redis that ends with the test. Without one on this machine ok is false, and in CI the test
// fails.
func startRedis(t *testing.T) (path string, ok bool) {
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		const get = "no redis-server here: apt-get install redis-server, or brew install redis"
		if os.Getenv("BFF_CI") != "" {
			t.Fatal(get)
		}
		t.Log(get)
		return "", false
	}
	path = socket(t)
	server := exec.Command(binary, "--port", "0", "--unixsocket", path, "--save", "", "--dir", filepath.Dir(path))
	stdout, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if strings.Contains(lines.Text(), "eady to accept connections") {
			return path, true
		}
	}
	t.Fatal("redis-server ended before it was ready")
	return "", false
}

func connect(t *testing.T, path string) *redis.Client {
	client := redis.NewClient(&redis.Options{
		Network: "unix", Addr: path, ContextTimeoutEnabled: true, ReadTimeout: time.Hour, MaxRetries: -1,
	})
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// unhurried is a Store that waits for a Redis on a busy machine.
func unhurried(t *testing.T, path string) *Store {
	s := New(connect(t, path))
	s.patience = time.Minute
	return s
}

// silent is a server that accepts and never answers.
func silent(t *testing.T) (path string) {
	path = socket(t)
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return path
}

// stub is a Redis inside a bubble.
type stub struct {
	redis.UniversalClient
	answer func(context.Context) (any, error)
	asked  int
}

func (s *stub) EvalSha(ctx context.Context, _ string, _ []string, _ ...any) *redis.Cmd {
	s.asked++
	cmd := redis.NewCmd(ctx)
	v, err := s.answer(ctx)
	cmd.SetVal(v)
	cmd.SetErr(err)
	return cmd
}

func well(context.Context) (any, error) { return []any{int64(1), "1000000.00"}, nil }

func slow(ctx context.Context) (any, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
