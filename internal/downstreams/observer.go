package downstreams

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"example.com/bff/internal/page"
)

// Observer is told once of each event, as it happens. Its methods must not block; a panic in one is logged and harms
// no call.
type Observer interface {
	Attempted(page.Dependency, page.Attempt)         // an exchange has ended
	BreakerMoved(page.Dependency, page.BreakerState) // a breaker has changed its state, to this one
	Coalesced(page.Dependency)                       // a call joined one that another page had begun
}

// witness tells the observer and the log, for one downstream. Either may be nil.
type witness struct {
	dependency page.Dependency
	observer   Observer
	log        *slog.Logger
}

func (w witness) attempted(a page.Attempt) {
	if w.observer != nil {
		defer func() { w.caught(recover()) }()
		w.observer.Attempted(w.dependency, a)
	}
}

func (w witness) breakerMoved(to page.BreakerState) {
	if w.observer != nil {
		defer func() { w.caught(recover()) }()
		w.observer.BreakerMoved(w.dependency, to)
	}
}

func (w witness) coalesced() {
	if w.observer != nil {
		defer func() { w.caught(recover()) }()
		w.observer.Coalesced(w.dependency)
	}
}

// caught logs what was recovered from a panic: a defect of ours, which must not stay unseen.
func (w witness) caught(panicked any) {
	if panicked != nil && w.log != nil {
		w.log.Error("a downstream's call panicked", "downstream", w.dependency.String(),
			"panic", fmt.Sprint(panicked), "stack", string(debug.Stack()))
	}
}

// untraced begins no span.
func untraced(ctx context.Context, _ page.AttemptKind) (context.Context, func(page.Outcome)) {
	return ctx, func(page.Outcome) {}
}
