package world

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/app"
	"example.com/bff/internal/config"
)

// Instance is one instance of the service outside of a bubble, on sockets of this machine.
type Instance struct {
	Admin, Public string // host:port
	End           func() // ends it, as the end of the test does
}

// Before is the environment of an Instance with free ports of its own, before fakes at a URL.
func Before(downstreams string) []string {
	env := []string{"BFF_ADDR=127.0.0.1:0", "BFF_ADMIN_ADDR=127.0.0.1:0"}
	for _, name := range fakes.Names() {
		env = append(env, "BFF_"+strings.ToUpper(name)+"_URL="+downstreams+"/"+name+"/{id}")
	}
	return env
}

// Loopback starts an Instance. Of o, only its Logger and what it is called count.
func Loopback(t testing.TB, env []string, o app.Options) *Instance {
	t.Helper()
	cfg, err := config.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	listening := make(chan string, 2)
	o.Latency = func() time.Duration { return 0 } // a busy machine must not look like distress
	o.Listen = func(network, address string) (net.Listener, error) {
		l, err := net.Listen(network, address)
		if err == nil {
			listening <- l.Addr().String()
		}
		return l, err
	}
	service, err := app.New(cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx, nil) }()
	in := &Instance{End: sync.OnceFunc(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the instance ended with: %v", err)
		}
	})}
	t.Cleanup(in.End)
	for _, address := range []*string{&in.Admin, &in.Public} { // the order in which Run listens
		select {
		case *address = <-listening:
		case err := <-ended:
			ended <- err
			t.FailNow()
		}
	}
	return in
}
