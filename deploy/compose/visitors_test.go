//go:build compose

package compose

import (
	"fmt"
	"maps"
	"net/http"
	"sync"
	"testing"
	"time"
)

// visitors look at one page after another, about twenty a second.
type visitors struct {
	mu     sync.Mutex
	good   int
	failed map[string]int // by how
}

// product is one of few, so that the price of each is remembered.
func product(i int) string { return fmt.Sprintf("p-%d", 1001+i%40) }

// visit sends them until the test ends.
func (s *shop) visit(t *testing.T) *visitors {
	v := &visitors{failed: map[string]int{}}
	leave := make(chan struct{})
	var all sync.WaitGroup
	for n := range 2 {
		all.Go(func() {
			for i := n * 20; ; i++ {
				select {
				case <-leave:
					return
				case <-time.After(100 * time.Millisecond):
				}
				v.note(s.page(product(i)))
			}
		})
	}
	t.Cleanup(func() {
		close(leave)
		all.Wait()
	})
	return v
}

func (v *visitors) note(a *answer, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case err != nil:
		v.failed[err.Error()]++
	case a.Status != http.StatusOK:
		v.failed[fmt.Sprintf("%d %s %v", a.Status, a.Type, a.Dependencies)]++
	default:
		v.good++
	}
}

// since tells how many pages were good and which were not from when it was called last.
func (v *visitors) since() (good int, failed map[string]int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	good, failed = v.good, maps.Clone(v.failed)
	v.good = 0
	clear(v.failed)
	return good, failed
}
