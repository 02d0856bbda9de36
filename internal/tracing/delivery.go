package tracing

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

const (
	tellEvery  = time.Minute
	maxMistake = 300 // bytes of what went wrong: a collector may answer anything
)

// delivery is an exporter that can be told to give up, and that tells the log of what is lost instead of OpenTelemetry's
// global handler.
type delivery struct {
	exporter sdktrace.SpanExporter
	log      *slog.Logger

	open   context.Context // ends when Close gives up
	giveUp context.CancelFunc
	ended  chan struct{} // closed when nothing is sent any more

	mu   sync.Mutex
	lost int // spans that the log was not told of yet
	why  string
	told time.Time
}

func newDelivery(e sdktrace.SpanExporter, log *slog.Logger) *delivery {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	d := &delivery{exporter: e, log: log, ended: make(chan struct{})}
	d.open, d.giveUp = context.WithCancel(context.Background())
	return d
}

// ExportSpans implements sdktrace.SpanExporter. It has no error that would not be in the log.
func (d *delivery) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.open, cancel)()
	if err := d.exporter.ExportSpans(ctx, spans); err != nil {
		d.missed(len(spans), err)
	}
	return nil
}

// Shutdown implements sdktrace.SpanExporter. It is called once, when the last batch has been sent or given up.
func (d *delivery) Shutdown(ctx context.Context) error {
	defer close(d.ended)
	return d.exporter.Shutdown(ctx)
}

// close returns when nothing is sent any more: at once, for what is under way is given up.
func (d *delivery) close() {
	d.giveUp()
	<-d.ended
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost > 0 {
		d.tell()
	}
}

func (d *delivery) missed(spans int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text := err.Error()
	d.lost, d.why = d.lost+spans, strconv.QuoteToASCII(text[:min(len(text), maxMistake)])
	if now := time.Now(); d.told.IsZero() || now.Sub(d.told) >= tellEvery {
		d.told = now
		d.tell()
	}
}

// tell is called with mu held.
func (d *delivery) tell() {
	d.log.Warn("spans were not delivered", "spans", d.lost, "error", d.why)
	d.lost = 0
}
