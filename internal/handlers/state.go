package handlers

// State is where the instance is in its life.
type State int32

// The states, in the order in which they come.
const (
	Serving  State = iota
	Draining       // not ready; still answers, and says with each answer that the connection closes
	Stopped        // refuses pages and offers
)

// String is the state in one word.
func (s State) String() string { return [...]string{"serving", "draining", "stopped"}[s] }

// State tells where the instance is in its life.
func (h *Handlers) State() State { return State(h.state.Load()) }

// Drain makes the instance unready at once. Pages and offers are served as before, until Stop.
func (h *Handlers) Drain() { h.state.CompareAndSwap(int32(Serving), int32(Draining)) }

// Stop ends the drain: whatever comes from now on is refused as shutting-down. What is in flight is finished.
func (h *Handlers) Stop() { h.state.Store(int32(Stopped)) }
