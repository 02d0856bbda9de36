package cache_test

import (
	"bytes"
	"crypto/tls"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"example.com/bff/internal/cache"
	"example.com/bff/internal/redistest"
)

// startTLSRedis speaks TLS alone, with a certificate for host. It is also a Cluster of one, which announces itself by address.
func startTLSRedis(t testing.TB, host string) *redistest.Server {
	t.Helper()
	if !redistest.Installed(t, "redis-server") {
		return nil
	}
	port := redistest.FreePort()
	cert := certificate(host)
	s := redistest.StartProgram(t, &redis.Options{TLSConfig: &tls.Config{ServerName: host}}, port, "redis-server",
		"--save", "", "--port", "0", "--tls-port", port, "--tls-auth-clients", "no", "--tls-cert-file", cert, "--tls-key-file", cert,
		"--tls-ca-cert-file", cert,
		"--cluster-enabled", "yes", "--tls-cluster", "yes", "--cluster-port", redistest.FreePort(), "--cluster-announce-ip", "127.0.0.1")
	if err := s.ClusterAddSlotsRange(t.Context(), 0, 16383).Err(); err != nil {
		t.Fatal(err)
	}
	redistest.Eventually(t, "the cluster is up", func() bool {
		return strings.Contains(s.ClusterInfo(t.Context()).Val(), "cluster_state:ok")
	})
	return s
}

// startSentinel watches the master under the name "shop" and fails over within about a second.
func startSentinel(t testing.TB, master *redistest.Server, password string) *redistest.Server {
	t.Helper()
	conf := filepath.Join(t.TempDir(), "sentinel.conf")
	port := redistest.FreePort()
	lines := "port " + port + "\nsentinel monitor shop 127.0.0.1 " + master.Port + " 1\n" +
		"sentinel down-after-milliseconds shop 500\nsentinel failover-timeout shop 2000\n" +
		"sentinel auth-pass shop " + password + "\nrequirepass " + password + "\n"
	if err := os.WriteFile(conf, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return redistest.StartProgram(t, &redis.Options{Password: password}, port, "redis-sentinel", conf)
}

// startTLSSentinel watches a master at port of localhost, and speaks TLS alone as that does.
func startTLSSentinel(t testing.TB, masterPort string) *redistest.Server {
	t.Helper()
	conf, port := filepath.Join(t.TempDir(), "sentinel.conf"), redistest.FreePort()
	cert := certificate("localhost")
	lines := "port 0\ntls-port " + port + "\ntls-auth-clients no\ntls-replication yes\ntls-cert-file " + cert + "\ntls-key-file " + cert +
		"\ntls-ca-cert-file " + cert + "\nsentinel monitor shop 127.0.0.1 " + masterPort + " 1\n"
	if err := os.WriteFile(conf, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return redistest.StartProgram(t, &redis.Options{TLSConfig: &tls.Config{ServerName: "localhost"}}, port, "redis-sentinel", conf)
}

// startCluster makes a Cluster of three masters.
func startCluster(t testing.TB) []*redistest.Server {
	t.Helper()
	var nodes []*redistest.Server
	for i := range 3 {
		bus := redistest.FreePort()
		n := redistest.Start(t, "--cluster-enabled", "yes", "--cluster-port", bus, "--cluster-node-timeout", "2000")
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
			if err := nodes[0].Do(t.Context(), "cluster", "meet", "127.0.0.1", n.Port, bus).Err(); err != nil {
				t.Fatal(err)
			}
		}
		nodes = append(nodes, n)
	}
	for _, n := range nodes {
		redistest.Eventually(t, "the cluster is up", func() bool {
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
