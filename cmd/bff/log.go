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
// output may stand still: so nobody waits. What does not fit is lost and counted, and told of once there is room again.
type log struct {
	*slog.Logger
	lines chan []byte   // nil: all before it were written
	lost  atomic.Uint64 // since the start
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
	told := uint64(0)
	for line := range l.lines {
		if line == nil {
			return
		}
		if _, err := w.Write(line); err != nil { // as when a disk is full
			l.lost.Add(1)
			continue
		}
		if lost := l.lost.Load(); lost > told {
			direct.Warn("log lines were lost: standard output did not take them", "lines", lost-told)
			told = lost
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
