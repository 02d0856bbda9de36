package downstreams_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/page"
)

// rewound is a body that can be read again and again.
type rewound struct{ bytes.Reader }

func (*rewound) Close() error { return nil }

// inMemory answers in the caller's goroutine at the least cost there is.
func inMemory(body string) transport {
	return func(*http.Request) (*http.Response, error) {
		b := &rewound{}
		b.Reset([]byte(body))
		return &http.Response{StatusCode: 200, ContentLength: int64(len(body)), Body: b}, nil
	}
}

const priceBody = `{"amount":"129.90","currency":"EUR"}`

// BenchmarkFloor is the exchange alone: what no client can save.
func BenchmarkFloor(b *testing.B) {
	transport := inMemory(priceBody)
	req, _ := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://downstream/things/p", nil)
	b.ReportAllocs()
	for b.Loop() {
		resp, _ := transport.RoundTrip(req)
		if _, err := io.ReadAll(resp.Body); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkAsk(b *testing.B, change func(*downstreams.Settings), ask func(c *downstreams.Client[page.Quote], ctx context.Context)) {
	s := downstreams.Table()[page.Price]
	s.URL = "http://downstream/things/{id}"
	change(&s)
	client, err := downstreams.New(s, downstreams.DecodePrice, downstreams.Options[page.Quote]{Transport: inMemory(priceBody)})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(b.Context(), time.Hour)
	defer cancel()
	b.ReportAllocs()
	ask(client, ctx)
}

// BenchmarkAsk is the same exchange through the whole stack.
func BenchmarkAsk(b *testing.B) {
	q := query("p-1001", header("X-Market", "de"))
	for name, change := range map[string]func(*downstreams.Settings){
		"shared": func(*downstreams.Settings) {},
		"alone":  func(s *downstreams.Settings) { s.Coalesce = false },
		"hedged": func(s *downstreams.Settings) { s.HedgeAfter.Delay = time.Second },
	} {
		b.Run(name, func(b *testing.B) {
			benchmarkAsk(b, change, func(c *downstreams.Client[page.Quote], ctx context.Context) {
				for b.Loop() {
					if _, call := c.Ask(ctx, q); call.Outcome != page.OK {
						b.Fatal(call.Outcome)
					}
				}
			})
		})
	}
}

// BenchmarkAskParallel asks different questions on all cores.
func BenchmarkAskParallel(b *testing.B) {
	benchmarkAsk(b, func(s *downstreams.Settings) { s.Coalesce = false }, func(c *downstreams.Client[page.Quote], ctx context.Context) {
		b.RunParallel(func(pb *testing.PB) {
			q := query("p-1001", header("X-Market", "de"))
			for pb.Next() {
				if _, call := c.Ask(ctx, q); call.Outcome != page.OK {
					b.Error(call.Outcome)
				}
			}
		})
	})
}

func BenchmarkDecode(b *testing.B) {
	reviews := []byte(`{"average":4.4,"count":123,"items":[` + string(bytes.Repeat([]byte(`{"stars":5,"text":"A good lamp."},`), 100)) + `{}]}`)
	b.Run("price", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := downstreams.DecodePrice([]byte(priceBody), asked); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("reviews", func(b *testing.B) {
		b.SetBytes(int64(len(reviews)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := downstreams.DecodeReviews(reviews, asked); err != nil {
				b.Fatal(err)
			}
		}
	})
}
