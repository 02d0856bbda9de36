package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"syscall"
	"time"

	"example.com/bff/internal/handlers"
)

// ErrAborted is returned by Run when a second signal ended it before all was finished.
var ErrAborted = errors.New("a second signal ended it at once")

// grace is what requests in flight and the queue of prices to remember have to finish in, beyond the page's deadline.
const grace = 5 * time.Second

// server is one listener with what it serves.
type server struct {
	*http.Server
	setting string // what its address is set with
	listen  func(network, address string) (net.Listener, error)
}

// How many connections a listener keeps.
const (
	connectionsEach   = 4    // for each request that may be in flight: most of a pool's are idle
	fewestConnections = 4096 // however low that limit is: being refused takes a connection too
)

func (a *App) newServer(h http.Handler, setting, addr string, o Options) server {
	s := handlers.NewServer(h, a.cfg.Deadline, o.Logger)
	s.Addr = addr
	handlers.LimitConnections(s, max(connectionsEach*a.cfg.MaxInFlight, fewestConnections))
	return server{s, setting, o.Listen}
}

// Run listens on both addresses and serves until ctx ends or a signal comes. SIGTERM makes it unready at once and
// leaves it serving for BFF_DRAIN; SIGINT, and the end of ctx, skip that. Then what is in flight is finished. A second
// signal ends all at once: ErrAborted. The error is otherwise that of a listener.
func (a *App) Run(ctx context.Context, signals <-chan os.Signal) error {
	failed := make(chan error, 2)
	for _, s := range []server{a.admin, a.public} {
		l, err := s.listen("tcp", s.Addr)
		if err != nil {
			a.abort()
			return fmt.Errorf("cannot listen at %s=%s: %w", s.setting, s.Addr, err)
		}
		a.log.Info("listening", "address", l.Addr().String())
		go func() { failed <- s.Serve(l) }()
	}
	select {
	case err := <-failed:
		a.abort()
		return err
	case <-ctx.Done():
	case sig := <-signals:
		if sig == syscall.SIGTERM && !a.drain(ctx, signals) {
			return a.aborted()
		}
	}
	return a.finish(signals)
}

// drain goes on serving, unready. It is false when a second signal came.
func (a *App) drain(ctx context.Context, signals <-chan os.Signal) bool {
	a.log.Info("draining", "for", a.cfg.Drain.String())
	a.handlers.Drain()
	a.people.InstanceMoved(handlers.Draining.String())
	over := time.NewTimer(a.cfg.Drain)
	defer over.Stop()
	select {
	case <-over.C:
	case <-ctx.Done():
	case <-signals:
		return false
	}
	return true
}

// finish refuses what comes from now on, waits for what is in flight, and closes every part.
func (a *App) finish(signals <-chan os.Signal) error {
	a.handlers.Stop()
	a.people.InstanceMoved(handlers.Stopped.String())
	ctx, cancel := context.WithTimeout(context.Background(), a.cfg.Deadline+grace)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.public.end(ctx, a.log)
		a.close(ctx)
		a.admin.end(ctx, a.log)
	}()
	select {
	case <-done:
		a.log.Info("stopped")
		return nil
	case <-signals:
		cancel()
		return a.aborted()
	}
}

// end waits for the requests in flight, and cuts off those that have not ended by the end of ctx: of a client that does not
// send what it announced, or of a profile.
func (s server) end(ctx context.Context, log *slog.Logger) {
	if err := s.Shutdown(ctx); err != nil {
		log.Warn("cut off what was still in flight", "address", s.Addr, "error", err)
		_ = s.Close()
	}
}

func (a *App) aborted() error {
	a.abort()
	return ErrAborted
}

// abort cuts every connection and ends every part without waiting.
func (a *App) abort() {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	_, _ = a.public.Close(), a.admin.Close()
	a.close(now)
}

// close ends every part, once; who comes second waits for it.
func (a *App) close(ctx context.Context) {
	a.closed.Do(func() {
		for _, end := range slices.Backward(a.closers) {
			end(ctx)
		}
	})
}
