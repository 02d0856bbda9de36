package cache_test

import (
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/bff/internal/cache"
	"example.com/bff/internal/page"
	"example.com/bff/internal/redistest"
)

func TestURLForms(t *testing.T) {
	const secret = "hunter2"
	for _, c := range []struct {
		url  string
		want string // part of the error; "" is none
	}{
		{"redis://h", ""},
		{"redis://h:1/3", ""},
		{"redis://[::1]", ""},
		{"redis://[::1]:6380/0", ""},
		{"redis://:hunter2@h", ""},
		{"rediss://user:hunter2%2F%40@h:6380/15", ""},
		{"redis+sentinel://h1:1,h2:2,h3/shop", ""},
		{"redis+sentinel://user:hunter2@h1:1,h2:2/shop/3?sentinel_auth=true", ""},
		{"rediss+sentinel://[::1],h2/my%2Fshop", ""},
		{"redis+cluster://h1:1,h2:2", ""},
		{"rediss+cluster://:hunter2@h1", ""},
		{"redis+cluster://h1/", ""},

		{"", "is redis://"},
		{"h:6379", "is redis://"},
		{"http://h", "is redis://"},
		{"REDIS://h", "is redis://"},
		{"redis://hunter2@h", "user:password@"},
		{"redis://user:hunter2%@h", "percent-encoded"},
		{"redis://user:hunt/hunter2@h", "host:port"},
		{"redis://user:hunt?hunter2@h", "host:port"},
		{"redis://", "host:port"},
		{"redis://:6379", "host:port"},
		{"redis://h:0", "host:port"},
		{"redis://h:65536", "host:port"},
		{"redis://h:redis", "host:port"},
		{"redis://::1", "host:port"},
		{"redis://h1,h2", "host:port"},
		{"redis+cluster://h1,,h2", "host:port"},
		{"redis://h/one", "path is /db"},
		{"redis://h/-1", "path is /db"},
		{"redis://h/1/2", "path is /db"},
		{"redis+sentinel://h", "/master"},
		{"redis+sentinel://h//1", "/master"},
		{"redis+cluster://h/1", "empty for a Cluster"},
		{"redis://h?db=1", "no query"},
		{"redis://:hunter2@h?sentinel_auth=true", "no query"},
		{"redis+sentinel://h/shop?sentinel_auth=true", "a password"},
		{"redis+sentinel://h/shop?password=hunter2", "no query"},
	} {
		t.Run(c.url, func(t *testing.T) {
			s, err := cache.NewRedis(c.url, cache.RedisOptions{Observer: new(counts), Logger: slog.New(slog.DiscardHandler)})
			if err == nil {
				s.Close(t.Context())
			}
			if got := fmt.Sprint(err); (err == nil) != (c.want == "") || !strings.Contains(got, c.want) || strings.Contains(got, secret) {
				t.Errorf("error %v, want %q, and no password in it", err, c.want)
			}
		})
	}
}

const (
	userRights    = "ACL SETUSER bff on >password resetkeys ~bff:price:* -@all +getrange +set +eval +evalsha +select"
	clusterRights = "+cluster|slots +asking" // and these, in a Cluster
)

func TestRightsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/redis.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, rights := range []string{userRights, clusterRights} {
		if !strings.Contains(string(doc), rights) {
			t.Errorf("docs/redis.md does not ask for %s", rights)
		}
	}
}

// These rights are enough, and the database of the URL is the one that is used.
func TestUserPasswordDatabase(t *testing.T) {
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	const password = "p/a:s@s?w%rd"
	srv.Must(t, strings.Replace(userRights, "password", password, 1))
	s := newStore(t, "redis://bff:"+url.QueryEscape(password)+"@"+srv.Addr+"/3")
	k, p := key("p-1", ""), price("1", time.Now())
	s.Remember(k, p)
	settled(t, s, 1)
	wantHit(t, s, k, p)
	if space := srv.Info(t.Context(), "keyspace").Val(); !strings.Contains(space, "db3:keys=1") || strings.Contains(space, "db0") {
		t.Error(space)
	}
}

// A certificate is for localhost, or for 127.0.0.1. A node that is announced by address may show the one of the URL's host,
// or one of its own.
func TestTLS(t *testing.T) {
	t.Parallel()
	srv, own := startTLSRedis(t, "localhost"), startTLSRedis(t, "127.0.0.1")
	if srv == nil || !redistest.Installed(t, "redis-sentinel") {
		return
	}
	for i, url := range []string{
		"rediss://localhost:" + srv.Port,
		"rediss+cluster://localhost:" + srv.Port,
		"rediss+sentinel://localhost:" + startTLSSentinel(t, srv.Port).Port + "/shop",
		"rediss://127.0.0.1:" + own.Port,
		"rediss+cluster://localhost:" + redistest.FreePort() + ",127.0.0.1:" + own.Port,
	} {
		s := newStore(t, url)
		k, p := key(fmt.Sprint("p-", i), ""), price("1", time.Now())
		s.Remember(k, p)
		settled(t, s, 1)
		wantHit(t, s, k, p)
	}
	plain, stranger := newStore(t, "redis://"+srv.Addr), newStore(t, "rediss://"+srv.Addr)
	for _, s := range []*store{plain, stranger} {
		wantResult(t, s, key("p", ""), page.MemoryError)
	}
	if log := stranger.log.String(); !strings.Contains(log, "certificate") {
		t.Error(log)
	}
}
