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

// Refuses tells whether Ask would be refused by the breaker or the operator, as far as can be known now: no attempt could
// be made, and neither is an answer at hand nor on its way.
func (c *Client[T]) Refuses(q *page.Query) bool {
	if c.permits(page.First) && c.breaker.allows(0, true) {
		return false
	}
	key := c.Key(q)
	if _, ok := c.fresh.get(key, time.Now()); ok {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.flights[key] == nil
}
