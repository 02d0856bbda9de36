package app

import (
	"bytes"
	"strings"

	"example.com/bff/internal/ops"
	"example.com/bff/internal/slo"
)

// pageForPeople is /ops, before it is connected with the parts that it asks.
func (a *App) pageForPeople(o Options, ledger *slo.Ledger) *ops.Ops {
	var lines bytes.Buffer
	_ = a.cfg.Print(&lines) // a buffer takes everything
	return ops.New(ops.Options{
		Version: o.Version, Revision: o.Revision,
		Config:     strings.Split(strings.TrimSpace(lines.String()), "\n"),
		Deadline:   a.cfg.Deadline,
		State:      func() string { return a.handlers.State().String() },
		Objectives: ledger.Report,
	})
}
