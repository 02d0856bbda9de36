package app_test

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"example.com/bff/internal/app"
	"example.com/bff/internal/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWhatCannotBeBuiltLeavesNothingBehind(t *testing.T) {
	for _, mistake := range []string{"BFF_REDIS_URL=redis+sentinel://host-without-a-master", "OTEL_EXPORTER_OTLP_ENDPOINT=ftp://x"} {
		env := []string{mistake}
		for _, x := range []string{"CATALOG", "PRICE", "STOCK", "REVIEWS", "RECOMMENDATIONS"} {
			env = append(env, "BFF_"+x+"_URL=http://h/{id}")
		}
		cfg, err := config.Load(env)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(mistake, "=")
		if service, err := app.New(cfg, app.Options{}); err == nil || service != nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", mistake, err)
		}
	}
}
