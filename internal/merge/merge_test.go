package merge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"example.com/bff/internal/merge"
	"example.com/bff/internal/page"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const deadline = 450 * time.Millisecond

// after answers with v and call once d has passed, or as a real source does when ctx ends first.
func after[T any](d time.Duration, v T, call page.Call) page.Source[T] {
	return func(ctx context.Context, _ *page.Query) (T, page.Call) {
		call := call
		call.Asked = true
		select {
		case <-time.After(d):
		case <-ctx.Done():
			call.Outcome = page.Cancelled
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				call.Outcome = page.Timeout
			}
		}
		return v, call
	}
}

func outcome(o page.Outcome) page.Call { return page.Call{Outcome: o} }

func quote(t testing.TB) page.Quote {
	t.Helper()
	q, err := page.NewQuote("129.90", "EUR", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return q
}

const ms = time.Millisecond

func healthy(t testing.TB) merge.Sources {
	return merge.Sources{
		Catalog:         after(20*ms, page.Product(`{"id":"p","name":"Lamp"}`), outcome(page.OK)),
		Price:           after(30*ms, quote(t), outcome(page.OK)),
		Stock:           after(10*ms, page.NewAvailability(true, 7), outcome(page.OK)),
		Reviews:         after(40*ms, page.ReviewSummary(`{}`), outcome(page.OK)),
		Recommendations: after(50*ms, page.Items(`[]`), outcome(page.OK)),
	}
}

func nothingRemembered(context.Context, *page.Query) (page.ShownPrice, page.MemoryResult) {
	return page.ShownPrice{}, page.MemoryMiss
}

// run makes one page in a bubble and tells what it took.
func run(t *testing.T, s merge.Sources, recall merge.Recall) (p *page.Page, rec *page.Record, took time.Duration, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	id, _ := page.ParseID("p")
	rec = &page.Record{}
	start := time.Now()
	p, err = merge.New(s, recall).Page(ctx, &page.Query{ID: id}, rec)
	return p, rec, time.Since(start), err
}

func TestPage(t *testing.T) {
	const hang = time.Hour
	tests := map[string]struct {
		change func(*merge.Sources)
		took   time.Duration
		has    string // in the page's JSON
		err    string
	}{
		"all well takes the slowest": {func(*merge.Sources) {}, 50 * ms, `"degraded":false`, ""},
		"an optional one hangs": {func(s *merge.Sources) {
			s.Recommendations = after(hang, page.Items(nil), outcome(page.OK))
		}, deadline, `"recommendations":{"status":"unavailable","reason":"timeout"}`, ""},
		"both optional ones fail": {func(s *merge.Sources) {
			s.Reviews = after(0, page.ReviewSummary(nil), outcome(page.BreakerOpen))
			s.Recommendations = after(0, page.Items(nil), outcome(page.BulkheadFull))
		}, 30 * ms, `"reviews":{"status":"unavailable","reason":"breaker_open"},"recommendations":{"status":"unavailable","reason":"bulkhead_full"}`, ""},
		"optional ones have nothing": {func(s *merge.Sources) {
			s.Reviews = after(0, page.ReviewSummary(nil), outcome(page.Absent))
		}, 50 * ms, `"degraded":false`, ""},
		"no such product ends it at once": {func(s *merge.Sources) {
			s.Catalog = after(5*ms, page.Product(nil), outcome(page.Absent))
			s.Stock = after(hang, page.Availability{}, outcome(page.OK))
		}, 5 * ms, "", page.ErrNotFound.Error()},
		"stock fails at once while others hang": {func(s *merge.Sources) {
			s.Stock = after(0, page.Availability{}, outcome(page.UpstreamError))
			s.Catalog = after(hang, page.Product(nil), outcome(page.OK))
			s.Price = after(hang, page.Quote{}, outcome(page.OK))
		}, 0, "", "stock: upstream_error"},
		"stock has nothing": {func(s *merge.Sources) {
			s.Stock = after(0, page.Availability{}, outcome(page.Absent))
		}, 50 * ms, `"purchasable":false`, ""},
		"price has nothing": {func(s *merge.Sources) {
			s.Price = after(0, page.Quote{}, outcome(page.Absent))
		}, 50 * ms, `"price":null`, ""},
		"price fails and nothing is remembered": {func(s *merge.Sources) {
			s.Price = after(7*ms, page.Quote{}, outcome(page.InvalidResponse))
		}, 7 * ms, "", "price: invalid_response"},
		"a critical one hangs": {func(s *merge.Sources) {
			s.Catalog = after(hang, page.Product(nil), outcome(page.OK))
		}, deadline, "", "catalog: timeout"},
		"a source panics": {func(s *merge.Sources) {
			s.Reviews = func(context.Context, *page.Query) (page.ReviewSummary, page.Call) { panic("broken") }
		}, 50 * ms, `"reviews":{"status":"unavailable","reason":"upstream_error"}`, ""},
		"a critical source panics": {func(s *merge.Sources) {
			s.Stock = func(context.Context, *page.Query) (page.Availability, page.Call) { panic("broken") }
		}, 0, "", "stock: upstream_error"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := healthy(t)
				tt.change(&s)
				p, _, took, err := run(t, s, nothingRemembered)
				if took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				if tt.err != "" {
					if err == nil || err.Error() != tt.err {
						t.Errorf("got error %v, want %s", err, tt.err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := string(p.AppendJSON(nil)); !strings.Contains(got, tt.has) {
					t.Errorf("lacks %s\n%s", tt.has, got)
				}
			})
		})
	}
}

func TestRememberedPrice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shown := quote(t).Shown()
		time.Sleep(time.Minute)
		s := healthy(t)
		s.Price = after(time.Hour, page.Quote{}, outcome(page.OK))
		p, rec, took, err := run(t, s, func(ctx context.Context, _ *page.Query) (page.ShownPrice, page.MemoryResult) {
			time.Sleep(20 * ms)
			return shown, page.MemoryHit
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := deadline - 25*ms + 20*ms; took != want {
			t.Errorf("took %v, want %v: the live call ends 25 ms early and the memory takes 20", took, want)
		}
		got := string(p.AppendJSON(nil))
		for _, want := range []string{`"purchasable":false`, `"stale":true,"displayOnly":true`,
			`"price":{"status":"stale","reason":"timeout","ageMs":60445}`} {
			if !strings.Contains(got, want) {
				t.Errorf("lacks %s\n%s", want, got)
			}
		}
		if !rec.Recall.Asked || rec.Recall.Result != page.MemoryHit || rec.Recall.Duration != 20*ms {
			t.Errorf("the record tells %+v", rec.Recall)
		}
	})
}

