package chaos

import (
	"math/rand/v2"
	"time"
)

// Redis is a real one, of this run alone, outside of its bubble: what it does, or does not do, takes no virtual time.
type Redis struct {
	URL string
	// Befall has something go wrong with it, one of RedisTroubles, or nothing any more: "".
	Befall func(trouble string)
}

// RedisTroubles are what can go wrong with a Redis.
var RedisTroubles = []string{
	"answers nothing", "breaks off in the middle of an answer", "answers nonsense", "is down", "has forgotten everything",
}

// redisLane is one trouble after another. They are short: silence is waited for in real time.
var redisLane = lane{func(dice *rand.Rand) Event {
	trouble := pick(dice, RedisTroubles...)
	befall := func(what string) func(*run) {
		return func(r *run) {
			if r.redis != nil {
				r.redis.Befall(what)
			}
		}
	}
	return Event{What: "Redis " + trouble, begin: befall(trouble), end: befall("")}
}, 3 * time.Second}
