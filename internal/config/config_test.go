package config_test

import (
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/bff/internal/config"
	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/page"
)

// urls is the least that an environment must hold.
var urls = []string{
	"BFF_CATALOG_URL=http://catalog/{id}",
	"BFF_PRICE_URL=http://price/{id}",
	"BFF_STOCK_URL=http://stock/{id}",
	"BFF_REVIEWS_URL=http://reviews/{id}",
	"BFF_RECOMMENDATIONS_URL=http://recommendations/{id}",
}

// with is the least environment and more. What is more counts before what is least.
func with(more ...string) []string { return append(more, urls...) }

func load(t *testing.T, environ []string) *config.Config {
	t.Helper()
	c, err := config.Load(environ)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func printed(t *testing.T, c *config.Config) string {
	t.Helper()
	var b strings.Builder
	if err := c.Print(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDefaultsAreTheContracts(t *testing.T) {
	c := load(t, urls)
	got := []any{c.Addr, c.AdminAddr, c.Deadline, c.RedisURL, c.PriceStaleFor, c.Clients, len(c.Markets), c.MaxInFlight,
		c.RateLimit.On(), len(c.TrustedProxies), c.PageCacheControl, c.ServerTiming, len(c.CORSOrigins), c.Drain, c.Log, c.LogSample}
	want := []any{":8080", "127.0.0.1:9090", 450 * time.Millisecond, config.Secret(""), 15 * time.Minute,
		[]string{"web", "mobile"}, 0, 1000, false, 0, "", true, 0, 10 * time.Second, "json", 0.01}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	table := downstreams.Table()
	for i, d := range page.Dependencies {
		table[i].URL = "http://" + d.String() + "/{id}"
	}
	if !reflect.DeepEqual(c.Downstreams, table) {
		t.Errorf("got  %+v\nwant %+v", c.Downstreams, table)
	}
}

func TestEveryNameIsRead(t *testing.T) {
	given := map[string]string{ // as people write it → as it holds
		"BFF_ADDR=[::1]:80":                                         "[::1]:80",
		"BFF_ADMIN_ADDR= 0.0.0.0:9100 ":                             "0.0.0.0:9100",
		"BFF_DEADLINE=1.5s":                                         "1.5s",
		"BFF_REDIS_URL=rediss://u:p@h:6379/1":                       "rediss://***@h:6379/1",
		"BFF_PRICE_STALE_FOR=60m":                                   "1h",
		"BFF_CLIENTS=kiosk, web":                                    "kiosk,web",
		"BFF_MARKETS=de,AT":                                         "de,AT",
		"BFF_MAX_IN_FLIGHT=50":                                      "50",
		"BFF_RATE_LIMIT=0.000001 /s, burst = 7":                     "0.000001/s,burst=7",
		"BFF_TRUSTED_PROXIES=10.1.2.3/8, ::1":                       "10.0.0.0/8,::1/128",
		"BFF_PAGE_CACHE_CONTROL=public, max-age=5":                  "public, max-age=5",
		"BFF_SERVER_TIMING=FALSE":                                   "false",
		"BFF_CORS_ORIGINS=https://Shop.Example:443,http://x:8000":   "https://shop.example,http://x:8000",
		"BFF_DRAIN=0s":                                              "0s",
		"BFF_LOG=TEXT":                                              "text",
		"BFF_LOG_SAMPLE=1":                                          "1",
		"BFF_CATALOG_URL=https://u:p@h/a/{id}?x=1&token=abc":        "https://***@h/a/{id}?***",
		"BFF_CATALOG_TIMEOUT=90ms":                                  "90ms",
		"BFF_CATALOG_BULKHEAD=8":                                    "8",
		"BFF_CATALOG_RETRIES=2":                                     "2",
		"BFF_STOCK_HEDGE_AFTER=P95":                                 "p95",
		"BFF_PRICE_HEDGE_AFTER=30ms":                                "30ms",
		"BFF_CATALOG_RETRY_BUDGET=0.2":                              "0.2",
		"BFF_CATALOG_BREAKER_FAILURE_RATE=0.75":                     "0.75",
		"BFF_CATALOG_BREAKER_MIN_CALLS=5":                           "5",
		"BFF_CATALOG_BREAKER_WINDOW=30s":                            "30s",
		"BFF_CATALOG_BREAKER_COOLDOWN=90s":                          "1m30s",
		"BFF_CATALOG_BREAKER_PROBES=1":                              "1",
		"BFF_CATALOG_COALESCE=0":                                    "false",
		"BFF_REVIEWS_FRESH_FOR=2m":                                  "2m",
		"BFF_CATALOG_FORWARD_HEADERS=x-market,  ACCEPT-language":    "X-Market,Accept-Language",
		"BFF_RECOMMENDATIONS_FORWARD_HEADERS=none":                  "none",
		"OTEL_SERVICE_NAME= as it is ":                              " as it is ",
		"OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20hunter2": "***",
	}
	var environ []string
	for pair := range given {
		environ = append(environ, pair)
	}
	out := printed(t, load(t, with(environ...)))
	for pair, holds := range given {
		name, _, _ := strings.Cut(pair, "=")
		if line := name + "=" + holds + " "; !strings.Contains("\n"+out, "\n"+line) {
			t.Errorf("%s: no line %q in\n%s", pair, line, out)
		}
	}
}

func TestPlainTypesComeOut(t *testing.T) {
	c := load(t, with("BFF_RATE_LIMIT=50/s", "BFF_TRUSTED_PROXIES=::ffff:10.0.0.1,::ffff:192.168.0.0/112", "BFF_CLIENTS=none",
		"BFF_REDIS_URL=redis://u:p@h", "OTEL_X=\n y "))
	if c.RateLimit != (config.RateLimit{PerSecond: 50, Burst: 50}) {
		t.Errorf("rate limit %+v", c.RateLimit)
	}
	ipv4 := []netip.Prefix{netip.MustParsePrefix("10.0.0.1/32"), netip.MustParsePrefix("192.168.0.0/16")}
	if !reflect.DeepEqual(c.TrustedProxies, ipv4) {
		t.Errorf("proxies %v", c.TrustedProxies)
	}
	if len(c.Clients) != 0 || c.RedisURL.Reveal() != "redis://u:p@h" || c.OTel["OTEL_X"] != "\n y " {
		t.Errorf("%+v", c)
	}
}

func TestNothingButTheGivenEnvironmentIsRead(t *testing.T) {
	t.Setenv("BFF_ADDR", ":1")
	t.Setenv("BFF_NONSENSE", "1")
	if c := load(t, urls); c.Addr != ":8080" {
		t.Errorf("read the process's own environment: %q", c.Addr)
	}
	if _, err := config.Load(nil); err == nil || strings.Count(err.Error(), "is not set") != 5 {
		t.Errorf("an empty environment: %v", err)
	}
}

func TestEmptyMeansDefaultAndTheFirstCounts(t *testing.T) {
	c := load(t, with("BFF_DEADLINE=", "BFF_CLIENTS=  ", "BFF_DRAIN=1s", "BFF_DRAIN=2s"))
	if c.Deadline != 450*time.Millisecond || len(c.Clients) != 2 || c.Drain != time.Second {
		t.Errorf("%v %v %v", c.Deadline, c.Clients, c.Drain)
	}
}

func TestNamesThatKubernetesInjectsAreIgnored(t *testing.T) {
	load(t, with("BFF_SERVICE_HOST=10.0.0.1", "BFF_SERVICE_PORT_HTTP=80", "BFF_PORT=tcp://10.0.0.1:80", "BFF_PORT_8080_TCP_ADDR=x",
		"BFF_ADMIN_SERVICE_HOST=x", "BFF_ADMIN_SERVICE_PORT=1", "BFF_ADMIN_PORT=tcp://10.0.0.2:9090", "BFF_REDIS_PORT_6379_TCP_PROTO=tcp"))
	if _, err := config.Load(with("BFF_ADMIN_PORT=9090")); err == nil {
		t.Error("BFF_ADMIN_PORT=9090 was written by a person")
	}
}

func TestHedgeReplacesTheDefaultRetryAlone(t *testing.T) {
	c := load(t, with("BFF_PRICE_HEDGE_AFTER=p95", "BFF_STOCK_HEDGE_AFTER=off", "BFF_CATALOG_HEDGE_AFTER=20ms", "BFF_CATALOG_RETRIES=0"))
	for d, want := range map[page.Dependency]int{page.Catalog: 0, page.Price: 0, page.Stock: 1} {
		if got := c.Downstreams[d].Retries; got != want {
			t.Errorf("%s: %d retries, not %d", d, got, want)
		}
	}
	if out := printed(t, c); !strings.Contains(out, "# BFF_PRICE_HEDGE_AFTER is set") {
		t.Errorf("nobody is told why the retry is gone:\n%s", out)
	}
}

func TestProbeAddr(t *testing.T) {
	for environ, want := range map[string]string{
		"":                              "127.0.0.1:9090",
		"BFF_ADMIN_ADDR=:9100":          "127.0.0.1:9100",
		"BFF_ADMIN_ADDR=0.0.0.0:9100":   "127.0.0.1:9100",
		"BFF_ADMIN_ADDR=[::]:9100":      "[::1]:9100",
		"BFF_ADMIN_ADDR=10.0.0.7:9100":  "10.0.0.7:9100",
		"BFF_ADMIN_ADDR=:0":             "127.0.0.1:8080",
		"BFF_DEADLINE=not for a prober": "127.0.0.1:9090",
	} {
		if got, err := config.ProbeAddr([]string{environ}); err != nil || got != want {
			t.Errorf("%s: %q %v, not %q", environ, got, err, want)
		}
	}
	for _, environ := range [][]string{{"BFF_ADMIN_ADDR=9100"}, {"BFF_ADMIN_ADDR=:0", "BFF_ADDR=:0"}} {
		if got, err := config.ProbeAddr(environ); err == nil {
			t.Errorf("%q gave %q", environ, got)
		}
	}
}
