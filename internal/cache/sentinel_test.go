package cache_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/bff/internal/page"
	"example.com/bff/internal/redistest"
)

// The master is killed, Sentinel makes the replica master, and the memory goes on with what was replicated.
func TestSentinelFailover(t *testing.T) {
	t.Parallel()
	const password = "secret"
	auth := []string{"--requirepass", password, "--masterauth", password, "--repl-diskless-sync-delay", "0"}
	master, replica := redistest.Start(t, auth...), redistest.Start(t, auth...)
	if master == nil || !redistest.Installed(t, "redis-sentinel") {
		return
	}
	if err := replica.ReplicaOf(t.Context(), "127.0.0.1", master.Port).Err(); err != nil {
		t.Fatal(err)
	}
	redistest.Eventually(t, "the replica follows", func() bool {
		return strings.Contains(replica.Info(t.Context(), "replication").Val(), "master_link_status:up")
	})
	watcher := startSentinel(t, master, password)
	url := "redis+sentinel://:" + password + "@127.0.0.1:" + redistest.FreePort() + "," + watcher.Addr + "/shop/2?sentinel_auth=true"
	one, other := newStore(t, url), newStore(t, url)
	before, after := key("before", ""), key("after", "")
	p := price("1", time.Now())
	one.Remember(before, p)
	settled(t, one, 1)
	wantHit(t, other, before, p)
	redistest.Eventually(t, "the replica has it, and Sentinel the replica", func() bool {
		return strings.Contains(replica.Info(t.Context(), "keyspace").Val(), "db2:keys=1") &&
			strings.Contains(fmt.Sprint(watcher.Do(t.Context(), "sentinel", "replicas", "shop").Val()), "master-link-status ok")
	})

	master.Kill()
	one.Remember(after, price("2", time.Now()))
	redistest.Eventually(t, "the memory is back", hits(t, other, before))
	redistest.Eventually(t, "what was set meanwhile is written", hits(t, other, after))
	if n := one.counts.of(page.MemorySet, page.MemoryOK); n != 2 {
		t.Errorf("%d of 2 sets: %v", n, one.counts.n)
	}
	if strings.Contains(one.log.String()+other.log.String(), password) {
		t.Error("the password is in the log")
	}
}

// The Sentinels are silent at first, and gone later: what has to be asked of them waits for them, and nothing else does.
func TestSentinelTrouble(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t, "--requirepass", "secret")
	if master == nil || !redistest.Installed(t, "redis-sentinel") {
		return
	}
	p := redistest.StartProxy(t, startSentinel(t, master, "secret").Addr)
	p.Makes(redistest.Silent)
	s := newStore(t, "redis+sentinel://:secret@"+p.Addr+"/shop?sentinel_auth=true")
	k := key("p-1", "")
	s.Remember(k, price("1", time.Now()))
	if _, r := s.Recall(within(t, 100*time.Millisecond), k); r != page.MemoryTimeout {
		t.Errorf("Recall = %v", r)
	}
	p.Makes(redistest.Pass)
	redistest.Eventually(t, "the memory is back", hits(t, s, k))

	p.Refuse()
	redistest.Eventually(t, "the master is asked as ever", hits(t, s, k))
	master.Must(t, "client kill type normal skipme yes")
	wantResult(t, s, k, page.MemoryError)
	p.Accept(t)
	redistest.Eventually(t, "the memory is back again", hits(t, s, k))
}
