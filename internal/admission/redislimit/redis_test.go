package redislimit

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/bff/internal/admission"
	"example.com/bff/internal/cache"
	"example.com/bff/internal/page"
)

func take(t *testing.T, s *Store, key string, a admission.Allowance) page.Rate {
	t.Helper()
	rate, err := s.Take(t.Context(), key, a)
	if err != nil {
		t.Fatal(err)
	}
	return rate
}

// want compares but for what goes by in a test: up to ten minutes.
func want(t *testing.T, got, want page.Rate) {
	t.Helper()
	near := func(got, want time.Duration) bool { return got <= want && got > want-10*time.Minute }
	if got.Refused != want.Refused || got.Limit != want.Limit || got.Remaining != want.Remaining ||
		!near(got.Reset, want.Reset) || !near(got.RetryAfter, want.RetryAfter) {
		t.Errorf("%+v, want about %+v", got, want)
	}
}

func TestABucketIsEmptiedAndSaysWhenToComeBack(t *testing.T) {
	path, ok := startRedis(t)
	if !ok {
		return
	}
	s := unhurried(t, path)
	hourly := admission.Allowance{PerSecond: 1.0 / 3600, Burst: 3}
	want(t, take(t, s, "a", hourly), page.Rate{Limit: 3, Remaining: 2, Reset: time.Hour})
	want(t, take(t, s, "a", hourly), page.Rate{Limit: 3, Remaining: 1, Reset: 2 * time.Hour})
	want(t, take(t, s, "a", hourly), page.Rate{Limit: 3, Remaining: 0, Reset: 3 * time.Hour})
	for range 3 {
		want(t, take(t, s, "a", hourly), page.Rate{Refused: true, Limit: 3, Reset: 3 * time.Hour, RetryAfter: time.Hour})
	}
	want(t, take(t, s, "b", hourly), page.Rate{Limit: 3, Remaining: 2, Reset: time.Hour})
	for _, odd := range []admission.Allowance{{PerSecond: 3, Burst: 1}, {PerSecond: 1e6, Burst: 1}, {PerSecond: 1e-6, Burst: 1e6}} {
		if rate := take(t, s, strconv.FormatFloat(odd.PerSecond, 'g', -1, 64), odd); rate.Refused || rate.Remaining != odd.Burst-1 {
			t.Errorf("the first of %+v: %+v", odd, rate)
		}
	}
}

func TestTheSlowestBucketThatThereCanBeIsKept(t *testing.T) {
	path, ok := startRedis(t)
	if !ok {
		return
	}
	slowest := admission.Allowance{PerSecond: 1e-6, Burst: 1e6} // whole again in 32,000 years
	taken := time.Now().UnixMicro() + int64(slowest.Burst-2)*1e12
	if err := connect(t, path).Set(t.Context(), prefix+"a", taken, 0).Err(); err != nil {
		t.Fatal(err)
	}
	if rate := take(t, unhurried(t, path), "a", slowest); rate.Refused || rate.Remaining != 1 {
		t.Errorf("%+v", rate)
	}
}

func TestABucketFillsByRedissClock(t *testing.T) {
	path, ok := startRedis(t)
	if !ok {
		return
	}
	s := unhurried(t, path)
	client := connect(t, path)
	hourly := admission.Allowance{PerSecond: 1.0 / 3600, Burst: 2}
	for name, c := range map[string]struct {
		missing time.Duration // until the bucket is full
		want    page.Rate
	}{
		"full long since":        {-time.Hour, page.Rate{Limit: 2, Remaining: 1, Reset: time.Hour}},
		"one is left":            {time.Hour, page.Rate{Limit: 2, Remaining: 0, Reset: 2 * time.Hour}},
		"half of one is left":    {90 * time.Minute, page.Rate{Refused: true, Limit: 2, Reset: 90 * time.Minute, RetryAfter: 30 * time.Minute}},
		"by a clock hours ahead": {20 * time.Hour, page.Rate{Refused: true, Limit: 2, Reset: 2 * time.Hour, RetryAfter: time.Hour}},
	} {
		t.Run(name, func(t *testing.T) {
			now, err := client.Time(t.Context()).Result()
			if err != nil {
				t.Fatal(err)
			}
			if err := client.Set(t.Context(), prefix+name, now.Add(c.missing).UnixMicro(), 0).Err(); err != nil {
				t.Fatal(err)
			}
			want(t, take(t, s, name, hourly), c.want)
			full, err := client.Get(t.Context(), prefix+name).Float64()
			if until := time.UnixMicro(int64(full)).Sub(now); err != nil || until > c.want.Reset+10*time.Minute {
				t.Errorf("%v until it is full again, by the key; %v", until, err)
			}
		})
	}
}

