package app

import (
	"context"
	"errors"
	"time"

	"example.com/bff/internal/cache"
	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/merge"
	"example.com/bff/internal/ops"
	"example.com/bff/internal/override"
	"example.com/bff/internal/page"
	"example.com/bff/internal/slo"
	"example.com/bff/internal/tracing"
)

// five are the clients of the downstreams.
type five struct {
	catalog         *downstreams.Client[page.Product]
	price           *downstreams.Client[page.Quote]
	stock           *downstreams.Client[page.Availability]
	reviews         *downstreams.Client[page.ReviewSummary]
	recommendations *downstreams.Client[page.Items]
	refuses         [page.NumDependencies]func(*page.Query) bool
}

func (f *five) sources(t *tracing.Tracing) merge.Sources {
	return merge.Sources{
		Catalog:         tracing.Source(t, page.Catalog, f.catalog.Ask),
		Price:           tracing.Source(t, page.Price, f.price.Ask),
		Stock:           tracing.Source(t, page.Stock, f.stock.Ask),
		Reviews:         tracing.Source(t, page.Reviews, f.reviews.Ask),
		Recommendations: tracing.Source(t, page.Recommendations, f.recommendations.Ask),
		Refuses:         func(d page.Dependency, q *page.Query) bool { return f.refuses[d](q) },
	}
}

// recall reads the price that was remembered under what the price downstream would have seen of the query.
func (f *five) recall(memory cache.Store) merge.Recall {
	return func(ctx context.Context, q *page.Query) (page.ShownPrice, page.MemoryResult) {
		return memory.Recall(ctx, cache.Key{ID: q.ID, Variant: f.price.Key(q)})
	}
}

// wiring is what every client is connected with.
type wiring struct {
	app       *App
	options   Options
	overrides *override.Board
	metrics   *slo.Metrics
	traces    *tracing.Tracing
	five      *five
}

// all connects each row of the table with a transport of its own.
func (w wiring) all(memory cache.Store) error {
	f := w.five
	return errors.Join(
		connect(w, page.Catalog, &f.catalog, downstreams.DecodeCatalog, nil),
		connect(w, page.Price, &f.price, downstreams.DecodePrice, remember(memory)),
		connect(w, page.Stock, &f.stock, downstreams.DecodeStock, nil),
		connect(w, page.Reviews, &f.reviews, downstreams.DecodeReviews, nil),
		connect(w, page.Recommendations, &f.recommendations, downstreams.DecodeRecommendations, nil),
	)
}

func connect[T any](w wiring, d page.Dependency, dst **downstreams.Client[T], decode downstreams.Decode[T],
	learned func(id page.ID, key string, v T, absent bool, sent time.Time),
) error {
	settings := w.app.cfg.Downstreams[d]
	transport := downstreams.NewTransport(settings, w.options.Dial)
	client, err := downstreams.New(settings, decode, downstreams.Options[T]{
		Transport: w.traces.Transport(transport), Traced: w.traces.Attempts(d), Learned: learned,
		Observer: observer{w.metrics, w.app.people, w.app.log}, Logger: w.app.log, Override: w.overrides.Downstream(d),
	})
	if err != nil {
		return err
	}
	*dst = client
	w.five.refuses[d] = client.Refuses
	w.app.closing(func(context.Context) {
		client.Close()
		transport.CloseIdleConnections()
	})
	w.metrics.WatchDownstream(d, func() slo.DownstreamState {
		s := client.State()
		return slo.DownstreamState{Breaker: s.Breaker, InFlight: s.InFlight, Limit: s.Limit, Tokens: s.Tokens}
	})
	w.app.people.WatchDownstream(d, settings.Timeout, func() ops.DownstreamState { return ops.DownstreamState(client.State()) })
	return nil
}

// remember keeps every good live price, and forgets one that is gone.
func remember(memory cache.Store) func(page.ID, string, page.Quote, bool, time.Time) {
	return func(id page.ID, variant string, q page.Quote, absent bool, sent time.Time) {
		key := cache.Key{ID: id, Variant: variant}
		if absent {
			memory.Forget(key, sent)
			return
		}
		memory.Remember(key, q.Shown())
	}
}
