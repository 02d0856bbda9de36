// Command storefront serves the shop window of package storefront. Its environment, all of it:
//
//	STOREFRONT_ADDR       where it listens; 127.0.0.1:8000 if not set
//	STOREFRONT_BFF        the address of the service, like http://bff:8080
//	STOREFRONT_X_FAKE     the address of each fake, X being CATALOG, PRICE, STOCK, REVIEWS and RECOMMENDATIONS
//
// `storefront` serves until SIGTERM or SIGINT; `storefront health` asks the running one whether it is there. The exit
// code is 2 for a mistake in the arguments or the environment, all of which are told at once.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// The exit codes.
const (
	ok     = 0
	failed = 1
	usage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	code := run(ctx, os.Args[1:], os.Environ(), os.Stderr)
	stop()
	os.Exit(code)
}

// run obeys one command and returns the exit code. Serving ends with ctx.
func run(ctx context.Context, args, environ []string, stderr io.Writer) int {
	command := "serve"
	if len(args) == 1 {
		command = args[0]
	}
	obey, known := map[string]func(context.Context, *config, io.Writer) error{"serve": serve, "health": health}[command]
	if len(args) > 1 || !known {
		fmt.Fprintln(stderr, "usage: storefront [serve | health]")
		return usage
	}
	c, err := load(environ)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return usage
	}
	if err := obey(ctx, c, stderr); err != nil {
		fmt.Fprintln(stderr, "storefront:", err)
		return failed
	}
	return ok
}
