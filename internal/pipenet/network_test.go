package pipenet_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/pipenet"
)

func TestDialIsRefusedWhereNobodyListens(t *testing.T) {
	inBubble(t, func(t *testing.T, n *pipenet.Network) {
		mustBe(t, "nobody yet", dial(t.Context(), n), syscall.ECONNREFUSED)
		l := n.Listen(addr)
		if err := dial(t.Context(), n); err != nil {
			t.Errorf("while somebody listens: %v", err)
		}
		accepting := make(chan error)
		go func() {
			var err error
			for err == nil {
				var c net.Conn
				if c, err = l.Accept(); err == nil {
					_ = c.Close()
				}
			}
			accepting <- err
		}()
		synctest.Wait()
		_ = l.Close()
		mustBe(t, "the acceptor", <-accepting, net.ErrClosed)
		mustBe(t, "second close", l.Close(), net.ErrClosed)
		mustBe(t, "nobody any more", dial(t.Context(), n), syscall.ECONNREFUSED)
		_ = n.Listen(addr).Close() // a restart finds the address free
	})
}

func TestClosingTheListenerResetsTheBacklog(t *testing.T) {
	inBubble(t, func(t *testing.T, n *pipenet.Network) {
		l := n.Listen(addr)
		c, err := n.DialContext(t.Context(), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		_ = l.Close()
		_, err = c.Read(make([]byte, 1))
		mustBe(t, "never accepted", err, syscall.ECONNRESET)
		_ = c.Close()
		if open := n.Open(addr); open != 0 {
			t.Errorf("%d left open", open)
		}
	})
}

func TestListenTwicePanics(t *testing.T) {
	inBubble(t, func(t *testing.T, n *pipenet.Network) {
		defer n.Listen(addr).Close()
		defer func() {
			if told, _ := recover().(string); !strings.Contains(told, addr) {
				t.Errorf("panic %q does not name the address", told)
			}
		}()
		n.Listen(addr)
	})
}

func TestDialFaults(t *testing.T) {
	for name, c := range map[string]struct {
		fault   pipenet.Fault
		timeout time.Duration
		want    error
		after   time.Duration
	}{
		"none":            {pipenet.Fault{}, time.Second, nil, 0},
		"refuse":          {pipenet.Fault{Refuse: true}, time.Second, syscall.ECONNREFUSED, 0},
		"hang":            {pipenet.Fault{Hang: true}, time.Second, context.DeadlineExceeded, time.Second},
		"hang, patiently": {pipenet.Fault{Hang: true}, time.Hour, syscall.ETIMEDOUT, 127 * time.Second},
		"latency":         {pipenet.Fault{Latency: 30 * time.Millisecond}, time.Second, nil, 30 * time.Millisecond},
		"too slow":        {pipenet.Fault{Latency: time.Hour}, time.Second, context.DeadlineExceeded, time.Second},
		"late refusal":    {pipenet.Fault{Refuse: true, Latency: time.Second}, time.Hour, syscall.ECONNREFUSED, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, n *pipenet.Network) {
				defer n.Listen(addr).Close()
				n.SetFault(addr, c.fault)
				ctx, cancel := context.WithTimeout(t.Context(), c.timeout)
				defer cancel()
				begin := time.Now()
				err := dial(ctx, n)
				if !errors.Is(err, c.want) {
					t.Errorf("dial: %v, want %v", err, c.want)
				}
				if took := time.Since(begin); took != c.after {
					t.Errorf("took %v, want %v", took, c.after)
				}
				n.SetFault(addr, pipenet.Fault{})
				if err := dial(t.Context(), n); err != nil {
					t.Errorf("after the fault: %v", err)
				}
			})
		})
	}
}

func TestResetOfAnAddress(t *testing.T) {
	inBubble(t, func(t *testing.T, n *pipenet.Network) {
		client, server := pair(t, n)
		other := n.Listen("stock:80")
		defer other.Close()
		bystander, _ := n.DialContext(t.Context(), "tcp", "stock:80")
		defer bystander.Close()

		n.Reset(addr)
		for end, c := range map[string]net.Conn{"client": client, "server": server} {
			_, err := c.Read(make([]byte, 1))
			mustBe(t, end, err, syscall.ECONNRESET)
		}
		if _, err := bystander.Write([]byte("x")); err != nil {
			t.Errorf("another address was harmed: %v", err)
		}
		if open := n.Open(addr); open != 1 {
			t.Errorf("Open is %d before anybody closed the broken connection, want 1", open)
		}
	})
}

func TestOpenCountsUntilBothEndsAreClosed(t *testing.T) {
	inBubble(t, func(t *testing.T, n *pipenet.Network) {
		client, server := pair(t, n)
		for _, step := range []struct {
			do   func() error
			want int
		}{{func() error { return nil }, 1}, {server.Close, 1}, {client.Close, 0}} {
			if _ = step.do(); n.Open(addr) != step.want {
				t.Errorf("Open is %d, want %d", n.Open(addr), step.want)
			}
		}
	})
}

// Ten pages of five calls each need as many connections as there were calls at once, not as there were calls.
func TestHTTPReusesConnections(t *testing.T) {
	inBubble(t, func(t *testing.T, n *pipenet.Network) {
		server := n.Serve(t, addr, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(20 * time.Millisecond)
			_, _ = io.WriteString(w, r.URL.Path)
		}))
		client := n.Client(t)
		client.Transport.(*http.Transport).MaxIdleConnsPerHost = 5
		for range 10 {
			var group sync.WaitGroup
			for range 5 {
				group.Go(func() { get(t, client, "http://price/p-1") })
			}
			group.Wait()
			synctest.Wait()
		}
		if n.Dials(addr) != 5 || n.Open(addr) != 5 {
			t.Errorf("%d dials, %d open, want 5 of each", n.Dials(addr), n.Open(addr))
		}
		_ = server.Close()
		synctest.Wait()
		if n.Open(addr) != 0 {
			t.Errorf("%d open after the server has gone", n.Open(addr))
		}
	})
}

func get(t *testing.T, client *http.Client, url string) {
	t.Helper()
	resp, err := client.Get(url)
	if err != nil {
		t.Error(err)
		return
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); string(body) != "/p-1" || err != nil {
		t.Errorf("read %q and %v", body, err)
	}
}

func TestServerSeesTheCallerLeave(t *testing.T) {
	inBubble(t, func(t *testing.T, n *pipenet.Network) {
		left := make(chan time.Duration, 1)
		n.Serve(t, addr, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			begin := time.Now()
			<-r.Context().Done()
			left <- time.Since(begin)
		}))
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		req, _ := http.NewRequestWithContext(ctx, "GET", "http://price/", nil)
		if resp, err := n.Client(t).Do(req); err == nil {
			resp.Body.Close()
			t.Error("an answer came")
		}
		if took := <-left; took != 100*time.Millisecond {
			t.Errorf("the server noticed after %v, want 100ms", took)
		}
	})
}
