package cache_test

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"example.com/bff/internal/cache"
)

// installed tells whether the real servers can be started here. CI must not go without them.
func installed(t testing.TB, programs ...string) bool {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			const how = "%s is not installed: this test needs `apt-get install redis-server redis-sentinel`"
			if os.Getenv("BFF_CI") != "" {
				t.Fatalf(how, p)
			}
			fmt.Fprintf(os.Stderr, "%s did not run: "+how+"\n", t.Name(), p)
			return false
		}
	}
	return true
}

// server is a real Redis (or Sentinel) on a free port of loopback, with nothing on disk.
type server struct {
	*redis.Client // to look at it, past all that is tested
	addr, port    string
	program       string
	args          []string
	cmd           *exec.Cmd
	out           bytes.Buffer
}

// startRedis returns nil where Redis is not installed: then the test is over.
func startRedis(t testing.TB, args ...string) *server {
	t.Helper()
	if !installed(t, "redis-server") {
		return nil
	}
	password := ""
	if i := slices.Index(args, "--requirepass"); i >= 0 {
		password = args[i+1]
	}
	port := freePort(t)
	args = append([]string{"--save", "", "--appendonly", "no", "--port", port}, args...)
	return startServer(t, &redis.Options{Password: password}, port, "redis-server", args...)
}

// startTLSRedis speaks TLS alone. It is also a Cluster of one, which announces itself by address.
func startTLSRedis(t testing.TB) *server {
	t.Helper()
	if !installed(t, "redis-server") {
		return nil
	}
	port := freePort(t)
	cert, key := filepath.Join(certificates, "cert.pem"), filepath.Join(certificates, "key.pem")
	s := startServer(t, &redis.Options{TLSConfig: &tls.Config{ServerName: "localhost"}}, port, "redis-server",
		"--save", "", "--port", "0", "--tls-port", port, "--tls-auth-clients", "no", "--tls-cert-file", cert, "--tls-key-file", key,
		"--tls-ca-cert-file", cert,
		"--cluster-enabled", "yes", "--tls-cluster", "yes", "--cluster-port", freePort(t), "--cluster-announce-ip", "127.0.0.1")
	if err := s.ClusterAddSlotsRange(t.Context(), 0, 16383).Err(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the cluster is up", func() bool {
		return strings.Contains(s.ClusterInfo(t.Context()).Val(), "cluster_state:ok")
	})
	return s
}

func startServer(t testing.TB, o *redis.Options, port, program string, args ...string) *server {
	t.Helper()
	s := &server{addr: "127.0.0.1:" + port, port: port, program: program}
	s.args = append(args, "--bind", "127.0.0.1", "--dir", t.TempDir())
	o.Addr, o.Protocol, o.DisableIdentity = s.addr, 2, true
	s.Client = redis.NewClient(o)
	t.Cleanup(func() {
		s.Close()
		s.kill()
		if t.Failed() {
			t.Log(s.out.String())
		}
	})
	s.start(t)
	return s
}

func (s *server) start(t testing.TB) {
	t.Helper()
	s.cmd = exec.Command(s.program, s.args...)
	s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.out
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, s.program+" answers", func() bool { return s.Ping(t.Context()).Err() == nil })
}

func (s *server) kill() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
}

// lastPort begins somewhere else in each process, and below the ports that outgoing connections are given.
var lastPort atomic.Int32

// freePort never returns a port twice: a server that was killed must not be mistaken for another one's.
func freePort(t testing.TB) string {
	t.Helper()
	lastPort.CompareAndSwap(0, int32(20_000+os.Getpid()*50%12_000))
	for {
		port := strconv.Itoa(int(lastPort.Add(1)))
		if ln, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			ln.Close()
			return port
		}
	}
}

// startSentinel watches the master under the name "shop" and fails over within about a second.
func startSentinel(t testing.TB, master *server, password string) *server {
	t.Helper()
	conf := filepath.Join(t.TempDir(), "sentinel.conf")
	port := freePort(t)
	lines := "port " + port + "\nsentinel monitor shop 127.0.0.1 " + master.port + " 1\n" +
		"sentinel down-after-milliseconds shop 500\nsentinel failover-timeout shop 2000\n" +
		"sentinel auth-pass shop " + password + "\nrequirepass " + password + "\n"
	if err := os.WriteFile(conf, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return startServer(t, &redis.Options{Password: password}, port, "redis-sentinel", conf)
}

// startCluster makes a Cluster of three masters.
func startCluster(t testing.TB) []*server {
	t.Helper()
	var nodes []*server
	for i := range 3 {
		bus := freePort(t)
		n := startRedis(t, "--cluster-enabled", "yes", "--cluster-port", bus, "--cluster-node-timeout", "2000")
		if n == nil {
			return nil
		}
		first, last := i*16384/3, (i+1)*16384/3-1
		if err := n.ClusterAddSlotsRange(t.Context(), first, last).Err(); err != nil {
			t.Fatal(err)
		}
		if err := n.Do(t.Context(), "cluster", "set-config-epoch", i+1).Err(); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			if err := nodes[0].Do(t.Context(), "cluster", "meet", "127.0.0.1", n.port, bus).Err(); err != nil {
				t.Fatal(err)
			}
		}
		nodes = append(nodes, n)
	}
	for _, n := range nodes {
		eventually(t, "the cluster is up", func() bool {
			info := n.ClusterInfo(t.Context()).Val()
			return strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:3")
		})
	}
	return nodes
}

// lines is what was logged.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func (l *lines) count(level string) int { return strings.Count(l.String(), "level="+level) }

// store is a cache.Redis with what it tells.
type store struct {
	*cache.Redis
	counts counts
	log    lines
}

func newStore(t testing.TB, url string) *store {
	t.Helper()
	s := new(store)
	r, err := cache.NewRedis(url, cache.RedisOptions{
		StaleFor: staleFor, Observer: &s.counts, Logger: slog.New(slog.NewTextHandler(&s.log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Redis = r
	t.Cleanup(func() { r.Close(within(t, 0)) })
	return s
}
