package sim

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// call asks a downstream once. The layers below are what tutorials put around it, a few lines each.
type call func(ctx context.Context, id string) error

var (
	errStatus   = errors.New("error")
	errRejected = errors.New("rejected")
	errOpen     = errors.New("breaker open")
)

// outcomeOf is the word for how a call ended.
func outcomeOf(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, errRejected), errors.Is(err, errOpen):
		return "refused"
	}
	return "error"
}

// get asks, and reads the answer to its end.
func get(ctx context.Context, client *http.Client, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp, err
}

// plain asks for id at url. Anything but a whole 200 is an error.
func plain(client *http.Client, url string) call {
	return func(ctx context.Context, id string) error {
		resp, err := get(ctx, client, url+id)
		if err == nil && resp.StatusCode != http.StatusOK {
			return errStatus
		}
		return err
	}
}

func withTimeout(d time.Duration, next call) call {
	return func(ctx context.Context, id string) error {
		ctx, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		return next(ctx, id)
	}
}

// withRetries tries so many times more, each after a fixed wait.
func withRetries(n int, wait time.Duration, next call) call {
	return func(ctx context.Context, id string) error {
		err := next(ctx, id)
		for range n {
			if err == nil || ctx.Err() != nil {
				break
			}
			time.Sleep(wait)
			err = next(ctx, id)
		}
		return err
	}
}

// withBulkhead refuses what would be one too many at once.
func withBulkhead(n int, next call) call {
	slots := make(chan struct{}, n)
	return func(ctx context.Context, id string) error {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
			return next(ctx, id)
		default:
			return errRejected
		}
	}
}

// withBreaker opens after so many failures in a row, refuses for a while, and then lets everybody through until the
// first has an answer.
func withBreaker(failures int, coolDown time.Duration, next call) call {
	var (
		mu        sync.Mutex
		inARow    int
		openUntil time.Time
	)
	return func(ctx context.Context, id string) error {
		mu.Lock()
		refused := time.Now().Before(openUntil)
		mu.Unlock()
		if refused {
			return errOpen
		}
		err := next(ctx, id)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil:
			inARow = 0
		case !time.Now().Before(openUntil):
			if inARow++; inARow >= failures {
				openUntil = time.Now().Add(coolDown)
			}
		}
		return err
	}
}
