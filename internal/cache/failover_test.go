package cache_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/bff/internal/page"
	"example.com/bff/internal/redistest"
)

// addReplica makes a node of a Cluster that follows master.
func addReplica(t *testing.T, master *redistest.Server) *redistest.Server {
	t.Helper()
	bus := redistest.FreePort()
	r := redistest.Start(t, "--cluster-enabled", "yes", "--cluster-port", bus, "--repl-diskless-sync-delay", "0")
	if err := master.Do(t.Context(), "cluster", "meet", "127.0.0.1", r.Port, bus).Err(); err != nil {
		t.Fatal(err)
	}
	id := master.ClusterMyID(t.Context()).Val()
	redistest.Eventually(t, "the replica knows its master", func() bool { return r.ClusterReplicate(t.Context(), id).Err() == nil })
	follows(t, r)
	return r
}

// A node of a Cluster dies and its replica takes its place. Who asks the dead one is not told so.
func TestClusterFailover(t *testing.T) {
	for name, dies := range map[string]func(*redistest.Server){
		"refusing": (*redistest.Server).Kill,
		"silent":   (*redistest.Server).Freeze,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nodes := startCluster(t)
			if nodes == nil {
				return
			}
			replica := addReplica(t, nodes[0])
			s := newStore(t, "redis+cluster://"+nodes[0].Addr+","+nodes[1].Addr)
			const products = 100
			for i := range products {
				s.Remember(key(fmt.Sprint("p-", i), ""), price("1", time.Now()))
			}
			settled(t, s, products)
			redistest.Eventually(t, "the replica has it all", func() bool {
				return replica.DBSize(t.Context()).Val() == nodes[0].DBSize(t.Context()).Val()
			})

			dies(nodes[0])
			replica.Must(t, "cluster failover takeover")
			redistest.Eventually(t, "the memory is back", func() bool {
				_, served := recallAll(t, s, products)
				return served == products
			})
			for i := range products {
				s.Remember(key(fmt.Sprint("more-", i), ""), price("1", time.Now()))
			}
			settled(t, s, 2*products)
			if n := s.counts.of(page.MemorySet, page.MemoryOK); n != 2*products {
				t.Errorf("%d of %d were written: %v", n, 2*products, s.counts.n)
			}
		})
	}
}

// The address leads to another master, and the old one goes on as its replica without a connection being broken: so do
// fail-overs of hosted Redis.
func TestDemotedMaster(t *testing.T) {
	t.Parallel()
	old, master := redistest.Start(t), redistest.Start(t, "--repl-diskless-sync-delay", "0")
	if old == nil {
		return
	}
	p := redistest.StartProxy(t, old.Addr)
	s := newStore(t, "redis://"+p.Addr)
	before, after := key("before", ""), key("after", "")
	s.Remember(before, price("1", time.Now()))
	settled(t, s, 1)
	p.SetBackend(master.Addr)
	old.Must(t, "replicaof 127.0.0.1 "+master.Port)
	s.Remember(after, price("2", time.Now()))
	redistest.Eventually(t, "the price is written", func() bool { return master.DBSize(t.Context()).Val() == 1 })
	redistest.Eventually(t, "the price is shown", hits(t, s, after))
}
