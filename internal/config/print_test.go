package config_test

import (
	"reflect"
	"strings"
	"testing"

	"example.com/bff/internal/config"
)

func TestPrintTellsEachNameOnceWithItsOrigin(t *testing.T) {
	environ := with("BFF_DRAIN=3s", "OTEL_B=1", "OTEL_A=line\nline")
	out := printed(t, load(t, environ))
	if again := printed(t, load(t, environ)); again != out {
		t.Error("not the same twice")
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if want := 16 + 5*14 + 2; len(lines) != want {
		t.Errorf("%d lines, not %d:\n%s", len(lines), want, out)
	}
	var squeezed []string
	for _, line := range lines {
		squeezed = append(squeezed, strings.Join(strings.Fields(line), " "))
	}
	for i, want := range map[int]string{
		0: "BFF_ADDR=:8080 # default", 13: "BFF_DRAIN=3s # environment", 16: "BFF_CATALOG_URL=http://catalog/{id} # environment",
		86: `OTEL_A="line\nline" # environment`, 87: "OTEL_B=1 # environment",
	} {
		if squeezed[i] != want {
			t.Errorf("line %d is %q, not %q", i, squeezed[i], want)
		}
	}
}

func TestUsageNamesEverything(t *testing.T) {
	var b strings.Builder
	if err := config.Usage(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"BFF_ADDR ", "BFF_X_FORWARD_HEADERS ", "[450ms]", "[200ms (catalog); 150ms (price, stock, reviews); 100ms (recommendations)]"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if n := strings.Count(b.String(), "\n"); n != 16+14 {
		t.Errorf("%d lines", n)
	}
}

// What Print writes is an environment that gives the same Config: nothing that holds is left out or told wrongly.
func FuzzWhatIsPrintedLoadsAsTheSame(f *testing.F) {
	for _, s := range []string{
		"BFF_ADDR=:1", "BFF_DEADLINE=1h", "BFF_RATE_LIMIT=0.1/s,burst=1", "BFF_TRUSTED_PROXIES=::/0", "BFF_CLIENTS=none",
		"BFF_PRICE_HEDGE_AFTER=p95", "BFF_LOG_SAMPLE=1e-9", "BFF_CORS_ORIGINS=*", "BFF_PAGE_CACHE_CONTROL=a # b", "BFF_STOCK_URL=http://a/{id}/?x=y",
		"BFF_CATALOG_FORWARD_HEADERS=a,b", "BFF_CATALOG_BREAKER_WINDOW=1h0.5s",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, pair string) {
		c, err := config.Load(with(pair))
		if err != nil {
			if strings.Count(err.Error(), "\n") < 1 {
				t.Fatalf("no mistake is told: %v", err)
			}
			return
		}
		out := printed(t, c)
		if strings.Contains(out, "***") {
			return // what is masked cannot be the same
		}
		var again []string
		for line := range strings.Lines(out) {
			again = append(again, line[:strings.LastIndex(line, "# ")])
		}
		d := load(t, again)
		for field, value := range reflect.ValueOf(*c).Fields() {
			if !field.IsExported() || field.Name == "OTel" {
				continue
			}
			if became := reflect.ValueOf(*d).FieldByIndex(field.Index); !reflect.DeepEqual(value.Interface(), became.Interface()) {
				t.Errorf("%s: %v became %v", field.Name, value, became)
			}
		}
	})
}
