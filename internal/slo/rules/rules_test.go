package rules_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"example.com/bff/internal/slo"
	"example.com/bff/internal/slo/rules"
)

type rule struct {
	Record, Alert, Expr, For string
	Labels, Annotations      map[string]string
}

// all reads every rule of the given scale.
func all(t *testing.T, scale int) []rule {
	t.Helper()
	files, err := rules.Files(rules.Options{Scale: scale})
	if err != nil {
		t.Fatal(err)
	}
	var found []rule
	for _, name := range []string{rules.RecordingFile, rules.AlertsFile} {
		var document struct {
			Groups []struct{ Rules []rule }
		}
		if err := yaml.Unmarshal(files[name], &document); err != nil {
			t.Fatal(err)
		}
		for _, g := range document.Groups {
			found = append(found, g.Rules...)
		}
	}
	return found
}

func find(t *testing.T, in []rule, record string) string {
	t.Helper()
	for _, r := range in {
		if r.Record == record {
			return r.Expr
		}
	}
	t.Fatalf("nothing records %s", record)
	return ""
}

// TestEachAlertTellsAPersonWhatToDo holds the alerts and the runbook together, both ways.
func TestEachAlertTellsAPersonWhatToDo(t *testing.T) {
	book, err := os.ReadFile("../../../docs/runbook.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := make(map[string]string)
	for _, section := range strings.Split(string(book), "\n## ")[1:] {
		title, body, _ := strings.Cut(section, "\n")
		sections[title] = body
	}
	alerts := make(map[string]bool)
	for _, r := range all(t, 1) {
		if r.Alert == "" {
			continue
		}
		alerts[r.Alert] = true
		if r.Annotations["summary"] == "" || r.Annotations["description"] == "" || r.For == "" ||
			!slices.Contains([]string{"page", "ticket"}, r.Labels["severity"]) {
			t.Errorf("%s lacks a summary, a description, a wait or a severity: %+v", r.Alert, r)
		}
		if want := "docs/runbook.md#" + strings.ToLower(r.Alert); r.Annotations["runbook_url"] != want {
			t.Errorf("%s points to %q, want %q", r.Alert, r.Annotations["runbook_url"], want)
		}
		for _, part := range []string{"**What it means.**", "**What to look at.**", "**What to do.**"} {
			if !strings.Contains(sections[r.Alert], part) {
				t.Errorf("the runbook's section %q does not say %s", r.Alert, part)
			}
		}
	}
	for title := range sections {
		if strings.HasPrefix(title, "Bff") && !alerts[title] {
			t.Errorf("the runbook has a section on %s, which no rule alerts on", title)
		}
	}
}

// TestTheRulesReadWhatTheServiceTells looks for each metric and each bucket of the rules in a scrape: an alert on a
// series that does not exist cannot fire.
func TestTheRulesReadWhatTheServiceTells(t *testing.T) {
	w := httptest.NewRecorder()
	slo.New(slo.Options{}).Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	scrape := w.Body.String()
	metric, bound := regexp.MustCompile(`(^|[^:a-z_])(bff_[a-z_]+)`), regexp.MustCompile(`le="[^"]*"`)
	outcome := regexp.MustCompile(`outcome=~?"([^"]*)"`)
	for _, r := range all(t, 1) {
		for _, name := range metric.FindAllStringSubmatch(r.Expr, -1) {
			if !strings.Contains(scrape, "\n"+name[2]+"{") && !strings.Contains(scrape, "\n"+name[2]+" ") {
				t.Errorf("%s%s reads %s, which is not told", r.Record, r.Alert, name[2])
			}
		}
		for _, le := range bound.FindAllString(r.Expr, -1) {
			if !strings.Contains(scrape, le) || !strings.Contains(le, ".") {
				t.Errorf("%s%s reads the bucket %s, which is not told or is an integer", r.Record, r.Alert, le)
			}
		}
		for _, names := range outcome.FindAllStringSubmatch(r.Expr, -1) {
			for name := range strings.SplitSeq(names[1], "|") {
				if !strings.Contains(scrape, `outcome="`+name+`"`) {
					t.Errorf("%s%s reads the outcome %q, which is not told", r.Record, r.Alert, name)
				}
			}
		}
	}
}

func TestEveryWindowIsRecordedForAllAndForEachClient(t *testing.T) {
	found := all(t, 1)
	for _, window := range strings.Fields("5m 30m 1h 2h 6h 1d 3d 30d") {
		for _, level := range []string{"slo", "slo_client"} {
			bad, valid := level+":bff_bad:increase"+window, level+":bff_valid:increase"+window
			find(t, found, bad)
			find(t, found, valid)
			if got, want := find(t, found, level+":bff_bad:ratio"+window), bad+" / ("+valid+" > 0)"; got != want {
				t.Errorf("%s over %s is %s", level, window, got)
			}
		}
	}
}

func TestShorterRulesKeepTheirNames(t *testing.T) {
	found := all(t, 20)
	for record, part := range map[string]string{
		"slo_client:bff_bad:increase5m": "[15s]",
		"slo_client:bff_bad:increase1h": "[3m]",
		"slo_client:bff_bad:increase3d": "[3h36m]) * 3 / 15",
	} {
		if expr := find(t, found, record); !strings.Contains(expr, part) {
			t.Errorf("%s is %s", record, expr)
		}
	}
	if expr := find(t, all(t, 1), "slo_client:bff_bad:increase3d"); !strings.Contains(expr, "[3d]) * 30 / 300") {
		t.Errorf("unscaled: %s", expr)
	}
	for _, r := range found {
		if r.Alert == "BffAvailabilityBurn" && r.Labels["window"] == "1h" && r.For != "3s" {
			t.Errorf("waits for %s", r.For)
		}
	}
}

func TestTheConfigScrapesTheInstancesItIsTold(t *testing.T) {
	for want, o := range map[string]rules.Options{
		`targets: ["bff-1:9090", "bff-2:9090"]`: {},
		`targets: ["127.0.0.1:9101"]`:           {Targets: []string{"127.0.0.1:9101"}},
		"scrape_interval: 15s":                  {},
		"scrape_interval: 3s":                   {Scale: 20},
	} {
		files, err := rules.Files(o)
		if err != nil || !strings.Contains(string(files[rules.ConfigFile]), want) {
			t.Errorf("no %s (%v):\n%s", want, err, files[rules.ConfigFile])
		}
	}
}
