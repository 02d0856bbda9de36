package admission

import (
	"container/list"
	"time"

	"example.com/bff/internal/page"
)

// waiter is one caller in the queue.
type waiter struct {
	priority page.Priority
	until    time.Time            // later there is no use in admitting it
	late     page.ShedReason      // what it is refused with then
	told     chan page.ShedReason // holds one: NotShed admits
	position *list.Element        // nil once it has left the queue
}

// queue holds the waiters of each priority in order of arrival. Whoever owns it guards it; each operation takes constant
// time and never blocks. The zero value is empty.
type queue struct {
	lines  [page.NumPriorities]list.List
	length int
}

func (q *queue) join(p page.Priority, until time.Time, late page.ShedReason) *waiter {
	w := &waiter{priority: p, until: until, late: late, told: make(chan page.ShedReason, 1)}
	w.position = q.lines[p].PushBack(w)
	q.length++
	return w
}

// first is the oldest of the highest priority, nil when nobody waits.
func (q *queue) first() *waiter {
	for p := len(q.lines) - 1; p >= 0; p-- {
		if e := q.lines[p].Front(); e != nil {
			return e.Value.(*waiter)
		}
	}
	return nil
}

// displace refuses the youngest of the lowest priority below p. It is false when there is none.
func (q *queue) displace(p page.Priority) bool {
	for below := range p {
		if e := q.lines[below].Back(); e != nil {
			q.tell(e.Value.(*waiter), page.ShedFull)
			return true
		}
	}
	return false
}

// tell takes w out of the queue and lets it know.
func (q *queue) tell(w *waiter, r page.ShedReason) {
	q.remove(w)
	w.told <- r
}

// remove is false when w has left the queue already.
func (q *queue) remove(w *waiter) bool {
	if w.position == nil {
		return false
	}
	q.lines[w.priority].Remove(w.position)
	w.position = nil
	q.length--
	return true
}
