package accesslog_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/world"
)

// TestTheServiceLogsEachRequestOnce asks the whole service for each kind of answer, and reads its whole log: a line of
// another part that told the same again would have its request id.
func TestTheServiceLogsEachRequestOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		path    string
		fault   fakes.Fault // of stock
		header  []string
		leaves  time.Duration
		outcome string
	}{
		"full":        {path: "/products/p-1", outcome: "full"},
		"an offer":    {path: "/products/p-1/offer", outcome: "full"},
		"a bad id":    {path: "/products/a%0Alevel=ERROR", outcome: "invalid"},
		"no time":     {path: "/products/p-1", header: []string{"X-Request-Timeout-Ms", "1"}, outcome: "deadline"},
		"it fails":    {path: "/products/p-1", fault: fakes.Fault{Status: 500}, outcome: "unavailable"},
		"it resets":   {path: "/products/p-1", fault: fakes.Fault{Reset: fakes.ResetBody}, outcome: "unavailable"},
		"it hangs":    {path: "/products/p-1", fault: fakes.Fault{Hang: true}, outcome: "unavailable"},
		"client left": {path: "/products/p-1", fault: fakes.Fault{Hang: true}, leaves: 50 * ms, outcome: "cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := world.Start(t)
				w.Fault("stock", tt.fault)
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				if tt.leaves > 0 {
					defer time.AfterFunc(tt.leaves, leave).Stop()
				}
				w.Do(ctx, http.MethodGet, world.Public, tt.path, append(tt.header,
					"X-Request-Id", "the-one", "X-Client", "a\tlevel=ERROR", "X-Market", `","level":"ERROR`, "User-Agent", "\tforged")...)
				time.Sleep(time.Second)
				told := 0
				for line := range strings.Lines(w.Log.String()) {
					var fields map[string]any
					if err := json.Unmarshal([]byte(line), &fields); err != nil {
						t.Fatalf("%q: %v", line, err)
					}
					if strings.Contains(line, "the-one") || strings.Contains(line, "p-1") || fields["outcome"] != nil {
						told++
						if fields["outcome"] != tt.outcome || fields["request_id"] != "the-one" || fields["client"] != "other" {
							t.Errorf("%s", line)
						}
					}
					if fields["level"] == "ERROR" {
						t.Errorf("forged, or a defect: %s", line)
					}
				}
				if told != 1 {
					t.Errorf("told %d times:\n%s", told, w.Log)
				}
			})
		})
	}
}
