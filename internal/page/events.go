package page

// BreakerState is what a downstream's breaker does with the next attempt. The zero value is StateClosed.
type BreakerState uint8

// The states of bff_breaker_state.
const (
	StateClosed      BreakerState = iota // lets it through
	StateOpen                            // refuses it
	StateHalfOpen                        // lets a few through, to see
	NumBreakerStates = 3
)

// String is the label that metrics and logs use.
func (s BreakerState) String() string {
	return [NumBreakerStates]string{"closed", "open", "half_open"}[s]
}

// MemoryOp is what was asked of the remembered price.
type MemoryOp uint8

// The operations of bff_price_memory_total.
const (
	MemoryGet MemoryOp = iota
	MemorySet
	NumMemoryOps = 2
)

// String is the label that metrics use.
func (o MemoryOp) String() string { return [NumMemoryOps]string{"get", "set"}[o] }
