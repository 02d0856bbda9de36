package ops

import (
	"fmt"
	"time"
)

// Override is what an operator has this instance do for a while.
type Override struct {
	Target   string `json:"target"`   // a downstream, or "shed"
	Mode     string `json:"mode"`     // of a downstream: "open" or "no-retry"
	Percent  uint64 `json:"percent"`  // of requests to shed
	Priority string `json:"priority"` // theirs, at most
	Reason   string `json:"reason"`   // the operator's own words
	LeftMs   int64  `json:"leftMs"`
}

// means is what holds while it is in force, and once it no longer is.
func (v Override) means() (during, after string) {
	switch {
	case v.Percent > 0:
		return fmt.Sprintf("%d %% of the requests of priority %s and below are refused", v.Percent, v.Priority), "requests are let in as usual again"
	case v.Mode == "open":
		return v.Target + " is not asked", v.Target + " is asked as usual again"
	default:
		return v.Target + " is asked without retry or hedge", v.Target + " is asked as usual again"
	}
}

// OverrideMoved enters that an override was set, was taken back, or is over; became says which in these words.
func (o *Ops) OverrideMoved(became string, v Override) {
	now := time.Now()
	during, after := v.means()
	tone, text := good, "Override "+became+": "+after+"."
	if became == "set" {
		left := (time.Duration(v.LeftMs) * time.Millisecond).Round(time.Second)
		tone, text = warn, fmt.Sprintf("Override set, for %s: %s. Reason: %s", left, during, v.Reason)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.note(event{now, aboutOverride, tone, text})
}
