package page

import "time"

// OverrideMode is what an operator has the calls to one downstream do. The zero value is NotOverridden.
type OverrideMode uint8

// The modes, as bff_override_active tells them.
const (
	NotOverridden    OverrideMode = iota
	OverrideOpen                  // refused, as by an open breaker
	OverrideNoRetry               // one attempt each: no retry, no hedge
	NumOverrideModes = 3
)

// String is the word that operators and metrics use; empty for NotOverridden.
func (m OverrideMode) String() string { return [NumOverrideModes]string{"", "open", "no-retry"}[m] }

// Override is what holds for the calls to one downstream now. The zero value is nothing.
type Override struct {
	Mode OverrideMode
	Left time.Duration // until it ends by itself; over 0 unless nothing holds
}
