package main

import (
	"bytes"
	"io"
	"log/slog"
	"sync/atomic"
	"time"
)

const (
	queuedLines = 4096        // that may wait for a standard output that stands still
	lastLines   = time.Second // what it has at the end to take what still waits
)

// handler writes lines in the form that BFF_LOG asks for.
func handler(form string, w io.Writer) slog.Handler {
	if form == "text" {
		return slog.NewTextHandler(w, nil)
	}
	return slog.NewJSONHandler(w, nil)
}

// log is the lines on their way out. An answer is not on its way before its line is written, and whoever reads standard
// output may stand still: so nobody waits. What does not fit is lost, and how much is told once there is room again.
type log struct {
	*slog.Logger
	lines chan []byte // nil: all before it were written
	lost  atomic.Int64
	ended chan struct{}
}

func newLog(form string, w io.Writer) *log {
	l := &log{lines: make(chan []byte, queuedLines), ended: make(chan struct{})}
	l.Logger = slog.New(handler(form, l))
	go l.writeTo(w, slog.New(handler(form, w)))
	return l
}

// Write implements io.Writer for the handler, which uses line again.
func (l *log) Write(line []byte) (int, error) {
	select {
	case l.lines <- bytes.Clone(line):
	default:
		l.lost.Add(1)
	}
	return len(line), nil
}

func (l *log) writeTo(w io.Writer, direct *slog.Logger) {
	defer close(l.ended)
	for line := range l.lines {
		if line == nil {
			return
		}
		_, _ = w.Write(line)
		if lost := l.lost.Swap(0); lost > 0 {
			direct.Warn("log lines were lost: standard output stood still", "lines", lost)
		}
	}
}

// end writes what waits, unless standard output still stands still.
func (l *log) end() {
	over := time.After(lastLines)
	select {
	case l.lines <- nil:
	case <-over:
		return
	}
	select {
	case <-l.ended:
	case <-over:
	}
}