func TestAKeyLivesAsLongAsItsBucketIsNotFull(t *testing.T) {
	path, ok := startRedis(t)
	if !ok {
		return
	}
	s, client := unhurried(t, path), connect(t, path)
	for _, refused := range []bool{false, true, true} {
		rate := take(t, s, "a", admission.Allowance{PerSecond: 1.0 / 3600, Burst: 1})
		left, err := client.PTTL(t.Context(), "bff:rate:a").Result()
		if err != nil || rate.Refused != refused || left <= 50*time.Minute || left > time.Hour {
			t.Errorf("refused %v, expires in %v, %v", rate.Refused, left, err)
		}
	}
	if v := client.Get(t.Context(), "bff:rate:a").Val(); !regexp.MustCompile(`^\d{16}\.\d\d$`).MatchString(v) {
		t.Errorf("holds %q, want microseconds with every digit", v)
	}
}

func TestInstancesShareABucketToTheLastToken(t *testing.T) {
	path, ok := startRedis(t)
	if !ok {
		return
	}
	stores := []*Store{unhurried(t, path), unhurried(t, path)}
	var taken atomic.Int64
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			rate, err := stores[i%2].Take(t.Context(), "a", admission.Allowance{PerSecond: 1.0 / 3600, Burst: 50})
			if err != nil {
				t.Error(err)
			} else if !rate.Refused {
				taken.Add(1)
			}
		})
	}
	wg.Wait()
	if taken.Load() != 50 {
		t.Errorf("%d taken, want 50", taken.Load())
	}
}

func TestOneRoundTripEach(t *testing.T) {
	path, ok := startRedis(t)
	if !ok {
		return
	}
	s, client := unhurried(t, path), connect(t, path)
	daily := admission.Allowance{PerSecond: 1.0 / 86400, Burst: 3}
	take(t, s, "loads the script", daily)
	if err := client.ConfigResetStat(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		take(t, s, "a", daily)
	}
	stats, err := client.Info(t.Context(), "commandstats").Result()
	if err != nil || !strings.Contains(stats, "cmdstat_evalsha:calls=5,") || strings.Contains(stats, "cmdstat_eval:") {
		t.Errorf("%v\n%s", err, stats)
	}
}

func TestASilentRedisIsGivenUpOn(t *testing.T) {
	s := New(connect(t, silent(t))) // whose own timeout is an hour
	if rate, err := s.Take(context.Background(), "a", admission.Allowance{PerSecond: 1, Burst: 1}); err == nil {
		t.Errorf("%+v", rate)
	}
}

func TestAnAbsentRedisIsAnError(t *testing.T) {
	s := New(connect(t, socket(t)))
	if rate, err := s.Take(t.Context(), "a", admission.Allowance{PerSecond: 1, Burst: 1}); err == nil {
		t.Errorf("%+v", rate)
	}
}

func TestClientsOfEveryFormOfURLHeedDeadlines(t *testing.T) {
	for _, url := range []string{"redis://127.0.0.1:1", "redis+sentinel://127.0.0.1:1/m", "redis+cluster://127.0.0.1:1"} {
		client, end, err := cache.Connect(url, 1)
		if err != nil {
			t.Fatal(err)
		}
		heeds := false
		switch c := client.(type) {
		case *redis.Client: // Sentinel's too
			heeds = c.Options().ContextTimeoutEnabled
		case *redis.ClusterClient: // with routing policies, it first asks a node for COMMAND, with a patience of its own
			heeds = c.Options().ContextTimeoutEnabled && c.Options().DisableRoutingPolicies
		}
		if !heeds {
			t.Errorf("%s: the client waits for its own timeouts, which are seconds", url)
		}
		if err := end(); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, _, err := cache.Connect("redis://:secret@", 1); err == nil || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}
