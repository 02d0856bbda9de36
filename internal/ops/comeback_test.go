package ops_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"example.com/bff/internal/ops"
	"example.com/bff/internal/page"
	"example.com/bff/storefront/browsertest"
)

// mute lets the first few writes of an answer through, and then nothing, as a network that has lost a connection does.
type mute struct {
	http.ResponseWriter
	r     *http.Request
	left  int
	ended chan<- struct{}
}

func (m *mute) Unwrap() http.ResponseWriter { return m.ResponseWriter }

func (m *mute) Write(b []byte) (int, error) {
	if m.left == 0 {
		<-m.r.Context().Done()
		close(m.ended)
		return 0, m.r.Context().Err()
	}
	m.left--
	return m.ResponseWriter.Write(b)
}

// TestThePageComesBack: whoever left it open before an instance ended, before a connection was cut, or before it went
// silent, sees it live again and touches nothing.
func TestThePageComesBack(t *testing.T) {
	b, ok := browsertest.Start(t)
	if !ok {
		return
	}
	var silent atomic.Bool
	givenUp := make(chan struct{})
	var now atomic.Pointer[ops.Ops]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ops/events" && silent.CompareAndSwap(true, false) {
			w = &mute{w, r, 2, givenUp}
		}
		now.Load().Handler().ServeHTTP(w, r)
	}))
	begin := func(id, state string) {
		o := newOps(func() string { return state })
		r := answered(page.Degraded, 80*ms)
		r.ID = id
		o.Served(r)
		if state != "serving" {
			o.InstanceMoved(state)
		}
		if before := now.Swap(o); before != nil {
			before.Close()
		}
	}
	begin("p-1", "serving")
	t.Cleanup(func() {
		now.Load().Close()
		server.CloseClientConnections()
		server.Close()
	})
	tab := b.Open(t, server.URL+"/ops", browsertest.View{})
	tab.Sees("#live", "Live")
	tab.Sees("#state", "Ready")
	tab.Sees("#filter", "Degraded 1")

	begin("p-2", "draining")
	tab.Sees("#live", "This instance has ended. Trying again")
	tab.Sees("#live", "Live")
	tab.Sees("#filter", "Degraded 1") // and not 2: what the one before told is gone
	tab.Sees("#state", "Draining")
	tab.Sees("#sublines", "It drains: not ready, still serving.")
	tab.Sees("#events", "Draining: no longer ready, and serving what still comes.")
	tab.Click("#pages button")
	tab.Sees("#detail-title", "p-2")
	tab.Press("#detail-close", browsertest.Escape)

	silent.Store(true)
	server.CloseClientConnections()
	select {
	case <-givenUp:
	case <-time.After(time.Minute):
		t.Fatal("it waits for a stream that has nothing more to say")
	}
	tab.Sees("#live", "Live")
}
