package pipenet_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/pipenet"
)

const addr = "price:80"

// pair is a connection and both its ends, which the test's end closes.
func pair(t *testing.T, n *pipenet.Network) (client, server *pipenet.Conn) {
	t.Helper()
	l := n.Listen(addr)
	defer l.Close()
	c, err := n.DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); s.Close() })
	return c.(*pipenet.Conn), s.(*pipenet.Conn)
}

func inBubble(t *testing.T, f func(t *testing.T, n *pipenet.Network)) {
	synctest.Test(t, func(t *testing.T) { f(t, pipenet.New()) })
}

func mustBe(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
	var op *net.OpError
	if err != io.EOF && !errors.As(err, &op) {
		t.Errorf("%s: %T is no *net.OpError", what, err)
	}
}

func TestCarriesEveryByteBothWays(t *testing.T) {
	inBubble(t, func(t *testing.T, n *pipenet.Network) {
		client, server := pair(t, n)
		up := bytes.Repeat([]byte("request "), 1<<15) // four times the buffer
		down := bytes.Repeat([]byte("answer. "), 1<<15)
		go func() { _, _ = client.Write(up); _ = client.Close() }()
		echoed := make(chan []byte)
		go func() { got, _ := io.ReadAll(server); echoed <- got }()
		if got := <-echoed; !bytes.Equal(got, up) {
			t.Errorf("%d bytes came up, want %d", len(got), len(up))
		}
		_, err := server.Write(down)
		mustBe(t, "writing to who has left", err, syscall.EPIPE)
	})
}

func TestBufferIsBounded(t *testing.T) {
	inBubble(t, func(t *testing.T, n *pipenet.Network) {
		client, server := pair(t, n)
		_ = client.SetWriteDeadline(time.Now().Add(time.Second))
		wrote, err := client.Write(make([]byte, 1<<20))
		mustBe(t, "nobody reads", err, os.ErrDeadlineExceeded)
		if wrote != 64<<10 {
			t.Errorf("%d bytes fitted, want 64 KiB", wrote)
		}
		_ = client.SetWriteDeadline(time.Time{})
		_ = client.Close()
		if got, err := io.ReadAll(server); len(got) != wrote || err != nil {
			t.Errorf("read %d bytes and %v, want the %d that fitted", len(got), err, wrote)
		}
	})
}

func TestWritesAreWhole(t *testing.T) {
	inBubble(t, func(t *testing.T, n *pipenet.Network) {
		client, server := pair(t, n)
		const each = 100 << 10 // does not fit
		go func() { _, _ = client.Write(bytes.Repeat([]byte("a"), each)) }()
		go func() { _, _ = client.Write(bytes.Repeat([]byte("b"), each)) }()
		got := make([]byte, 2*each)
		_ = server.SetReadDeadline(time.Now().Add(time.Second))
		if _, err := io.ReadFull(server, got); err != nil {
			t.Fatal(err)
		}
		changes := 0
		for i := 1; i < len(got); i++ {
			if got[i] != got[i-1] {
				changes++
			}
		}
		if changes != 1 {
			t.Errorf("two writes were mixed: %d changes, want 1", changes)
		}
	})
}

func TestReadDeadline(t *testing.T) {
	inBubble(t, func(t *testing.T, n *pipenet.Network) {
		client, server := pair(t, n)
		begin := time.Now()
		_ = client.SetReadDeadline(begin.Add(time.Minute))
		_ = client.SetReadDeadline(begin.Add(3 * time.Minute)) // the later call counts
		_, err := client.Read(make([]byte, 1))
		mustBe(t, "silence", err, os.ErrDeadlineExceeded)
		if took := time.Since(begin); took != 3*time.Minute {
			t.Errorf("waited %v, want 3m", took)
		}
		var timeout net.Error
		if !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("%v is no timeout", err)
		}

		_, _ = server.Write([]byte("x"))
		_, err = client.Read(make([]byte, 1))
		mustBe(t, "a deadline that has passed", err, os.ErrDeadlineExceeded)
		_ = client.SetDeadline(time.Time{})
		if _, err = client.Read(make([]byte, 1)); err != nil {
			t.Errorf("after the deadline was taken away: %v", err)
		}
	})
}

// The server's background read is ended like this.
func TestDeadlineInThePastWakesTheReader(t *testing.T) {
	inBubble(t, func(t *testing.T, n *pipenet.Network) {
		client, _ := pair(t, n)
		woke := make(chan error)
		go func() { _, err := client.Read(make([]byte, 1)); woke <- err }()
		synctest.Wait()
		_ = client.SetReadDeadline(time.Unix(1, 0))
		mustBe(t, "reader", <-woke, os.ErrDeadlineExceeded)
	})
}

func TestClose(t *testing.T) {
	inBubble(t, func(t *testing.T, n *pipenet.Network) {
		client, server := pair(t, n)
		_, _ = client.Write([]byte("last words"))
		woke := make(chan error)
		go func() { _, err := client.Read(make([]byte, 1)); woke <- err }()
		synctest.Wait()
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		mustBe(t, "own reader", <-woke, net.ErrClosed)
		mustBe(t, "second close", client.Close(), net.ErrClosed)
		mustBe(t, "deadline", client.SetDeadline(time.Now()), net.ErrClosed)
		_, err := client.Write([]byte("x"))
		mustBe(t, "own write", err, net.ErrClosed)

		got, err := io.ReadAll(server)
		if string(got) != "last words" || err != nil {
			t.Errorf("the peer read %q and %v", got, err)
		}
	})
}

func TestReset(t *testing.T) {
	for name, reset := range map[string]func(*pipenet.Conn){
		"Reset":     (*pipenet.Conn).Reset,
		"SetLinger": func(c *pipenet.Conn) { _ = c.SetLinger(0); _ = c.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, n *pipenet.Network) {
				client, server := pair(t, n)
				_, _ = server.Write([]byte("half"))
				reset(server)
				got, err := io.ReadAll(client)
				mustBe(t, "the peer's read", err, syscall.ECONNRESET)
				if string(got) != "half" {
					t.Errorf("the peer read %q before", got)
				}
				_, err = client.Write([]byte("x"))
				mustBe(t, "the peer's write", err, syscall.ECONNRESET)
				_, err = server.Read(make([]byte, 1))
				mustBe(t, "own read", err, net.ErrClosed)
			})
		})
	}
}

func TestResetWakesBlockedWriter(t *testing.T) {
	inBubble(t, func(t *testing.T, n *pipenet.Network) {
		client, server := pair(t, n)
		woke := make(chan error)
		go func() { _, err := client.Write(make([]byte, 1<<20)); woke <- err }()
		synctest.Wait()
		server.Reset()
		mustBe(t, "writer", <-woke, syscall.ECONNRESET)
	})
}

func TestAddressesTellBothEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, n *pipenet.Network) {
		client, server := pair(t, n)
		if client.RemoteAddr().String() != addr || server.LocalAddr().String() != addr {
			t.Errorf("dialled %v, accepted at %v", client.RemoteAddr(), server.LocalAddr())
		}
		host, _, err := net.SplitHostPort(server.RemoteAddr().String())
		if err != nil || net.ParseIP(host) == nil || server.RemoteAddr() != client.LocalAddr() {
			t.Errorf("the client is %v to itself and %v to the server", client.LocalAddr(), server.RemoteAddr())
		}
	})
}

func dial(ctx context.Context, n *pipenet.Network) error {
	c, err := n.DialContext(ctx, "tcp", addr)
	if err == nil {
		_ = c.Close()
	}
	return err
}
