package override

import (
	"log/slog"
	"testing"
	"time"

	"example.com/bff/internal/page"
)

// A process in distress runs its timers late. An order is over at its end all the same.
func TestAnOrderIsOverEvenWhenItsTimerIsLate(t *testing.T) {
	b := New(slog.New(slog.DiscardHandler), func(Move, View) {})
	over := time.Now().Add(-time.Millisecond)
	b.inForce[page.Stock].Store(&order{mode: page.OverrideOpen, until: over})
	b.inForce[shed].Store(&order{percent: 100, priority: page.Critical, until: over})
	if o := b.Downstream(page.Stock)(); o != (page.Override{}) {
		t.Errorf("%+v", o)
	}
	if b.Sheds(page.Background) || b.State() != (State{}) {
		t.Errorf("sheds, %+v", b.State())
	}
}
