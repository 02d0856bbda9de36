package page_test

import (
	"strings"
	"testing"
	"time"

	"example.com/bff/internal/page"
)

func TestNewQuote(t *testing.T) {
	tests := []struct {
		amount, currency string
		ok               bool
	}{
		{"0", "EUR", true}, {"0.000001", "EUR", true}, {"129.90", "JPY", true}, {"999999999999999.999999", "EUR", true},
		{"", "EUR", false}, {"00", "EUR", false}, {"01", "EUR", false}, {"1.", "EUR", false}, {".5", "EUR", false},
		{"1.0000000", "EUR", false}, {"1000000000000000", "EUR", false}, {"-1", "EUR", false}, {"+1", "EUR", false},
		{"1e3", "EUR", false}, {"1,5", "EUR", false}, {" 1", "EUR", false}, {"1 ", "EUR", false}, {"1.2.3", "EUR", false},
		{"١", "EUR", false}, {"NaN", "EUR", false}, {"1", "", false}, {"1", "eur", false}, {"1", "EURO", false}, {"1", "E R", false},
	}
	for _, tt := range tests {
		if _, err := page.NewQuote(tt.amount, tt.currency, asOf); (err == nil) != tt.ok {
			t.Errorf("NewQuote(%q, %q): %v", tt.amount, tt.currency, err)
		}
	}
}

func TestShownPriceSurvivesTheMemory(t *testing.T) {
	shown := quote(t, "129.90", asOf).Shown()
	b, err := shown.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	back, err := page.ParseShownPrice(b)
	if err != nil || back != shown {
		t.Errorf("got %+v, %v; want %+v", back, err, shown)
	}
	if !back.AsOf().Equal(asOf.Truncate(time.Millisecond)) {
		t.Errorf("asOf became %v", back.AsOf())
	}
	if len(b) > 24 {
		t.Errorf("%d bytes for a price is not compact", len(b))
	}
}

func TestParseID(t *testing.T) {
	for s, ok := range map[string]bool{
		"p-1001": true, "A.z_9~-": true, "...": true, ".a": true, strings.Repeat("x", 64): true,
		"": false, ".": false, "..": false, "a/b": false, "a%2Fb": false, "a b": false, "ä": false, "a\x00": false,
		strings.Repeat("x", 65): false,
	} {
		if _, err := page.ParseID(s); (err == nil) != ok {
			t.Errorf("ParseID(%q): %v", s, err)
		}
	}
}

func FuzzParseShownPrice(f *testing.F) {
	for _, amount := range []string{"0", "129.90"} {
		b, _ := quote(f, amount, asOf).Shown().AppendBinary(nil)
		f.Add(b)
	}
	f.Add([]byte{1, 0x80})
	f.Add([]byte("\x02old"))
	f.Fuzz(func(t *testing.T, b []byte) {
		shown, err := page.ParseShownPrice(b)
		if err != nil {
			return
		}
		again, _ := shown.AppendBinary(nil)
		if back, err := page.ParseShownPrice(again); err != nil || back != shown {
			t.Errorf("%x is read as %+v, which is written as %x and read as %+v, %v", b, shown, again, back, err)
		}
	})
}
