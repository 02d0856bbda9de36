package cache

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func TestQueueKeepsTheNewest(t *testing.T) {
	q := newQueue[string](3)
	var gone []string
	for i := range 5 {
		if oldest, dropped := q.push(fmt.Sprint(i)); dropped {
			gone = append(gone, oldest)
		}
	}
	if got := fmt.Sprint(gone, q.take(2), q.take(2)); got != "[0 1] [2 3] [4]" {
		t.Errorf("dropped and took %s", got)
	}
	q.push("5")
	q.close()
	if gone, dropped := q.push("6"); !dropped || gone != "6" {
		t.Error("a closed queue takes more")
	}
	if got := fmt.Sprint(q.take(2), q.take(2)); got != "[5] []" {
		t.Errorf("closed, it gave %s", got)
	}
}

// Everything that is pushed is either taken or dropped, once, and a taker that waits is woken.
func TestQueueLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue[int](16)
		taken := make(chan int)
		go func() {
			n := 0
			for batch := q.take(4); len(batch) > 0; batch = q.take(4) {
				n += len(batch)
			}
			taken <- n
		}()
		var dropped atomic.Int64
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 500 {
					if _, full := q.push(0); full {
						dropped.Add(1)
					}
				}
			})
		}
		wg.Wait()
		synctest.Wait()
		q.close()
		if n, d := <-taken, int(dropped.Load()); n+d != 8*500 {
			t.Errorf("%d taken and %d dropped of %d", n, d, 8*500)
		}
	})
}
