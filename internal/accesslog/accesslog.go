// Package accesslog writes one line for each page or offer, once it has been answered.
//
// It promises that a line is one line whatever the request said, that its length is bounded, and that every answer that
// was not whole is written. Of those that were, it writes a share, chosen by the request id, so that all who choose by it
// choose the same requests.
package accesslog

import (
	"context"
	"log/slog"

	"example.com/bff/internal/page"
)

// Log writes to one logger. Its methods may be called from any goroutine.
type Log struct {
	logger *slog.Logger
	share  float64
}

// New writes to logger. share, 0 to 1, is how much of the whole answers is written.
func New(logger *slog.Logger, share float64) *Log { return &Log{logger, share} }

// whole are the answers of which a share is enough; all others are always written.
var whole = [page.NumResults]bool{page.Full: true, page.NotModified: true, page.NotFound: true}

// levels are Info where the table says nothing.
var levels = [page.NumResults]slog.Level{
	page.Degraded:    slog.LevelWarn,
	page.Unavailable: slog.LevelWarn,
	page.Shed:        slog.LevelWarn,
	page.Internal:    slog.LevelError,
}

// Served writes the line, or leaves it out.
func (l *Log) Served(r *page.Record) {
	ctx, level := context.Background(), levels[r.Result]
	if !l.logger.Enabled(ctx, level) || (whole[r.Result] && !chosen(r.RequestID, l.share)) {
		return
	}
	l.logger.LogAttrs(ctx, level, r.Resource.String(), attributes(r)...)
}

// chosen is true for that share of request ids, the same on every instance.
func chosen(requestID string, share float64) bool {
	const bits = 53 // what a float64 holds exactly
	return float64(hash(requestID)>>(64-bits))/(1<<bits) < share
}

// hash is FNV-1a, its bits spread once more: ids that differ in their last character alone fall far apart.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	return h ^ h>>33
}
