package override_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"example.com/bff/internal/override"
	"example.com/bff/internal/page"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// board is a Board with its log, asked over HTTP.
type board struct {
	*testing.T
	*override.Board
	mu    sync.Mutex // of what follows
	log   bytes.Buffer
	moves []string // as the observer was told
}

// Write is where the log goes: timers log too.
func (b *board) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.Write(line)
}

// onBoard runs test in a bubble.
func onBoard(t *testing.T, test func(b *board)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &board{T: t}
		b.Board = override.New(slog.New(slog.NewTextHandler(b, nil)), func(m override.Move, v override.View) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.moves = append(b.moves, fmt.Sprint(v.Target, " ", m, ": ", v.Reason))
		})
		defer b.Close()
		test(b)
	})
}

func (b *board) do(method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, r)
	return w
}

func (b *board) put(target, body string) {
	b.Helper()
	if w := b.do(http.MethodPut, "/override/"+target, body); w.Code != http.StatusOK {
		b.Fatalf("%d %s", w.Code, w.Body)
	}
}

// listed is what GET tells, a line each.
func (b *board) listed() (lines []string) {
	b.Helper()
	var told struct {
		Overrides []struct {
			Target, Mode, Priority, Reason string
			Percent, LeftMs                int
			Until                          time.Time
		}
	}
	w := b.do(http.MethodGet, "/override", "")
	if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil || w.Code != http.StatusOK || told.Overrides == nil {
		b.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	for _, o := range told.Overrides {
		if left := time.Until(o.Until); left != time.Duration(o.LeftMs)*time.Millisecond {
			b.Errorf("until %v, leftMs %d", o.Until, o.LeftMs)
		}
		what := o.Mode
		if o.Percent > 0 {
			what = fmt.Sprint(o.Percent, "% ", o.Priority)
		}
		lines = append(lines, fmt.Sprintf("%s %s %ds %s", o.Target, what, o.LeftMs/1000, o.Reason))
	}
	return lines
}

func (b *board) wantsListed(want ...string) {
	b.Helper()
	if got := b.listed(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		b.Errorf("listed are %q, want %q", got, want)
	}
}

// logged is the log since it was last asked for, without times.
func (b *board) logged() (lines []string) {
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	for line := range strings.Lines(b.log.String()) {
		_, line, _ = strings.Cut(strings.TrimSpace(line), "level=WARN ")
		lines = append(lines, line)
	}
	b.log.Reset()
	return lines
}

func (b *board) wantsLogged(want ...string) {
	b.Helper()
	if got := b.logged(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		b.Errorf("logged\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAnOrderIsListedLoggedAndEndsByItself(t *testing.T) {
	onBoard(t, func(b *board) {
		stock := b.Downstream(page.Stock)
		b.wantsListed()
		b.put("stock", `{"mode":"open","for":"10m","reason":"their team asks for quiet"}`)
		b.put("shed", `{"percent":30,"priority":"default","for":"90s","reason":"until the new instances are there"}`)
		b.wantsLogged(
			`msg="override set" target=stock for=10m0s reason="their team asks for quiet" mode=open`,
			`msg="override set" target=shed for=1m30s reason="until the new instances are there" percent=30 priority=default`)
		time.Sleep(time.Minute)
		b.wantsListed("stock open 540s their team asks for quiet", "shed 30% default 30s until the new instances are there")
		if o := stock(); o.Mode != page.OverrideOpen || o.Left != 9*time.Minute {
			b.Errorf("%+v", o)
		}
		if s := b.State(); s.Downstreams[page.Stock] != page.OverrideOpen || !s.Shedding || s.Shed != page.Default {
			b.Errorf("%+v", s)
		}
		time.Sleep(30 * time.Second)
		b.wantsListed("stock open 510s their team asks for quiet")
		b.wantsLogged(`msg="override is over" target=shed for=1m30s reason="until the new instances are there" percent=30 priority=default`)
		if b.Sheds(page.Background) || b.State().Shedding {
			b.Error("sheds when it is over")
		}
		time.Sleep(510 * time.Second)
		if o := stock(); o != (page.Override{}) {
			b.Errorf("after its end: %+v", o)
		}
	})
}

func TestAnOrderTakesThePlaceOfTheOneBefore(t *testing.T) {
	onBoard(t, func(b *board) {
		b.put("price", `{"mode":"open","for":"1m","reason":"one"}`)
		time.Sleep(time.Second)
		b.put("price", `{"mode":"no-retry","for":"2m","reason":"two"}`)
		b.logged()
		time.Sleep(119 * time.Second) // past the end of the first
		b.wantsListed("price no-retry 1s two")
		time.Sleep(time.Second)
		b.wantsListed()
		b.wantsLogged(`msg="override is over" target=price for=2m0s reason=two mode=no-retry`)
	})
}

func TestAnOrderIsTakenBack(t *testing.T) {
	onBoard(t, func(b *board) {
		b.put("catalog", `{"mode":"no-retry","for":"24h","reason":"x"}`)
		b.put("reviews", `{"mode":"open","for":"24h","reason":"y"}`)
		b.logged()
		for range 2 { // the second time there is nothing to take back
			if w := b.do(http.MethodDelete, "/override/catalog", ""); w.Code != http.StatusNoContent {
				b.Errorf("%d %s", w.Code, w.Body)
			}
		}
		b.wantsLogged(`msg="override taken back" target=catalog for=24h0m0s reason=x mode=no-retry`)
		b.wantsListed("reviews open 86400s y")
		if o := b.Downstream(page.Catalog)(); o != (page.Override{}) {
			b.Errorf("%+v", o)
		}
		time.Sleep(25 * time.Hour)
		b.wantsLogged(`msg="override is over" target=reviews for=24h0m0s reason=y mode=open`)
	})
}

func TestWhatIsNotAllowedIsTold(t *testing.T) {
	long := strings.Repeat("ä", 201)
	const downstream, shedding = `A downstream's override has "mode"`, `Shedding has "percent"`
	for _, c := range []struct{ target, body, told, form string }{
		{"stock", ``, "the body is not one JSON object", downstream},
		{"stock", `[]`, "the body is not one JSON object", downstream},
		{"stock", `{"mode":"open","for":"10m","reason":"r"} {}`, "the body is not one JSON object alone", downstream},
		{"stock", `{"mode":"open","for":"10m","reason":"r","percent":30}`, `unknown field "percent"`, downstream},
		{"stock", `{"mode":"closed","for":"10m","reason":"r"}`, `"mode" is missing or not allowed`, downstream},
		{"stock", `{"mode":"","for":"10m","reason":"r"}`, `"mode" is missing or not allowed`, downstream},
		{"stock", `{"mode":1,"for":"10m","reason":"r"}`, `"mode" is missing or not allowed`, downstream},
		{"stock", `{"mode":"open","reason":"r"}`, `"for" is missing or not allowed`, downstream},
		{"stock", `{"mode":"open","for":600,"reason":"r"}`, `"for" is missing or not allowed`, downstream},
		{"stock", `{"mode":"open","for":"999ms","reason":"r"}`, `"for" is missing or not allowed`, downstream},
		{"stock", `{"mode":"open","for":"-10m","reason":"r"}`, `"for" is missing or not allowed`, downstream},
		{"stock", `{"mode":"open","for":"24h1s","reason":"r"}`, `"for" is missing or not allowed`, downstream},
		{"stock", `{"mode":"open","for":"10m"}`, `"reason" is missing or not allowed`, downstream},
		{"stock", `{"mode":"open","for":"10m","reason":" "}`, `"reason" is missing or not allowed`, downstream},
		{"stock", `{"mode":"open","for":"10m","reason":"` + long + `"}`, `"reason" is missing or not allowed`, downstream},
		{"stock", `{"mode":"open","for":"10m","reason":"a\nb"}`, `"reason" is missing or not allowed`, downstream},
		{"stock", `{"mode":"open","for":"10m","reason":"a` + "\xff" + `"}`, `"reason" is missing or not allowed`, downstream},
		{"stock", `{"mode":"open","for":"10m","reason":"` + strings.Repeat("x", 5000) + `"}`, "too large", downstream},
		{"stock", `{"mode":"open","mode":"no-retry","for":"10m","reason":"r"}`, `"mode" is told twice`, downstream},
		{"stock", `{"Mode":"open","for":"10m","reason":"r"}`, `"Mode" is told twice, or not spelt so`, downstream},
		{"stock", `{"mode":"open","for":"10m","reason":"r","reaſon":"another"}`, `"reaſon" is told twice, or not spelt so`, downstream},
		{"shed", `{"percent":1,"Percent":100,"priority":"default","for":"10m","reason":"r"}`, `"Percent" is told twice`, shedding},
		{"shed", `{"mode":"open","for":"10m","reason":"r"}`, `unknown field "mode"`, shedding},
		{"shed", `{"percent":0,"priority":"default","for":"10m","reason":"r"}`, `"percent" is missing or not allowed`, shedding},
		{"shed", `{"percent":101,"priority":"default","for":"10m","reason":"r"}`, `"percent" is missing or not allowed`, shedding},
		{"shed", `{"percent":0.3,"priority":"default","for":"10m","reason":"r"}`, `"percent" is missing or not allowed`, shedding},
		{"shed", `{"percent":30,"priority":"all","for":"10m","reason":"r"}`, `"priority" is missing or not allowed`, shedding},
		{"shed", `{"percent":30,"for":"10m","reason":"r"}`, `"priority" is missing or not allowed`, shedding},
	} {
		onBoard(t, func(b *board) {
			w := b.do(http.MethodPut, "/override/"+c.target, c.body)
			var p struct {
				Type, Title, Detail string
				Status              int
			}
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Header().Get("Content-Type") != "application/problem+json" {
				b.Fatalf("%.100s: %v, %v %s", c.body, err, w.Header(), w.Body)
			}
			if w.Code != 400 || p.Status != 400 || !strings.Contains(p.Detail, c.told) || !strings.Contains(p.Detail, c.form) {
				b.Errorf("%.100s: %d %s", c.body, w.Code, p.Detail)
			}
			b.wantsListed()
			b.wantsLogged()
		})
	}
}

// Whatever is refused is told in one form, what else there is with it.
func TestWhatCannotBeOverriddenIsTold(t *testing.T) {
	const targets = "catalog, price, stock, reviews, recommendations, shed"
	for _, c := range []struct {
		method, path string
		status       int
		allow, told  string
	}{
		{http.MethodPut, "/override/redis", 404, "", targets},
		{http.MethodDelete, "/override/Shed", 404, "", targets},
		{http.MethodPut, "/override/", 404, "", targets},
		{http.MethodPut, "/override/stock/open", 404, "", targets},
		{http.MethodPost, "/override/stock", 405, "DELETE, PUT", "PUT and DELETE of /override/{target}"},
		{http.MethodGet, "/override/stock", 405, "DELETE, PUT", "GET /override"},
		{http.MethodPut, "/override", 405, "GET, HEAD", "PUT and DELETE of /override/{target}"},
	} {
		onBoard(t, func(b *board) {
			w := b.do(c.method, c.path, `{"mode":"open","for":"10m","reason":"r"}`)
			var p struct {
				Detail string
				Status int
			}
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Header().Get("Content-Type") != "application/problem+json" {
				b.Fatalf("%s %s: %v, %v %s", c.method, c.path, err, w.Header(), w.Body)
			}
			if w.Code != c.status || p.Status != c.status || w.Header().Get("Allow") != c.allow || !strings.Contains(p.Detail, c.told) {
				b.Errorf("%s %s: %d, Allow %q, %s", c.method, c.path, w.Code, w.Header().Get("Allow"), p.Detail)
			}
			b.wantsListed()
		})
	}
}

func TestNoPageFromElsewhereChangesAnything(t *testing.T) {
	const order = `{"mode":"open","for":"10m","reason":"r"}`
	for header, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"} {
		onBoard(t, func(b *board) {
			b.put("price", order)
			for _, method := range []string{http.MethodPut, http.MethodDelete} {
				if w := b.do(method, "/override/price", order, header, value); w.Code != 403 || !strings.Contains(w.Body.String(), "elsewhere") {
					b.Errorf("%s from elsewhere: %d %s", method, w.Code, w.Body)
				}
			}
			if len(b.listed()) != 1 || len(b.logged()) != 1 {
				b.Error("something has changed")
			}
		})
	}
}

func TestSheddingIsExactAndSpread(t *testing.T) {
	for _, percent := range []int{1, 30, 33, 50, 99, 100} {
		onBoard(t, func(b *board) {
			b.put("shed", fmt.Sprintf(`{"percent":%d,"priority":"default","for":"10m","reason":"r"}`, percent))
			for range 3 {
				shed := map[page.Priority]int{}
				for range 100 {
					for p := range page.Priority(page.NumPriorities) {
						if b.Sheds(p) {
							shed[p]++
						}
					}
				}
				if shed[page.Background] != percent || shed[page.Default] != percent || shed[page.Critical] != 0 {
					b.Errorf("of a hundred of each %d%%: %v", percent, shed)
				}
			}
		})
	}
	onBoard(t, func(b *board) {
		b.put("shed", `{"percent":50,"priority":"critical","for":"10m","reason":"r"}`)
		even := 0
		for i := range 10 {
			ten := 0
			for j := range 10 {
				if b.Sheds(page.Critical) {
					ten++
					even += (j + 1) % 2
				}
			}
			if ten < 4 || ten > 6 {
				b.Errorf("of ten in a row, the %dth ten, %d are refused", i, ten)
			}
		}
		if even < 15 || even > 35 {
			b.Errorf("of 50 that are refused, %d are every other one", even)
		}
	})
}

func TestAskingCostsNoAllocation(t *testing.T) {
	onBoard(t, func(b *board) {
		stock := b.Downstream(page.Stock)
		ask := func() { _, _ = stock(), b.Sheds(page.Default) }
		none := testing.AllocsPerRun(100, ask)
		b.put("stock", `{"mode":"open","for":"10m","reason":"r"}`)
		b.put("shed", `{"percent":50,"priority":"default","for":"10m","reason":"r"}`)
		if some := testing.AllocsPerRun(100, ask); none+some != 0 {
			b.Errorf("%v allocations, %v with overrides", none, some)
		}
	})
}

func TestAClosedBoardHoldsAndLogsNothing(t *testing.T) {
	onBoard(t, func(b *board) {
		b.put("stock", `{"mode":"open","for":"1m","reason":"r"}`)
		b.put("shed", `{"percent":100,"priority":"critical","for":"1m","reason":"r"}`)
		b.logged()
		b.Close()
		if o := b.Downstream(page.Stock)(); o != (page.Override{}) || b.Sheds(page.Background) {
			b.Errorf("closed: %+v", o)
		}
		b.wantsListed()
		time.Sleep(time.Hour)
		b.wantsLogged()
	})
}

// What operators copy at night is what works.
func TestTheRunbooksOrdersAreAccepted(t *testing.T) {
	book, err := os.ReadFile("../../docs/runbook.md")
	if err != nil {
		t.Fatal(err)
	}
	orders := regexp.MustCompile(`(?m)^override PUT (\w+) '(.*)'$`).FindAllSubmatch(book, -1)
	if len(orders) < 3 {
		t.Fatalf("the runbook has %d orders", len(orders))
	}
	onBoard(t, func(b *board) {
		for _, order := range orders {
			b.put(string(order[1]), string(order[2]))
		}
		if len(b.listed()) != len(orders) {
			b.Errorf("%q", b.listed())
		}
	})
}

func TestTheObserverIsToldWhatBecomesOfEach(t *testing.T) {
	onBoard(t, func(b *board) {
		b.put("stock", `{"mode":"open","for":"10m","reason":"quiet"}`)
		b.put("shed", `{"percent":30,"priority":"default","for":"90s","reason":"full"}`)
		b.do(http.MethodDelete, "/override/stock", "")
		b.do(http.MethodDelete, "/override/stock", "")
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		b.mu.Lock()
		defer b.mu.Unlock()
		want := "stock set: quiet, shed set: full, stock taken back: quiet, shed is over: full"
		if got := strings.Join(b.moves, ", "); got != want {
			b.Errorf("told was %q, not %q", got, want)
		}
	})
}
