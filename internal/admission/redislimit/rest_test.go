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

// tire asks until s asks no more.
func tire(t *testing.T, s *Store) (took time.Duration) {
	t.Helper()
	for start := time.Now(); ; {
		if _, err := ask(t.Context(), s); errors.Is(err, errResting) {
			return time.Since(start)
		} else if time.Since(start) > time.Second {
			t.Fatalf("asked for %v: %v", time.Since(start), err)
		}
	}
}

func TestASlowRedisCostsOneRequestASecondTenMilliseconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		redis := &stub{answer: slow}
		s := New(redis)
		if took := tire(t, s); took != hiccup+patience {
			t.Errorf("every request waited, for %v", took)
		}
		redis.asked = 0
		var cost time.Duration
		for range 100 * 10 {
			took, err := ask(t.Context(), s)
			if err == nil {
				t.Fatal("no error")
			}
			cost += took
			time.Sleep(10*time.Millisecond - took)
		}
		if redis.asked != 9 || cost != 90*time.Millisecond {
			t.Errorf("in 10 s it was asked %d times, which cost %v", redis.asked, cost)
		}
	})
}

// A busy process reads some answers late. That it is busy is no reason to let everybody pass.
func TestLateAnswersBetweenOthersLiftTheLimitForThoseAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		redis := &stub{}
		s := New(redis)
		passed := 0
		for i := range 1000 {
			if redis.answer = well; i%10 < 9 {
				redis.answer = slow
			}
			if _, err := ask(t.Context(), s); err != nil {
				passed++
			}
		}
		if redis.asked != 1000 || passed != 900 {
			t.Errorf("of a thousand, %d were asked for, and %d passed without an answer", redis.asked, passed)
		}
	})
}

func TestOneRequestFindsOutThatRedisIsWellAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		redis := &stub{answer: slow}
		s := New(redis)
		tire(t, s)

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
		s := New(redis)
		for range 2 * hiccup / time.Millisecond {
			gone, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			if took, err := ask(gone, s); err == nil || took != time.Millisecond {
				t.Errorf("%v after %v", err, took)
			}
			cancel()
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
				s := New(&stub{answer: func(context.Context) (any, error) { return answer, nil }})
				if rate, err := s.Take(t.Context(), "a", perSecond); err == nil || rate != (page.Rate{}) {
					t.Errorf("%+v, %v", rate, err)
				}
				time.Sleep(hiccup)
				_, _ = ask(t.Context(), s)
				if _, err := ask(t.Context(), s); !errors.Is(err, errResting) {
					t.Error(err)
				}
			})
		})
	}
}
