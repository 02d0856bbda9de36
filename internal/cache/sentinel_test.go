package cache_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/bff/internal/page"
	"example.com/bff/internal/redistest"
)

// startPair is a master and its replica.
func startPair(t *testing.T, password string) (master, replica *redistest.Server) {
	t.Helper()
	auth := []string{"--requirepass", password, "--masterauth", password, "--repl-diskless-sync-delay", "0"}
	master, replica = redistest.Start(t, auth...), redistest.Start(t, auth...)
	if master == nil || !redistest.Installed(t, "redis-sentinel") {
		return nil, nil
	}
	if err := replica.ReplicaOf(t.Context(), "127.0.0.1", master.Port).Err(); err != nil {
		t.Fatal(err)
	}
	follows(t, replica)
	return master, replica
}

// follows waits until a replica has what its master has.
func follows(t *testing.T, replica *redistest.Server) {
	t.Helper()
	redistest.Eventually(t, "the replica follows", func() bool {
		return strings.Contains(replica.Info(t.Context(), "replication").Val(), "master_link_status:up")
	})
}

// hasGoodReplica waits until a Sentinel could make a replica master.
func hasGoodReplica(t *testing.T, sentinel *redistest.Server) {
	t.Helper()
	redistest.Eventually(t, "Sentinel knows the replica", func() bool {
		return strings.Contains(fmt.Sprint(sentinel.Do(t.Context(), "sentinel", "replicas", "shop").Val()), "master-link-status ok")
	})
}

// The master is killed, Sentinel makes the replica master, and the memory goes on with what was replicated.
func TestSentinelFailover(t *testing.T) {
	t.Parallel()
	const password = "secret"
	master, replica := startPair(t, password)
	if master == nil {
		return
	}
	watcher := startSentinel(t, master, password)
	url := "redis+sentinel://:" + password + "@127.0.0.1:" + redistest.FreePort() + "," + watcher.Addr + "/shop/2?sentinel_auth=true"
	one, other := newStore(t, url), newStore(t, url)
	before, after := key("before", ""), key("after", "")
	p := price("1", time.Now())
	one.Remember(before, p)
	settled(t, one, 1)
	wantHit(t, other, before, p)
	redistest.Eventually(t, "the replica has it", func() bool {
		return strings.Contains(replica.Info(t.Context(), "keyspace").Val(), "db2:keys=1")
	})
	hasGoodReplica(t, watcher)

	master.Kill()
	one.Remember(after, price("2", time.Now()))
	redistest.Eventually(t, "the memory is back", hits(t, other, before))
	redistest.Eventually(t, "what was set meanwhile is written", hits(t, other, after))
	settled(t, one, 2)
	if n := one.counts.of(page.MemorySet, page.MemoryOK); n != 2 {
		t.Errorf("%d of 2 sets: %v", n, one.counts.n)
	}
	if strings.Contains(one.log.String()+other.log.String(), password) {
		t.Error("the password is in the log")
	}
}

// A machine falls silent that holds the master and the Sentinel that was asked for it. The other Sentinel knows better.
func TestSentinelFallsSilentWithItsMaster(t *testing.T) {
	t.Parallel()
	const password = "secret"
	master, replica := startPair(t, password)
	if master == nil {
		return
	}
	near, far := startSentinel(t, master, password), startSentinel(t, master, password)
	p := redistest.StartProxy(t, far.Addr)
	p.Refuse()
	s := newStore(t, "redis+sentinel://:"+password+"@"+near.Addr+","+p.Addr+"/shop?sentinel_auth=true")
	k := key("p-1", "")
	s.Remember(k, price("1", time.Now()))
	settled(t, s, 1)
	redistest.Eventually(t, "the replica has it", func() bool { return replica.DBSize(t.Context()).Val() == 1 })
	hasGoodReplica(t, far)

	p.Accept(t)
	master.Freeze()
	near.Freeze()
	redistest.Eventually(t, "the replica is master", func() bool {
		far.Do(t.Context(), "sentinel", "failover", "shop")
		return strings.Contains(replica.Info(t.Context(), "replication").Val(), "role:master")
	})
	redistest.Eventually(t, "the memory is back", hits(t, s, k))
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
	redistest.Eventually(t, "a connection cannot be had", func() bool {
		master.Must(t, "client kill type normal skipme yes")
		_, r := s.Recall(t.Context(), k)
		return r == page.MemoryError
	})
	p.Accept(t)
	redistest.Eventually(t, "the memory is back again", hits(t, s, k))
}
