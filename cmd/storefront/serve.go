package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"example.com/bff/storefront"
)

const (
	headerTimeout = 5 * time.Second
	idleTimeout   = 60 * time.Second
	largestHeader = 32 << 10
	// drain is how long what is under way may take once the storefront is asked to end.
	drain = 5 * time.Second
	// probe is how long health waits, dialling included.
	probe = 2 * time.Second
)

// serve serves until ctx ends, then finishes what is under way.
func serve(ctx context.Context, c *config, stderr io.Writer) error {
	log := slog.New(slog.NewTextHandler(stderr, nil))
	shop, err := storefront.New(storefront.Options{BFF: c.bff, Fakes: c.fakes, Logger: log})
	if err != nil {
		return err
	}
	defer shop.Close()
	listener, err := net.Listen("tcp", c.addr)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: shop, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: largestHeader,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	log.Info("the storefront is open", "address", "http://"+listener.Addr().String())
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		return errors.Join(err, server.Close())
	}
	return nil
}

// health asks the running storefront, for images that have neither a shell nor curl.
func health(ctx context.Context, c *config, _ io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, probe)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+local(c.addr)+"/livez", nil)
	if err != nil {
		return err
	}
	res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req) // and no proxy: it is on this machine
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusNoContent {
		return errors.New("it answers " + res.Status)
	}
	return nil
}

// local is where one reaches from this machine what listens on addr.
func local(addr string) string {
	host, port, _ := net.SplitHostPort(addr) // load has looked at it
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}
