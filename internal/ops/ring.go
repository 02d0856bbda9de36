package ops

// ring keeps the last of what was put in, and numbers all of it from 1.
type ring[T any] struct {
	items []T
	total uint64
}

func newRing[T any](capacity int) ring[T] { return ring[T]{items: make([]T, capacity)} }

// next is the place of the next item: what was there falls out.
func (r *ring[T]) next() *T {
	at := &r.items[r.total%uint64(len(r.items))]
	r.total++
	return at
}

// since copies what came after the one numbered seen, as far as it is still here: the oldest most of it, oldest first.
// first is the number of the first copy; missed counts what fell out before it was copied.
func (r *ring[T]) since(seen uint64, most int) (items []T, first, missed uint64) {
	first = seen + 1
	if kept := uint64(len(r.items)); r.total >= kept {
		first = max(first, r.total-kept+1)
	}
	for n := first; n <= min(r.total, first+uint64(most)-1); n++ {
		items = append(items, r.items[(n-1)%uint64(len(r.items))])
	}
	return items, first, first - seen - 1
}
