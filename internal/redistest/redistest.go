// Package redistest is what tests of the remembered price are made with: real Redis servers on free ports of loopback,
// and a proxy that makes trouble between a Redis and its clients.
//
// It promises that all it has started ends with the test, that nothing is left on disk, and that a test which needs a
// server that is not installed fails in CI and says elsewhere how to get it.
package redistest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Patience bounds each wait for what another process does in its own time. It is also all that Redis' return may take.
const Patience = 10 * time.Second

// Installed tells whether the programs can be started here. CI must not go without them.
func Installed(t testing.TB, programs ...string) bool {
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

// Eventually ends the test when what does not hold within Patience.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("%v passed without: %s", Patience, what)
}

// ports are below those that outgoing connections are given. A process has whole blocks of them to itself: it holds the
// first port of each until it ends.
var ports struct {
	sync.Mutex
	next, end int
	held      []net.Listener
}

const (
	firstPort  = 20_000
	portBlock  = 200
	portBlocks = 60
)

// FreePort never returns a port twice: a server that was killed must not be mistaken for another one's, nor one of another
// package's tests for ours.
func FreePort() string {
	ports.Lock()
	defer ports.Unlock()
	for try := range 1 + portBlocks {
		for ; ports.next < ports.end; ports.next++ {
			if ln, err := listen(ports.next); err == nil {
				_ = ln.Close()
				ports.next++
				return strconv.Itoa(ports.next - 1)
			}
		}
		block := firstPort + (os.Getpid()+try)%portBlocks*portBlock
		if ln, err := listen(block); err == nil {
			ports.held = append(ports.held, ln)
			ports.next, ports.end = block+1, block+portBlock
		}
	}
	panic("redistest: every port has been used")
}

func listen(port int) (net.Listener, error) {
	return net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}
