package override

import "time"

// View is an override as it is told.
type View struct {
	Target   string    `json:"target"`             // a downstream, or "shed"
	Mode     string    `json:"mode,omitempty"`     // of a downstream
	Percent  uint64    `json:"percent,omitempty"`  // of requests to shed
	Priority string    `json:"priority,omitempty"` // theirs, at most
	Reason   string    `json:"reason"`             // the operator's own words
	Until    time.Time `json:"until"`
	LeftMs   int64     `json:"leftMs"`
}

func (o *order) view(t target) View {
	v := View{
		Target: t.String(), Mode: o.mode.String(), Reason: o.reason,
		Until: o.until.UTC().Truncate(time.Millisecond), LeftMs: o.left().Milliseconds(),
	}
	if t == shed {
		v.Percent, v.Priority = o.percent, o.priority.String()
	}
	return v
}

// InForce lists what is in force: the downstreams' in their order, then shedding's.
func (b *Board) InForce() []View {
	all := []View{}
	for t := range target(numTargets) {
		if o := b.inForce[t].Load(); o != nil && o.left() > 0 {
			all = append(all, o.view(t))
		}
	}
	return all
}

// Move is what became of an override.
type Move uint8

// The moves.
const (
	Set Move = iota
	TakenBack
	Over // by itself
	numMoves
)

func (m Move) String() string { return [numMoves]string{"set", "taken back", "is over"}[m] }
