package admission_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"example.com/bff/internal/admission"
	"example.com/bff/internal/page"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ms = time.Millisecond

// calm is a process that is never in distress.
func calm() time.Duration { return 0 }

// start makes an Admission that ends with the test.
func start(tb testing.TB, limit int, latency func() time.Duration) *admission.Admission {
	a := admission.New(admission.Options{Max: limit, Latency: latency})
	tb.Cleanup(a.Close)
	return a
}

// caller is one call of Admit, as it ended.
type caller struct {
	leave   func()
	waited  time.Duration
	refused page.ShedReason
	done    bool
}

// arrive calls Admit in a goroutine of its own, and returns when that has ended or waits.
func arrive(ctx context.Context, a *admission.Admission, p page.Priority) *caller {
	c := &caller{}
	go func() {
		c.leave, c.waited, c.refused = a.Admit(ctx, p)
		c.done = true
	}()
	synctest.Wait()
	return c
}

// fill takes every place there is.
func fill(t *testing.T, a *admission.Admission) (leaves []func()) {
	for a.InFlight() < a.Limit() {
		leave, _, refused := a.Admit(t.Context(), page.Critical)
		if refused != page.NotShed {
			t.Fatalf("refused: %v, with %d of %d in flight", refused, a.InFlight(), a.Limit())
		}
		leaves = append(leaves, leave)
	}
	return leaves
}

func (c *caller) want(t *testing.T, done bool, refused page.ShedReason, waited time.Duration) {
	t.Helper()
	if c.done != done || c.refused != refused || c.waited != waited {
		t.Errorf("done %v, refused %q, waited %v; want %v, %q, %v", c.done, c.refused, c.waited, done, refused, waited)
	}
}

func wantCounts(t *testing.T, a *admission.Admission, inFlight, queued int) {
	t.Helper()
	if a.InFlight() != inFlight || a.Queued() != queued {
		t.Errorf("%d in flight, %d queued; want %d, %d", a.InFlight(), a.Queued(), inFlight, queued)
	}
}
