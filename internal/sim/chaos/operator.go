package chaos

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/world"
)

// operators are the levers that somebody pulls at night.
var operators = []lane{
	{func(dice *rand.Rand) Event {
		name := pick(dice, fakes.Names()...)
		e := order(name, `"mode":"open"`)
		e.harms = name
		return e
	}, 10 * time.Second},
	{func(dice *rand.Rand) Event { return order(pick(dice, fakes.Names()...), `"mode":"no-retry"`) }, 10 * time.Second},
	{func(dice *rand.Rand) Event {
		e := order("shed", fmt.Sprintf(`"percent":%d,"priority":%q`, 1+dice.IntN(100), pick(dice, "background", "default", "critical")))
		e.crowds = true
		return e
	}, 10 * time.Second},
}

func order(target, what string) Event {
	return Event{
		What: "an operator orders " + target + ": " + what,
		begin: func(r *run) {
			r.order(http.MethodPut, target, fmt.Sprintf(`{%s,"for":"1h","reason":"chaos"}`, what))
		},
		end: func(r *run) { r.order(http.MethodDelete, target, "") },
	}
}

func (r *run) order(method, target, body string) {
	req, err := http.NewRequest(method, "http://"+world.Admin+"/override/"+target, strings.NewReader(body))
	if err != nil {
		panic(err) // it is made of constants
	}
	resp, err := r.w.Client.Do(req)
	if err != nil {
		r.stage.violate("the world's own", "%s %s: %v", method, target, err)
		return
	}
	defer resp.Body.Close()
	// Where one order took another's place, the second to end finds nothing to take back.
	if resp.StatusCode/100 != 2 && (method == http.MethodPut || resp.StatusCode != http.StatusNotFound) {
		r.stage.violate("the world's own", "%s %s: %d", method, target, resp.StatusCode)
	}
}
