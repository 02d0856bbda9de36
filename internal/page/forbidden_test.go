package page_test

import (
	"os/exec"
	"strings"
	"testing"
)

// What each forbidden program is refused for. The control, which differs only in using a live price, compiles.
var forbidden = map[string]string{
	"offer_of_shown":              "as page.Quote value in argument to page.NewOffer",
	"convert":                     "cannot convert remembered",
	"literal":                     "cannot refer to unexported field amount",
	"accessor":                    "remembered.Amount undefined",
	"offer_of_remembered_section": "as page.Quote value in argument to page.NewOffer",
	"stale_as_quote":              "as page.Quote value in argument to page.LivePrice",
	"missing_need":                "as page.Answer[page.Availability] value",
}

func TestStalePriceCannotReachMoney(t *testing.T) {
	if out, err := vet("allowed"); err != nil {
		t.Fatalf("the control does not compile, so the others prove nothing: %v\n%s", err, out)
	}
	for program, reason := range forbidden {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			out, err := vet(program)
			if err == nil {
				t.Fatal("compiles")
			}
			if !strings.Contains(out, reason) {
				t.Errorf("refused, but not because of %q:\n%s", reason, out)
			}
		})
	}
}

func vet(program string) (string, error) {
	out, err := exec.Command("go", "build", "-o", "/dev/null", "./testdata/forbidden/"+program).CombinedOutput()
	return string(out), err
}
