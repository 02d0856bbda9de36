package config_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"example.com/bff/internal/config"
)

func TestEveryMistakeIsTold(t *testing.T) {
	for _, c := range []struct{ environ, wrong string }{
		{"BFF_DEADLNE=1s", "BFF_DEADLNE is no name of this service; did you mean BFF_DEADLINE?"},
		{"BFF_RECOMMENDATION_URL=x", "did you mean BFF_RECOMMENDATIONS_URL?"},
		{"BFF_ENTIRELY_DIFFERENT=x", "BFF_ENTIRELY_DIFFERENT is no name of this service"},
		{"BFF_=x", "BFF_ is no name of this service"},
		{"BFF_ADDR=8080", "is not host:port"},
		{"BFF_ADDR=:http", "has no port between 0 and 65535"},
		{"BFF_ADDR=:65536", "has no port between 0 and 65535"},
		{"BFF_ADDR=a b:80", "has no valid host"},
		{"BFF_ADMIN_ADDR=127.0.0.1:8080", "needs a port of its own: BFF_ADDR=:8080 takes this one"},
		{"BFF_DEADLINE=450", `BFF_DEADLINE="450" is not a time with its unit, as in 450ms, 1.5s or 15m; allowed: 50ms to 30s`},
		{"BFF_X_TIMEOUT=1s", "is no name of this service: X stands for one of CATALOG, PRICE, STOCK, REVIEWS, RECOMMENDATIONS"},
		{"BFF_DEADLINE=49ms", "is out of range; allowed: 50ms to 30s"},
		{"BFF_DEADLINE=-1s", "is out of range"},
		{"BFF_REDIS_URL=http://h", "BFF_REDIS_URL=\"***\" does not begin as a Redis URL does"},
		{"BFF_REDIS_URL=redis://", "is not a URL"},
		{"BFF_PRICE_STALE_FOR=0", "is out of range; allowed: 1s to 24h"},
		{"BFF_CLIENTS=web,,mobile", "has an empty item"},
		{"BFF_CLIENTS=web,Web", `has "Web" twice`},
		{"BFF_CLIENTS=web,other", `has the item "other", which is the word for all the rest`},
		{"BFF_CLIENTS=we\"b", `has the item "we\"b", which has a character that a label cannot have`},
		{"BFF_MARKETS=" + strings.Repeat("m", 33), "which is too long"},
		{"BFF_MARKETS=" + numbered(33), "has too many items"},
		{"BFF_MAX_IN_FLIGHT=0", "is out of range; allowed: 1 to 1000000"},
		{"BFF_MAX_IN_FLIGHT=1e3", "is not a whole number"},
		{"BFF_RATE_LIMIT=50", "is not of the form 50/s,burst=100"},
		{"BFF_RATE_LIMIT=50/s,100", "is not of the form 50/s,burst=100"},
		{"BFF_RATE_LIMIT=50/s,burst=0", "is out of range"},
		{"BFF_RATE_LIMIT=NaN/s", "is out of range"},
		{"BFF_RATE_LIMIT=0.0000009/s", "is out of range"},
		{"BFF_TRUSTED_PROXIES=10.0.0.0/33", `has the item "10.0.0.0/33", which is neither an address nor a network`},
		{"BFF_TRUSTED_PROXIES=fe80::1%eth0", "neither an address nor a network"},
		{"BFF_TRUSTED_PROXIES=10.0.0.1,10.0.0.1/32", "has 10.0.0.1/32 twice"},
		{"BFF_PAGE_CACHE_CONTROL=a\r\nSet-Cookie: x", "has a character that a header cannot carry"},
		{"BFF_SERVER_TIMING=perhaps", "is neither; allowed: true or false"},
		{"BFF_CORS_ORIGINS=shop.example", "is not http:// or https:// and a host"},
		{"BFF_CORS_ORIGINS=https://shop.example/", "has more than scheme, host and port"},
		{"BFF_CORS_ORIGINS=https://*.shop.example", "has no valid host"},
		{"BFF_CORS_ORIGINS=https://shop.example:", "has no valid host"},
		{"BFF_CORS_ORIGINS=*,https://shop.example", "has * beside others"},
		{"BFF_CORS_ORIGINS=http://a,http://A:80", "twice"},
		{"BFF_DRAIN=11m", "is out of range; allowed: 0s to 10m"},
		{"BFF_LOG=xml", "is neither; allowed: json or text"},
		{"BFF_LOG_SAMPLE=1.01", "is out of range; allowed: 0 to 1"},
		{"BFF_LOG_SAMPLE=NaN", "is out of range"},
		{"BFF_CATALOG_URL= ", "BFF_CATALOG_URL is not set; allowed: http://"},
		{"BFF_CATALOG_URL=catalog:8080/{id}", "is neither http:// nor https://"},
		{"BFF_CATALOG_URL=http:///{id}", "has no valid host"},
		{"BFF_CATALOG_URL=http://h:99999/{id}", "has no valid host"},
		{"BFF_CATALOG_URL=http://h/a", "lacks {id}"},
		{"BFF_CATALOG_URL=http://h/a%7Bid%7D", "lacks {id}"},
		{"BFF_CATALOG_URL=http://h/p-{id}", "elsewhere than as one whole segment"},
		{"BFF_CATALOG_URL=http://h/{id}.json", "elsewhere than as one whole segment"},
		{"BFF_CATALOG_URL=http://h/{id}/{id}", "has {id} more than once"},
		{"BFF_CATALOG_URL=http://h/a?id={id}", "has {id} in its query"},
		{"BFF_CATALOG_URL=http://h/{id}#x", "has a fragment"},
		{"BFF_CATALOG_URL=http://h/{market}/{id}", "has a placeholder other than {id}"},
		{"BFF_CATALOG_URL=http://h/ä/{id}", "has a character that a URL must percent-encode"},
		{"BFF_CATALOG_TIMEOUT=450ms", "is not shorter than BFF_DEADLINE=450ms"},
		{"BFF_DEADLINE=200ms", `BFF_CATALOG_TIMEOUT="200ms" is the default and not shorter than BFF_DEADLINE=200ms`},
		{"BFF_CATALOG_BULKHEAD=0", "is out of range; allowed: 1 to 100000"},
		{"BFF_CATALOG_RETRIES=6", "is out of range; allowed: 0 to 5"},
		{"BFF_CATALOG_HEDGE_AFTER=p99", "is neither off, nor p95, nor a time"},
		{"BFF_CATALOG_HEDGE_AFTER=0s", "is out of range"},
		{"BFF_CATALOG_HEDGE_AFTER=200ms", "would never come: BFF_CATALOG_TIMEOUT=200ms ends the first attempt before"},
		{"BFF_CATALOG_RETRY_BUDGET=1.1", "is out of range; allowed: 0 to 1"},
		{"BFF_CATALOG_BREAKER_FAILURE_RATE=0", "is out of range; allowed: over 0, up to 1"},
		{"BFF_CATALOG_BREAKER_MIN_CALLS=0", "is out of range"},
		{"BFF_CATALOG_BREAKER_WINDOW=1ms", "is out of range"},
		{"BFF_CATALOG_BREAKER_COOLDOWN=1ms", "is out of range"},
		{"BFF_CATALOG_BREAKER_PROBES=0", "is out of range"},
		{"BFF_CATALOG_COALESCE=yes", "is neither"},
		{"BFF_PRICE_FRESH_FOR=1s", "is not for price, whose answers are never served again as live"},
		{"BFF_STOCK_FRESH_FOR=1s", "is not for stock"},
		{"BFF_CATALOG_FORWARD_HEADERS=host", `has the item "host", which is not forwarded as it came`},
		{"BFF_CATALOG_FORWARD_HEADERS=X-Market,te", "is not forwarded as it came"},
		{"BFF_CATALOG_FORWARD_HEADERS=x-request-deadline", "is not forwarded as it came"},
		{"BFF_CATALOG_FORWARD_HEADERS=X Market", "is no header's name"},
		{"BFF_CATALOG_FORWARD_HEADERS=X-Market,x-market", "twice"},
	} {
		_, err := config.Load(with(c.environ))
		if err == nil || !strings.HasPrefix(err.Error(), "one mistake in the environment:\n  BFF_") {
			t.Errorf("%q: %v", c.environ, err)
		} else if !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%q: no %q in %v", c.environ, c.wrong, err)
		}
	}
}

