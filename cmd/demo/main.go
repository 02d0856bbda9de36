// Command demo is the whole story in one process: five fake downstreams, the service and the storefront, on loopback,
// with the remembered prices in memory. It needs neither Redis nor Docker. BFF_ names in the environment hold here too.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/app"
	"example.com/bff/storefront"
)

// Where things are, unless the environment says otherwise.
var usual = map[string]string{
	"BFF_ADDR":        "127.0.0.1:8080",
	"BFF_ADMIN_ADDR":  "127.0.0.1:9090",
	"BFF_DRAIN":       "0s",
	"BFF_LOG":         "text",
	"BFF_LOG_SAMPLE":  "0",
	"STOREFRONT_ADDR": "127.0.0.1:8000",
	"FAKES_ADDR":      "127.0.0.1:9000",
}

func main() {
	if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "usage: demo; FAKES_ADDR, STOREFRONT_ADDR, BFF_ADDR and BFF_ADMIN_ADDR move it, and every BFF_ name holds")
		os.Exit(2)
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	if err := run(os.Environ(), os.Stdout, os.Stderr, signals); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// run serves until a signal ends it.
func run(environ []string, stdout, stderr io.Writer, signals <-chan os.Signal) error {
	env := environment(environ)
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	fakesAt, stopFakes, err := serve(env, "FAKES_ADDR", fakes.New(fakes.Options{}))
	if err != nil {
		return err
	}
	defer stopFakes()

	cfg, err := app.Load(serviceEnviron(env, fakesAt))
	if err != nil {
		return err
	}
	at := make(chan string, 2)
	service, err := app.New(cfg, app.Options{
		Logger: log,
		Listen: func(network, addr string) (net.Listener, error) {
			l, err := net.Listen(network, addr)
			if err == nil {
				at <- l.Addr().String()
			}
			return l, err
		},
	})
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(context.Background())
	defer end()
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx, signals) }()
	var admin, public string
	for _, addr := range []*string{&admin, &public} { // the order in which Run listens
		select {
		case *addr = <-at:
		case err := <-ended:
			return err
		}
	}
	shop, stopShop, err := openShop(env, public, fakesAt, log)
	if err != nil {
		end()
		return errors.Join(err, <-ended)
	}
	defer stopShop()
	greet(stdout, public, shop, admin, fakesAt)
	return <-ended
}

// environment is the usual one with what the caller's has set.
func environment(environ []string) map[string]string {
	env := maps.Clone(usual)
	for _, entry := range environ {
		if name, value, _ := strings.Cut(entry, "="); value != "" {
			env[name] = value
		}
	}
	return env
}

// serviceEnviron is what the service is configured with: its five URLs lead to the fakes.
func serviceEnviron(env map[string]string, fakesAt string) []string {
	for _, name := range fakes.Names() {
		if key := "BFF_" + strings.ToUpper(name) + "_URL"; env[key] == "" {
			env[key] = "http://" + fakesAt + "/" + name + "/{id}"
		}
	}
	var environ []string
	for name, value := range env {
		if strings.HasPrefix(name, "BFF_") || strings.HasPrefix(name, "OTEL_") {
			environ = append(environ, name+"="+value)
		}
	}
	return environ
}

func openShop(env map[string]string, public, fakesAt string, log *slog.Logger) (at string, stop func(), err error) {
	each := map[string]*url.URL{}
	for _, name := range fakes.Names() {
		each[name] = &url.URL{Scheme: "http", Host: fakesAt}
	}
	shop, err := storefront.New(storefront.Options{BFF: &url.URL{Scheme: "http", Host: public}, Fakes: each, Logger: log})
	if err != nil {
		return "", nil, err
	}
	at, stopServer, err := serve(env, "STOREFRONT_ADDR", shop)
	return at, func() { stopServer(); shop.Close() }, err
}

// serve listens where setting says and returns where that is.
func serve(env map[string]string, setting string, h http.Handler) (at string, stop func(), err error) {
	l, err := net.Listen("tcp", env[setting])
	if err != nil {
		return "", func() {}, fmt.Errorf("cannot listen at %s=%s: %w", setting, env[setting], err)
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 5 * time.Minute}
	go server.Serve(l)
	return l.Addr().String(), func() { server.Close() }, nil
}

func greet(w io.Writer, public, shop, admin, fakesAt string) {
	fmt.Fprintf(w, `The product page, with everything it needs, in one process.

  storefront   http://%[2]s/
  service      http://%[1]s/products/p-1001
  operators    http://%[3]s/ops    also /slo and /metrics
  downstreams  http://%[4]s/_stats

Three things to try, in another terminal:

  1. A healthy page:
       curl -i http://%[1]s/products/p-1001

  2. Recommendations that take 8 s. The page is there within its deadline, degraded:
       curl -X PUT http://%[4]s/_fault/recommendations -d '{"latencyMs": 8000}'
       curl -i http://%[1]s/products/p-1001
       curl -X DELETE http://%[4]s/_fault/recommendations

  3. Price down. The page shows the last known price, for display only; the offer is refused:
       curl -X PUT http://%[4]s/_fault/price -d '{"status": 503}'
       curl -i http://%[1]s/products/p-1001
       curl -i http://%[1]s/products/p-1001/offer
       curl -X DELETE http://%[4]s/_fault/price

Ctrl-C ends it all. Below: the log, a line for each page that is not whole.
`, public, shop, admin, fakesAt)
}
