package chaos

import (
	"fmt"
	"sync/atomic"
	"testing"

	"example.com/bff/internal/redistest"
)

// databases are more than there are runs at once.
const databases = 1000

// store is a Redis with a database for each run, nil where none is installed: then runs do without.
type store struct {
	*redistest.Server
	last atomic.Int64
}

func openStore(t *testing.T) *store {
	if server := redistest.Start(t, "--databases", fmt.Sprint(databases)); server != nil {
		return &store{Server: server}
	}
	return nil
}

// lend is one run's Redis, behind a proxy. Call it outside of the bubble, and end once the bubble is over.
func (s *store) lend(t *testing.T) (redis *Redis, end func()) {
	db := s.last.Add(1) % databases
	forget := func() { s.Must(t, fmt.Sprintf("eval redis.call('select','%d')return(redis.call('flushdb')) 0", db)) }
	forget()
	proxy := redistest.StartProxy(t, s.Addr)
	befall := map[string]func(){
		"":                                      func() { proxy.Makes(redistest.Pass); proxy.Accept(t) },
		"answers nothing":                       func() { proxy.Makes(redistest.Silent) },
		"breaks off in the middle of an answer": func() { proxy.Makes(redistest.Cut) },
		"answers nonsense":                      func() { proxy.Makes(redistest.Garble) },
		"is down":                               proxy.Refuse,
		"has forgotten everything":              forget,
	}
	// Goroutines that begin in a bubble belong to it, and the proxy's must not.
	troubles, done := make(chan string), make(chan struct{})
	go func() {
		for trouble := range troubles {
			befall[trouble]()
			done <- struct{}{}
		}
	}()
	return &Redis{
		URL:    fmt.Sprintf("redis://%s/%d", proxy.Addr, db),
		Befall: func(trouble string) { troubles <- trouble; <-done },
	}, func() { close(troubles) }
}

func TestEveryTroubleOfRedisIsKnown(t *testing.T) {
	s := openStore(t)
	if s == nil {
		return
	}
	redis, end := s.lend(t)
	defer end()
	for _, trouble := range append(RedisTroubles, "") {
		redis.Befall(trouble)
	}
}
