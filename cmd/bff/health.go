package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"example.com/bff/internal/config"
)

// patience is how long a probe waits, dialling included.
const patience = 2 * time.Second

// health asks /readyz, for images that have neither a shell nor curl.
func health(p process) int {
	addr, err := config.ProbeAddr(p.environ)
	if err != nil {
		return mistaken(p, err)
	}
	transport := &http.Transport{DisableKeepAlives: true} // and no proxy: the service is on this machine
	if err := ready(transport, addr); err != nil {
		return outcome(p, err)
	}
	fmt.Fprintln(p.stdout, "ready")
	return ok
}

func ready(transport http.RoundTripper, addr string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", nil)
	if err != nil {
		return err
	}
	resp, err := transport.RoundTrip(req)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no answer from %s within %s", addr, patience)
	case err != nil:
		return fmt.Errorf("no answer from %s: %w", addr, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s is not ready: it answers %s", addr, resp.Status)
	}
	return nil
}
