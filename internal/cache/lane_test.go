package cache

import (
	"fmt"
	"testing"
)

// Nodes have a lane each as long as there are enough, keep it, and come and go without end.
func TestLanes(t *testing.T) {
	ls := newLanes(cluster)
	used := map[*lane]bool{}
	for i := range clusterLanes {
		used[ls.of(fmt.Sprint(i))] = true
	}
	if len(used) != clusterLanes {
		t.Errorf("%d nodes share %d lanes", clusterLanes, len(used))
	}
	first := ls.of("0")
	for i := range 10 * maxAddresses {
		ls.of(fmt.Sprint(i))
		if i < maxAddresses && ls.of("0") != first {
			t.Fatalf("a node's lane has changed after %d addresses", i)
		}
	}
	if len(ls.byAddr) > maxAddresses {
		t.Errorf("%d addresses are kept", len(ls.byAddr))
	}
	if n := len(newLanes(sentinel).all); n != 1 {
		t.Errorf("%d lanes for one node", n)
	}
}