func TestUnavailableTellsEveryFailureAndTheLongestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := healthy(t)
		both := make(chan struct{})
		s.Stock = func(context.Context, *page.Query) (page.Availability, page.Call) {
			<-both
			return page.Availability{}, page.Call{Outcome: page.BreakerOpen, RetryAfter: 4 * time.Second}
		}
		s.Catalog = func(context.Context, *page.Query) (page.Product, page.Call) {
			close(both)
			return nil, page.Call{Outcome: page.UpstreamError, RetryAfter: 9 * time.Second}
		}
		_, _, _, err := run(t, s, nothingRemembered)
		var unavailable *page.UnavailableError
		if !errors.As(err, &unavailable) {
			t.Fatal(err)
		}
		if err.Error() != "catalog: upstream_error, stock: breaker_open" || unavailable.RetryAfter != 9*time.Second {
			t.Errorf("got %v, retry after %v", err, unavailable.RetryAfter)
		}
	})
}

func TestTheCallerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(5*ms, cancel)
		id, _ := page.ParseID("p")
		start := time.Now()
		rec := &page.Record{}
		_, err := merge.New(healthy(t), nothingRemembered).Page(ctx, &page.Query{ID: id}, rec)
		if !errors.Is(err, context.Canceled) || time.Since(start) != 5*ms {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		for _, d := range page.Dependencies {
			if rec.Calls[d].Outcome != page.Cancelled {
				t.Errorf("%v: %v", d, rec.Calls[d].Outcome)
			}
		}
	})
}

func TestOffer(t *testing.T) {
	tests := map[string]struct {
		change func(*merge.Sources)
		has    string
		err    string
	}{
		"live":           {func(*merge.Sources) {}, `"purchasable":true`, ""},
		"stock absent":   {func(s *merge.Sources) { s.Stock = after(0, page.Availability{}, outcome(page.Absent)) }, `"purchasable":false`, ""},
		"price absent":   {func(s *merge.Sources) { s.Price = after(0, page.Quote{}, outcome(page.Absent)) }, "", page.ErrNoPrice.Error()},
		"price fails":    {func(s *merge.Sources) { s.Price = after(0, page.Quote{}, outcome(page.Timeout)) }, "", "price: timeout"},
		"stock fails":    {func(s *merge.Sources) { s.Stock = after(0, page.Availability{}, outcome(page.Timeout)) }, "", "stock: timeout"},
		"catalog is not": {func(s *merge.Sources) { s.Catalog, s.Reviews, s.Recommendations = nil, nil, nil }, `"purchasable":true`, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := healthy(t)
				tt.change(&s)
				id, _ := page.ParseID("p")
				mustNot := func(context.Context, *page.Query) (page.ShownPrice, page.MemoryResult) {
					t.Error("an offer reads the memory")
					return quote(t).Shown(), page.MemoryHit
				}
				offer, err := merge.New(s, mustNot).Offer(t.Context(), &page.Query{ID: id, Offer: true}, &page.Record{})
				if tt.err != "" {
					if err == nil || err.Error() != tt.err {
						t.Errorf("got %v, want %s", err, tt.err)
					}
					return
				}
				if err != nil || !strings.Contains(string(offer.AppendJSON(nil)), tt.has) {
					t.Errorf("%s, %v", offer.AppendJSON(nil), err)
				}
			})
		})
	}
}

