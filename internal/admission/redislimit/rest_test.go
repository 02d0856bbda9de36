package redislimit

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/admission"
	"example.com/bff/internal/page"
)

var perSecond = admission.Allowance{PerSecond: 1, Burst: 2}

// ask takes a token, and tells how long that took.
func ask(ctx context.Context, s *Store) (time.Duration, error) {
	start := time.Now()
	_, err := s.Take(ctx, "a", perSecond)
	return time.Since(start), err
}

func TestASlowRedisCostsOneRequestASecondTenMilliseconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		redis := &stub{answer: slow}
		s := newStore(t, redis)
		var cost time.Duration
		for range 100 * 10 {
			took, err := ask(t.Context(), s)
			if err == nil {
				t.Fatal("no error")
			}
			cost += took
			time.Sleep(10*time.Millisecond - took)
		}
		if redis.asked != 10 || cost != 100*time.Millisecond {
			t.Errorf("in 10 s it was asked %d times, which cost %v", redis.asked, cost)
		}
	})
}

func TestOneRequestFindsOutThatRedisIsWellAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		redis := &stub{answer: slow}
		s := newStore(t, redis)
		_, _ = ask(t.Context(), s)

		var wg sync.WaitGroup
		together := func(n int) {
			for range n {
				wg.Go(func() { _, _ = ask(t.Context(), s) })
			}
			wg.Wait()
		}
		redis.asked = 0
		together(20)
		if redis.asked != 0 {
			t.Errorf("asked %d times while it rests", redis.asked)
		}
		time.Sleep(coolDown)
		together(20)
		if redis.asked != 1 {
			t.Errorf("asked %d times after the rest, want 1", redis.asked)
		}
		redis.answer = well
		time.Sleep(coolDown)
		if _, err := ask(t.Context(), s); err != nil {
			t.Error(err)
		}
		redis.asked = 0
		for range 20 {
			if _, err := ask(t.Context(), s); err != nil {
				t.Error(err)
			}
		}
		if redis.asked != 20 {
			t.Errorf("asked %d times, want 20", redis.asked)
		}
	})
}

func TestAClientThatLeavesDoesNotPutRedisToRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		redis := &stub{answer: slow}
		s := newStore(t, redis)
		gone, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if took, err := ask(gone, s); err == nil || took != time.Millisecond {
			t.Errorf("%v after %v", err, took)
		}
		redis.answer = well
		if _, err := ask(t.Context(), s); err != nil {
			t.Error(err)
		}
	})
}

func TestWhatIsNoAnswerIsAFailure(t *testing.T) {
	for name, answer := range map[string]any{
		"no list": "OK", "nothing": []any{}, "one": []any{int64(1)}, "three": []any{int64(1), "1", "1"},
		"no number": []any{"x", "1"}, "no text": []any{int64(1), int64(1)}, "no digits": []any{int64(1), "x"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStore(t, &stub{answer: func(context.Context) (any, error) { return answer, nil }})
				if rate, err := s.Take(t.Context(), "a", perSecond); err == nil || rate != (page.Rate{}) {
					t.Errorf("%+v, %v", rate, err)
				}
				if _, err := ask(t.Context(), s); !errors.Is(err, errResting) {
					t.Error(err)
				}
			})
		})
	}
}
