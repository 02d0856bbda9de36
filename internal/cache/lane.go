package cache

import (
	"sync"

	"github.com/redis/go-redis/v9"
)

const (
	clusterLanes      = 16   // more nodes than that share them
	clusterWriteQueue = 2048 // writes, of each

	// maxAddresses is when the addresses seen are forgotten: nodes come and go, and no Cluster has as many.
	maxAddresses = 1024
)

// lane is the way to one node: what waits for it, and whether it answers. What goes through a lane waits for nothing but
// what is in it, so that a node of a Cluster that hangs holds up its own keys alone. Anything but a Cluster has one lane.
// A key in another node's lane does no harm: it is go-redis that finds the node.
type lane struct {
	breaker breaker
	reads   *reads
	writes  *queue[write]
}

// lanes are all there are, and whose they are.
type lanes struct {
	all []*lane

	mu     sync.Mutex
	byAddr map[string]*lane
}

func newLanes(k kind) *lanes {
	n, size := 1, writeQueueSize
	if k == cluster {
		n, size = clusterLanes, clusterWriteQueue
	}
	ls := &lanes{byAddr: map[string]*lane{}}
	for range n {
		ls.all = append(ls.all, &lane{reads: newReads(), writes: newQueue[write](size)})
	}
	return ls
}

// of is the lane of the node at addr.
func (ls *lanes) of(addr string) *lane {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if l, known := ls.byAddr[addr]; known {
		return l
	}
	if len(ls.byAddr) == maxAddresses {
		clear(ls.byAddr)
	}
	l := ls.all[len(ls.byAddr)%len(ls.all)]
	ls.byAddr[addr] = l
	return l
}

// lane never waits: who owns which key is known once a Cluster has answered.
func (r *Redis) lane(key string) *lane {
	c, clustered := r.rdb.(*redis.ClusterClient)
	if !clustered || !r.reached.Load() {
		return r.lanes.all[0]
	}
	node, err := c.MasterForKey(r.open, key)
	if err != nil {
		return r.lanes.all[0]
	}
	return r.lanes.of(node.Options().Addr)
}
