package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"example.com/bff/internal/world"
)

// request is what one caller asks for, and how.
type request struct {
	offer, head, malformed, background bool
	id, market, language, client       string
	allows                             time.Duration // the caller's own deadline; 0: none
	absolute                           bool          // told as an instant
	leaves                             time.Duration // when the caller hangs up; 0: never
	etag                               string
}

// exchange is a request and what came of it.
type exchange struct {
	request
	start time.Time
	world.Answer
}

// draw draws the next caller.
func (r *run) draw(dice *rand.Rand) request {
	m := r.moodNow()
	q := request{
		id:         fmt.Sprintf("p-%d", 1000+dice.IntN(12)),
		market:     pick(dice, "", "", "DE", "CH", "GB", "US"),
		language:   pick(dice, "", "de"),
		client:     pick(dice, "web", "mobile", "kiosk"),
		offer:      dice.IntN(5) == 0,
		head:       dice.IntN(30) == 0,
		malformed:  dice.IntN(40) == 0,
		background: dice.Float64() < m.background,
	}
	if dice.IntN(25) == 0 {
		q.id = "missing-1"
	}
	if dice.Float64() < m.hurry {
		q.allows, q.absolute = time.Duration(1+dice.IntN(450))*ms, dice.IntN(2) == 0
	}
	if dice.Float64() < m.leave {
		q.leaves = time.Duration(1+dice.IntN(300))*ms + time.Duration(dice.IntN(1e6))
	}
	if dice.IntN(6) == 0 && !q.offer {
		q.etag = r.etag(q)
	}
	return q
}

// limit is how long the answer may take.
func (q request) limit() time.Duration {
	if q.allows > 0 {
		return min(q.allows, deadline)
	}
	return deadline
}

func (q request) path() string {
	switch {
	case q.malformed:
		return "/products/a%20b"
	case q.offer:
		return "/products/" + q.id + "/offer"
	}
	return "/products/" + q.id
}

func (q request) headers(now time.Time) (all []string) {
	add := func(name, value string) {
		if value != "" {
			all = append(all, name, value)
		}
	}
	add("X-Market", q.market)
	add("Accept-Language", q.language)
	add("X-Client", q.client)
	add("If-None-Match", q.etag)
	switch {
	case q.allows > 0 && q.absolute:
		add("X-Request-Deadline", fmt.Sprint(now.Add(q.allows).UnixMilli()))
	case q.allows > 0:
		add("X-Request-Timeout-Ms", fmt.Sprint(q.allows.Milliseconds()))
	}
	if q.background {
		add("X-Priority", "background")
	}
	return all
}

// ask sends it and waits for the answer, or for the caller to hang up.
func (q request) ask(w *world.World) exchange {
	ctx, cancel := context.Background(), context.CancelFunc(func() {})
	if q.leaves > 0 {
		ctx, cancel = context.WithTimeout(ctx, q.leaves)
	}
	defer cancel()
	method := http.MethodGet
	if q.head {
		method = http.MethodHead
	}
	start := time.Now()
	return exchange{q, start, w.Do(ctx, method, world.Public, q.path(), q.headers(start)...)}
}

// left tells whether the caller hung up before there was an answer.
func (x *exchange) left() bool { return x.leaves > 0 && x.Err != nil }

func (x *exchange) String() string {
	return fmt.Sprintf("%+v\n    got %d %v after %v: %.700s", x.request, x.Status, x.Err, x.Took, x.Body)
}
