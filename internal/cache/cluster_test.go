package cache_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/bff/internal/page"
	"example.com/bff/internal/redistest"
)

// Keys are spread over three nodes of a Cluster; one node that hangs costs its own keys.
func TestCluster(t *testing.T) {
	t.Parallel()
	nodes := startCluster(t)
	if nodes == nil {
		return
	}
	s := newStore(t, "redis+cluster://127.0.0.1:"+redistest.FreePort()+","+nodes[0].Addr)
	const products = 300
	p := price("1", time.Now())
	for i := range products {
		s.Remember(key(fmt.Sprint("p-", i), ""), p)
	}
	settled(t, s, products)
	for i := range products {
		wantHit(t, s, key(fmt.Sprint("p-", i), ""), p)
	}
	for _, n := range nodes {
		if held := n.DBSize(t.Context()).Val(); held < products/6 {
			t.Errorf("%s holds %d of %d", n.Addr, held, products)
		}
		if asked := n.Calls("command"); asked > 0 { // go-redis does so past every deadline
			t.Errorf("%s was asked for COMMAND %d times", n.Addr, asked)
		}
	}
	if stats := s.PoolStats(); stats.Total < 3 || stats.Total > 3*8 {
		t.Errorf("pool %+v", stats)
	}
	one := key("p-1", "")
	s.Forget(one, time.Now())
	s.Remember(one, p) // arrives late
	settled(t, s, products+2)
	wantResult(t, s, one, page.MemoryMiss)
}

// One node of a Cluster hangs: what the others hold is still read and written.
func TestClusterNodeHangs(t *testing.T) {
	t.Parallel()
	nodes := startCluster(t)
	if nodes == nil {
		return
	}
	for _, n := range nodes {
		n.ConfigSet(t.Context(), "cluster-require-full-coverage", "no")
	}
	s := newStore(t, "redis+cluster://"+nodes[0].Addr)
	const products = 300
	p := price("1", time.Now())
	for i := range products {
		s.Remember(key(fmt.Sprint("p-", i), ""), p)
	}
	settled(t, s, products)
	held := func() int { return int(nodes[0].DBSize(t.Context()).Val() + nodes[1].DBSize(t.Context()).Val()) }
	reachable := held()
	nodes[2].Freeze()

	lost := wantRoundsServed(t, s, products, reachable)
	late := newStore(t, "redis+cluster://"+nodes[0].Addr) // it has never seen the node well
	redistest.Eventually(t, "the late one finds out who has what", func() bool {
		_, n := recallAll(t, late, products)
		return n >= reachable*99/100
	})
	wantRoundsServed(t, late, products, reachable)

	const more = 3000
	for i := range more {
		s.Remember(key(fmt.Sprint("more-", i), ""), p)
	}
	redistest.Eventually(t, "what belongs to the other nodes is written", func() bool { return held() >= reachable+more*6/10 })
	if n := s.counts.of(page.MemorySet, page.MemoryDropped); n > 0 {
		t.Errorf("%d of %d prices were dropped", n, more)
	}
	nodes[2].Thaw()
	redistest.Eventually(t, "the node is back", hits(t, s, key(lost, "")))
}

// A Cluster that comes later, while a key moves from one node to another (which says ASK), and has moved (MOVED), with no
// more rights than it takes.
func TestClusterMovesAKey(t *testing.T) {
	t.Parallel()
	nodes := startCluster(t)
	if nodes == nil {
		return
	}
	for _, n := range nodes {
		n.Must(t, userRights+" "+clusterRights)
	}
	seed := redistest.StartProxy(t, nodes[0].Addr)
	seed.Refuse()
	s := newStore(t, "redis+cluster://bff:password@"+seed.Addr)
	k := key("p-1", "")
	s.Remember(k, price("1", time.Now()))
	wantResult(t, s, k, page.MemoryError)
	seed.Accept(t)
	redistest.Eventually(t, "the memory is back", hits(t, s, k))

	sets := 1
	from := slices.IndexFunc(nodes, func(n *redistest.Server) bool { return n.DBSize(t.Context()).Val() == 1 })
	source, sink := nodes[from], nodes[(from+1)%len(nodes)]
	name := source.Keys(t.Context(), "*").Val()[0]
	slot := source.ClusterKeySlot(t.Context(), name).Val()
	sink.Must(t, fmt.Sprintf("cluster setslot %d importing %s", slot, source.ClusterMyID(t.Context()).Val()))
	source.Must(t, fmt.Sprintf("cluster setslot %d migrating %s", slot, sink.ClusterMyID(t.Context()).Val()))
	source.Must(t, fmt.Sprintf("migrate 127.0.0.1 %s %s 0 1000", sink.Port, name))
	remembers := func(amount string) {
		p := price(amount, time.Now())
		s.Remember(k, p)
		sets++
		settled(t, s, sets)
		wantHit(t, s, k, p)
	}
	remembers("2")
	for _, n := range nodes {
		n.Must(t, fmt.Sprintf("cluster setslot %d node %s", slot, sink.ClusterMyID(t.Context()).Val()))
	}
	remembers("3")
	if n := s.counts.of(page.MemorySet, page.MemoryOK); n != sets || source.DBSize(t.Context()).Val() != 0 {
		t.Errorf("%d of %d sets: %v", n, sets, s.counts.n)
	}
}

// wantRoundsServed asks for all products at once, again and again. A round that falls into a moment in which this machine
// stands still proves nothing, so that most count, and the next one begins when what seemed dead then is asked again. It
// returns the name of a product that was not served.
func wantRoundsServed(t *testing.T, s *store, products, reachable int) (lost string) {
	t.Helper()
	const rounds = 7
	good := 0
	served := func() bool {
		var n int
		lost, n = recallAll(t, s, products)
		return n >= reachable*99/100
	}
	for range rounds {
		if served() {
			good++
		} else {
			redistest.Eventually(t, "a round is served", served)
		}
	}
	if good <= rounds/2 {
		t.Errorf("in %d of %d rounds the %d that can be were served: %v", good, rounds, reachable, s.counts.n)
	}
	return lost
}

// recallAll asks for as many products at once, with what a page has left.
func recallAll(t *testing.T, s *store, products int) (lost string, served int) {
	ctx := within(t, 450*time.Millisecond)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range products {
		id := fmt.Sprint("p-", i)
		wg.Go(func() {
			_, r := s.Recall(ctx, key(id, ""))
			mu.Lock()
			defer mu.Unlock()
			if r == page.MemoryHit {
				served++
			} else {
				lost = id
			}
		})
	}
	wg.Wait()
	return lost, served
}
