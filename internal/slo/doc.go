// Package slo turns what happens into numbers that people can act on.
//
// It promises three things. Metrics are the series that dashboards rely on: all of them exist at zero from the
// start, and no input can add one. Objectives is the one table of what was promised and of which answers keep it. Ledger
// is the budget of this instance since it started, in bounded memory. The Prometheus rules are generated from the same
// table by package slo/rules.
//
// It is the only importer of the Prometheus client.
package slo
