package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// farewell is how long requests that are being answered get when the program ends.
const farewell = 2 * time.Second

// serve runs the fakes until a signal ends them.
func serve(p process, c *config) error {
	handler, err := c.server()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", c.addr)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       5 * time.Minute, // longer than a caller keeps them: who closes first never meets a new request
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(p.stderr, "fakes: ", 0),
	}
	served := slices.Sorted(maps.Keys(handler.Stats()))
	fmt.Fprintf(p.stdout, "fakes: %s on http://%s\n", strings.Join(served, ", "), l.Addr())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-p.signals:
	}
	for _, name := range served {
		_ = handler.Clear(name) // so that what hangs ends
	}
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return server.Close()
}
