package cache

import "sync"

// queue holds items until they are taken. A full one makes room by giving up the oldest: the newest price is worth most,
// and the newest page has the most time left.
type queue[T any] struct {
	mu     sync.Mutex
	more   sync.Cond
	ring   []T
	head   int
	count  int
	closed bool
}

func newQueue[T any](size int) *queue[T] {
	q := &queue[T]{ring: make([]T, size)}
	q.more.L = &q.mu
	return q
}

// push returns what had to go, if something had to: the oldest, or once the queue is closed, the item itself.
func (q *queue[T]) push(item T) (gone T, dropped bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return item, true
	}
	if dropped = q.count == len(q.ring); dropped {
		gone = q.pop()
	}
	q.ring[(q.head+q.count)%len(q.ring)] = item
	q.count++
	q.more.Signal()
	return gone, dropped
}

func (q *queue[T]) pop() T {
	var none T
	item := q.ring[q.head]
	q.ring[q.head] = none
	q.head = (q.head + 1) % len(q.ring)
	q.count--
	return item
}

// take waits for something and returns up to n of it, oldest first; nothing means that the queue is closed and empty.
func (q *queue[T]) take(n int) []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.count == 0 && !q.closed {
		q.more.Wait()
	}
	batch := make([]T, min(n, q.count))
	for i := range batch {
		batch[i] = q.pop()
	}
	return batch
}

// close lets nothing more in.
func (q *queue[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.more.Broadcast()
}
