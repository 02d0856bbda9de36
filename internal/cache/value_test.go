package cache

import (
	"testing"
	"testing/synctest"
	"time"
)

// A clock that was ahead and is set right leaves prices from the future behind, in this process too.
func TestTheFutureGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			ahead time.Duration
			gives bool
		}{{0, false}, {maxSkew, false}, {maxSkew + time.Millisecond, true}, {time.Hour, true}} {
			old, earlier := newValue(time.Now().Add(c.ahead)), newValue(time.Now().Add(-time.Millisecond))
			if earlier.supersedes(old) != c.gives || old.credible() == c.gives {
				t.Errorf("what is %v ahead gives way: %v", c.ahead, !c.gives)
			}
		}
	})
}
