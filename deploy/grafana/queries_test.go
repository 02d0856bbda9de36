package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"example.com/bff/internal/slo"
)

func TestQueriesKeepTheConventions(t *testing.T) {
	window, integer := regexp.MustCompile(`\[[^\]]*\]`), regexp.MustCompile(`(le|quantile)="\d+"`)
	each(t, func(where string, p picture) {
		for _, target := range p.Targets {
			for _, w := range window.FindAllString(target.Expr, -1) {
				if w != "[$__rate_interval]" {
					t.Errorf("%s: the window %s", where, w)
				}
			}
			if strings.Contains(strings.ReplaceAll(target.Expr, "$__rate_interval", ""), "$") {
				t.Errorf("%s: another variable in %s", where, target.Expr)
			}
			if bad := integer.FindString(target.Expr); bad != "" {
				t.Errorf("%s: %s, which Prometheus 3 writes as 1.0", where, bad)
			}
		}
	})
}

func TestOutcomesAreCountedAsTheObjectivesDo(t *testing.T) {
	matcher := func(r slo.Results) string { return fmt.Sprintf("outcome=~%q", strings.Join(r.Names(), "|")) }
	for _, o := range slo.Objectives {
		if o.Within > 0 && o.Within.Seconds() != 0.5 {
			t.Errorf("the panel of slow pages counts those over 0.5 s, the objective those over %v", o.Within)
		}
		if !strings.HasSuffix(o.Name, "availability") {
			continue
		}
		if matcher(o.Good) != served || matcher(o.Bad) != failed || matcher(o.Good.Union(o.Bad)) != counted {
			t.Errorf("%s: good are %s, bad are %s", o.Name, matcher(o.Good), matcher(o.Bad))
		}
	}
}

// TestBurnsAreDrawnAsTheAlertsJudgeThem compares each panel's windows and limit with the shipped alerts.
func TestBurnsAreDrawnAsTheAlertsJudgeThem(t *testing.T) {
	content, err := os.ReadFile("../prometheus/alerts.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Labels      map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	windows := regexp.MustCompile(`slo:bff_bad:ratio(\w+)\{slo="availability"\} > (\S+) `)
	var alerts []string
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			if found := windows.FindAllStringSubmatch(r.Expr, -1); len(found) == 2 {
				alerts = append(alerts, fmt.Sprintf("Burn over %s and %s, %s: %s", found[0][1], found[1][1], found[0][2], r.Labels["severity"]))
			}
		}
	}
	var drawn []string
	for _, r := range objectives.rows {
		for _, p := range r.panels {
			if strings.HasPrefix(p.title, "Burn over ") && strings.Contains(p.title, " and ") {
				severity := map[string]string{"red": "page", "orange": "ticket"}[p.colours[1].name]
				drawn = append(drawn, fmt.Sprintf("%s, %v: %s", p.title, p.colours[1].from, severity))
			}
		}
	}
	if len(alerts) != 4 || !slices.Equal(alerts, drawn) {
		t.Errorf("alerts\n%s\npanels\n%s", strings.Join(alerts, "\n"), strings.Join(drawn, "\n"))
	}
}

// TestEveryMetricIsDrawn looks for each metric of the service in some query: what nobody sees need not be told.
func TestEveryMetricIsDrawn(t *testing.T) {
	var queries strings.Builder
	each(t, func(_ string, p picture) {
		for _, target := range p.Targets {
			queries.WriteString(target.Expr + "\n")
		}
	})
	w := httptest.NewRecorder()
	slo.New(slo.Options{}).Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	told := regexp.MustCompile(`(?m)^# TYPE (bff_\w+) `).FindAllStringSubmatch(w.Body.String(), -1)
	if len(told) < 15 {
		t.Fatalf("only %d metrics are told", len(told))
	}
	for _, metric := range told {
		if !regexp.MustCompile(`\b` + metric[1] + `(_bucket|_count|_sum)?\b`).MatchString(queries.String()) {
			t.Errorf("no panel draws %s: give it one, in a table of this folder", metric[1])
		}
	}
}
