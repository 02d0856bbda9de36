package handlers_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/handlers"
	"example.com/bff/internal/page"
	"example.com/bff/internal/pipenet"
)

// fewConnections runs test against a server that keeps three connections.
func fewConnections(t *testing.T, test func(t *testing.T, e *edge, n *pipenet.Network)) {
	synctest.Test(t, func(t *testing.T) {
		n, e := pipenet.New(), newEdge()
		server := handlers.NewServer(e, 0, slog.New(slog.DiscardHandler))
		handlers.LimitConnections(server, 3)
		listener := n.Listen("bff:80")
		go func() { _ = server.Serve(listener) }()
		defer func() {
			_ = server.Close()
			time.Sleep(time.Second)
		}()
		test(t, e, n)
	})
}

// cut tells whether the server has closed a connection.
func cut(conn net.Conn) bool {
	synctest.Wait()
	_ = conn.SetReadDeadline(time.Now().Add(ms))
	_, err := conn.Read(make([]byte, 1))
	return err == io.EOF
}

func TestTheConnectionThatIsLongestWithoutARequestGivesWay(t *testing.T) {
	fewConnections(t, func(t *testing.T, _ *edge, n *pipenet.Network) {
		const whole, half = "GET /livez HTTP/1.1\r\nHost: bff\r\n\r\n", "GET /livez HTTP/1.1\r\nHost: "
		silent, slow, kept := dial(t, n), dial(t, n), dial(t, n)
		synctest.Wait() // each is accepted before the next is heard
		_, _ = io.WriteString(slow, half)
		_, _ = io.WriteString(silent, whole)
		_, _ = silent.Read(make([]byte, 4096))
		synctest.Wait() // which is now the last that had a request
		for i, loser := range []net.Conn{slow, kept, silent} {
			if newcomer := dial(t, n); !cut(loser) || cut(newcomer) {
				t.Errorf("newcomer %d: %v, and who should give way: %v", i, !cut(newcomer), cut(loser))
			}
		}
	})
}

func TestAConnectionWithARequestNeverGivesWay(t *testing.T) {
	for proto, newClient := range clients {
		fewConnections(t, func(t *testing.T, e *edge, n *pipenet.Network) {
			e.onPage = func(ctx context.Context, q *page.Query, _ *page.Record) (*page.Page, error) {
				time.Sleep(100 * ms)
				return full(q.ID), nil
			}
			answers := make(chan int, 3)
			for range cap(answers) {
				client := newClient(t, n)
				go func() {
					got, _ := ask(t, client, http.MethodGet, "/products/p", nil)
					answers <- got.StatusCode
				}()
			}
			synctest.Wait()
			for range 5 {
				if newcomer := dial(t, n); !cut(newcomer) {
					t.Errorf("%s: a fourth connection", proto)
				}
			}
			for range cap(answers) {
				if status := <-answers; status != http.StatusOK {
					t.Errorf("%s: %d", proto, status)
				}
			}
			synctest.Wait()
			if newcomer := dial(t, n); cut(newcomer) {
				t.Errorf("%s: nobody gives way, though none has a request", proto)
			}
		})
	}
}

func TestConnectionsThatEndMakeRoom(t *testing.T) {
	for proto, newClient := range clients {
		fewConnections(t, func(t *testing.T, _ *edge, n *pipenet.Network) {
			patient := dial(t, n)
			for range 10 {
				client := newClient(t, n)
				if got, _ := ask(t, client, http.MethodGet, "/products/p", nil); got.StatusCode != http.StatusOK {
					t.Errorf("%s: %d", proto, got.StatusCode)
				}
				client.CloseIdleConnections()
				synctest.Wait()
			}
			if cut(patient) {
				t.Errorf("%s: a connection had to give way to those that have ended", proto)
			}
		})
	}
}
