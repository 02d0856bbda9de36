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
	"sync/atomic"
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

// lastPort begins somewhere else in each process, and below the ports that outgoing connections are given.
var lastPort atomic.Int32

// FreePort never returns a port twice: a server that was killed must not be mistaken for another one's.
func FreePort() string {
	lastPort.CompareAndSwap(0, int32(20_000+os.Getpid()*50%12_000))
	for {
		port := strconv.Itoa(int(lastPort.Add(1)))
		if ln, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			_ = ln.Close()
			return port
		}
	}
}
