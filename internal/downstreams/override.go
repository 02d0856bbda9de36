package downstreams

import (
	"time"

	"example.com/bff/internal/page"
)

// override is what an operator has ordered for the calls to this downstream, now.
func (c *Client[T]) override() page.Override {
	if c.overridden == nil {
		return page.Override{}
	}
	return c.overridden()
}

// permits tells whether the operator lets an attempt of that kind be made.
func (c *Client[T]) permits(kind page.AttemptKind) bool {
	switch c.override().Mode {
	case page.OverrideOpen:
		return false
	case page.OverrideNoRetry:
		return kind == page.First
	}
	return true
}

// acquire asks the operator, and then the breaker, for an attempt. A breaker that was not asked learns nothing: when
// the override ends it is where it was.
func (c *Client[T]) acquire(kind page.AttemptKind, mayProbe bool) (permit, bool) {
	if !c.permits(kind) {
		return permit{}, false
	}
	return c.breaker.acquire(mayProbe)
}

// refusing is for how long calls will be refused without being made: until the breaker's cool-down and an operator's
// override are both over.
func (c *Client[T]) refusing() time.Duration {
	_, coolDown := c.breaker.now()
	if o := c.override(); o.Mode == page.OverrideOpen {
		return max(coolDown, o.Left)
	}
	return coolDown
}
