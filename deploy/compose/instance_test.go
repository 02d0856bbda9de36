//go:build compose

package compose

import (
	"errors"
	"net/http"
	"testing"
	"time"
)

func (s *shop) withoutInstance(t *testing.T, v *visitors) {
	v.since()
	for _, end := range []struct {
		how  string
		make func(*testing.T)
	}{{"stop", s.drained}, {"kill", s.killed}} {
		end.make(t)
		s.do("start", "bff-1")
		s.eventually(t, "it is asked again", patience, func() error {
			n, err := s.pagesOf(ops1)
			if err == nil && n == 0 {
				err = errors.New("no page asked yet")
			}
			return err
		})
		good, failed := v.since()
		t.Logf("%s: %d pages", end.how, good)
		if good < 20 || len(failed) > 0 {
			t.Errorf("after %s, %d good pages; failed: %v", end.how, good, failed)
		}
	}
}

// lookingAway is more than the balancer needs to see that an instance is not ready.
const lookingAway = 1500 * time.Millisecond

// drained stops an instance, which must be asked no more while it still would answer.
func (s *shop) drained(t *testing.T) {
	stopped := make(chan error, 1)
	go func() {
		_, err := s.run(s.ctx, s.compose[0], s.args("stop", "bff-1")...)
		stopped <- err
	}()
	s.eventually(t, "it says that it is not ready", patience, func() error {
		return s.expect(http.StatusServiceUnavailable, http.MethodGet, ops1+"/readyz")
	})
	time.Sleep(lookingAway)
	before, early := s.pagesOf(ops1)
	time.Sleep(lookingAway)
	after, late := s.pagesOf(ops1)
	if early != nil || late != nil || before == 0 || after > before {
		t.Errorf("while it drains, it has been asked for %d pages (%v), then for %d (%v)", before, early, after, late)
	}
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
}

func (s *shop) killed(*testing.T) {
	s.do("kill", "bff-1")
	time.Sleep(2 * time.Second) // some visits without it
}