func TestCallersDoNotReplaceTheCredentialsOfAURL(t *testing.T) {
	for url, refused := range map[string]bool{"http://me:pass@h/{id}": true, "http://me@h/{id}": true, "http://h/{id}": false} {
		_, err := config.Load(with("BFF_PRICE_URL="+url, "BFF_PRICE_FORWARD_HEADERS=X-Market,authorization"))
		const wrong = `BFF_PRICE_FORWARD_HEADERS="X-Market,Authorization" has Authorization, which the user in BFF_PRICE_URL already decides`
		if (err != nil) != refused || refused && !strings.HasSuffix(err.Error(), wrong) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func numbered(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint("m", i)
	}
	return strings.Join(all, ",")
}

func TestAllMistakesAreToldAtOnceInTheOrderOfTheTable(t *testing.T) {
	_, err := config.Load([]string{
		"BFF_PRICE_RETRIES=2", "BFF_PRICE_HEDGE_AFTER=p95", "BFF_ZZZ=1", "BFF_AAA=1", "BFF_STOCK_TIMEOUT=1s", "BFF_LOG=loud",
		"BFF_CATALOG_URL=http://catalog/{id}", "BFF_PRICE_URL=http://price/{id}", "BFF_STOCK_URL=http://stock/products",
		"BFF_REVIEWS_URL=http://reviews/{id}",
	})
	want := `7 mistakes in the environment:
  BFF_LOG="loud" is neither; allowed: json or text
  BFF_PRICE_HEDGE_AFTER="p95" excludes BFF_PRICE_RETRIES=2: a call retries or hedges, never both
  BFF_STOCK_URL="http://stock/products" lacks {id}; allowed: http:// or https://, a host, and a path with {id} as one whole segment, as in http://catalog:8080/catalog/{id}
  BFF_STOCK_TIMEOUT="1s" is not shorter than BFF_DEADLINE=450ms
  BFF_RECOMMENDATIONS_URL is not set; allowed: http:// or https://, a host, and a path with {id} as one whole segment, as in http://catalog:8080/catalog/{id}
  BFF_AAA is no name of this service
  BFF_ZZZ is no name of this service`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestWhatFollowsFromAMistakeIsNotToldBesideIt(t *testing.T) {
	for _, environ := range [][]string{
		{"BFF_DEADLINE=2sec", "BFF_CATALOG_TIMEOUT=800ms"},
		{"BFF_PRICE_RETRIES=lots", "BFF_PRICE_HEDGE_AFTER=p95"},
		{"BFF_PRICE_TIMEOUT=?", "BFF_PRICE_HEDGE_AFTER=300ms"},
		{"BFF_ADDR=9090", "BFF_ADMIN_ADDR=:9090"},
	} {
		if _, err := config.Load(with(environ...)); err == nil || strings.Count(err.Error(), "\n") != 1 {
			t.Errorf("%q: %v", environ, err)
		}
	}
}

func TestSecretsAreShownNowhere(t *testing.T) {
	const secret = "hunter2"
	for _, environ := range []string{
		"BFF_REDIS_URL=redis://user:hunter2@redis:6379/0",
		"BFF_REDIS_URL=redis+sentinel://:hun@ter2@a:1,b:2/primary?sentinel_password=hunter2",
		"BFF_REDIS_URL=hunter2",
		"BFF_REDIS_URL=https://:hunter2@redis",
		"BFF_REDIS_PASSWORD=hunter2",
		"BFF_CATALOG_URL=http://me:hunter2@h/{id}?api_key=hunter2&x=y",
		"BFF_CATALOG_URL=http://h/{id}?k=hunter2", "BFF_CATALOG_URL=http://h/{id}?hunter2", "BFF_CATALOG_URL=http://h/?k=hunter2",
		"BFF_CATALOG_URL=http://me:hunter2@h/",
		"BFF_CATALOG_URL=http://me:hunter2/@h/{id}",
		"BFF_CATALOG_URL=http://me:hunter2@h:port/{id}",
		"BFF_CATALOG_URL=me:hunter2@h/{id}",
		"BFF_CORS_ORIGINS=https://me:hunter2@shop.example",
		"BFF_ADDR=redis://me:hunter2@h:1",
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://me:hunter2@h:4318",
		"OTEL_EXPORTER_OTLP_TRACES_HEADERS=x-key=hunter2",
	} {
		c, err := config.Load(with(environ))
		said := fmt.Sprint(err)
		if err == nil {
			line, _ := json.Marshal(c.RedisURL)
			said = printed(t, c) + fmt.Sprintf("%v %+v %#v %s", c.RedisURL, c.RedisURL, c.RedisURL, line) +
				slog.Any("redis", c.RedisURL).Value.Resolve().String()
		}
		if strings.Contains(said, secret) || strings.Contains(said, "ter2") {
			t.Errorf("%s: told in\n%s", environ, said)
		}
	}
}

func TestAValueCannotForgeALineNorFillAScreen(t *testing.T) {
	_, err := config.Load(with("BFF_LOG=json\n  BFF_ADDR is fine\x1b[2J", "BFF_LOG_SAMPLE="+strings.Repeat("9", 5000), "BFF_A\nB=1"))
	if said := fmt.Sprint(err); strings.Count(said, "\n") != 3 || strings.Contains(said, "\x1b") || len(said) > 1000 {
		t.Errorf("%s", said)
	}
}
