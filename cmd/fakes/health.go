package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// patience is how long a probe waits, dialling included.
const patience = 2 * time.Second

// health asks the fakes that run with the same environment, for images that have neither a shell nor curl.
func health(p process, c *config) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+probeAddr(c.addr)+"/_stats", nil)
	if err != nil {
		return err
	}
	transport := &http.Transport{DisableKeepAlives: true} // and no proxy: they are on this machine
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("not well: %s", resp.Status)
	}
	fmt.Fprintln(p.stdout, "ready")
	return nil
}

// probeAddr is where something that listens at addr can be dialled on the same machine.
func probeAddr(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