// What would be refused goes first, and the others are asked only when the page survives that.
func TestWhatIsRefusedIsAskedFirst(t *testing.T) {
	refused := page.Call{Outcome: page.BreakerOpen, RetryAfter: time.Second}
	remembered := func(d time.Duration) merge.Recall {
		return func(context.Context, *page.Query) (page.ShownPrice, page.MemoryResult) {
			time.Sleep(d)
			return quote(t).Shown(), page.MemoryHit
		}
	}
	tests := map[string]struct {
		which  page.Dependency
		recall merge.Recall
		asked  string
		took   time.Duration
		err    string
	}{
		"catalog":                       {page.Catalog, nothingRemembered, "[catalog]", 0, "catalog: breaker_open"},
		"stock":                         {page.Stock, nothingRemembered, "[stock]", 0, "stock: breaker_open"},
		"price, nothing remembered":     {page.Price, nothingRemembered, "[price]", 0, "price: breaker_open"},
		"price, remembered":             {page.Price, remembered(0), all, 50 * ms, ""},
		"price, remembered in a moment": {page.Price, remembered(4 * ms), all, 54 * ms, ""},
		"price, remembered slowly":      {page.Price, remembered(40 * ms), all, 60 * ms, ""},
		"reviews":                       {page.Reviews, nothingRemembered, all, 50 * ms, ""},
		"recommendations":               {page.Recommendations, nothingRemembered, all, 40 * ms, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := healthy(t)
				s.Refuses = func(d page.Dependency, _ *page.Query) bool { return d == tt.which }
				switch tt.which {
				case page.Catalog:
					s.Catalog = after(0, page.Product{}, refused)
				case page.Price:
					s.Price = after(0, page.Quote{}, refused)
				case page.Stock:
					s.Stock = after(0, page.Availability{}, refused)
				case page.Reviews:
					s.Reviews = after(0, page.ReviewSummary{}, refused)
				case page.Recommendations:
					s.Recommendations = after(0, page.Items{}, refused)
				}
				_, rec, took, err := run(t, s, tt.recall)
				if got := fmt.Sprint(err); err != nil && got != tt.err || err == nil && tt.err != "" || took != tt.took {
					t.Errorf("after %v: %v, want %q after %v", took, err, tt.err, tt.took)
				}
				if got := asked(rec); got != tt.asked {
					t.Errorf("asked %s, want %s", got, tt.asked)
				}
			})
		})
	}
}

// An error is held until all that was refused is told of, or the head start is over.
func TestAllThatIsRefusedIsTold(t *testing.T) {
	for later, want := range map[time.Duration]string{
		4 * ms:  "catalog: breaker_open, stock: breaker_open",
		40 * ms: "catalog: breaker_open",
	} {
		synctest.Test(t, func(t *testing.T) {
			s := healthy(t)
			s.Refuses = func(d page.Dependency, _ *page.Query) bool { return d == page.Catalog || d == page.Stock }
			s.Catalog = after(0, page.Product{}, outcome(page.BreakerOpen))
			s.Stock = after(later, page.Availability{}, outcome(page.BreakerOpen))
			_, rec, took, err := run(t, s, nothingRemembered)
			if fmt.Sprint(err) != want || took != min(later, 10*ms) || asked(rec) != "[catalog stock]" {
				t.Errorf("after %v, having asked %s: %v", took, asked(rec), err)
			}
		})
	}
}

const all = "[catalog price stock reviews recommendations]"

func asked(rec *page.Record) string {
	var names []page.Dependency
	for i, call := range rec.Calls {
		if call.Asked {
			names = append(names, page.Dependency(i))
		}
	}
	return fmt.Sprint(names)
}

func TestARefusedOfferAsksNothingElse(t *testing.T) {
	s := merge.Sources{
		Price:   after(time.Hour, page.Quote{}, outcome(page.OK)),
		Stock:   after(0, page.Availability{}, outcome(page.BreakerOpen)),
		Refuses: func(d page.Dependency, _ *page.Query) bool { return d == page.Stock },
	}
	rec := &page.Record{}
	_, err := merge.New(s, nothingRemembered).Offer(t.Context(), &page.Query{Offer: true}, rec)
	if unavailable := (*page.UnavailableError)(nil); !errors.As(err, &unavailable) || asked(rec) != "[stock]" {
		t.Errorf("%v, having asked %s", err, asked(rec))
	}
}
