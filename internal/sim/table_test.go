package sim_test

import (
	"strings"
	"testing"

	"example.com/bff/internal/sim"
)

func TestATableHasItsPlaceInTheDocument(t *testing.T) {
	place := "before\n<!-- measured: x, written by make sim -->\n\nold\n\n<!-- end of measured -->\nafter\n"
	measured := sim.Table{Name: "x", Header: []string{"", "calls", "well *"}, Rows: [][]string{{"naive", "800", "after 4 s"}}}
	document, err := measured.Into(place)
	if err != nil || strings.Contains(document, "old") || !strings.HasPrefix(document, "before") || !strings.HasSuffix(document, "after\n") {
		t.Fatalf("%v: %s", err, document)
	}
	again, err := measured.Into(document)
	if err != nil || again != document {
		t.Errorf("%v: written twice: %s", err, again)
	}
	if _, err := measured.Into("elsewhere"); err == nil {
		t.Error("a document without a place for it is no error")
	}
	written, err := measured.From(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		calls, well string
		same        bool
	}{
		{"800", "after 4 s", true}, {"700", "after 6 s", true}, {"600", "after 4 s", false}, {"800", "never", false},
	} {
		measured.Rows = [][]string{{"naive", c.calls, c.well}}
		if got := len(measured.Differences(written)) == 0; got != c.same {
			t.Errorf("%+v: %v", c, measured.Differences(written))
		}
	}
	measured.Rows = append(measured.Rows, measured.Rows[0])
	if len(measured.Differences(written)) == 0 {
		t.Error("a row more is no difference")
	}
}
