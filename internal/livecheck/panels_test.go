package livecheck

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// question is one query of a dashboard.
type question struct {
	Expr     string
	Instant  bool // as of now, not over a range
	Exemplar bool // asks for traces as well

	where       string // file and panel
	perInstance bool   // may tell instances apart
}

// substituted has a window in the variable's place: many scrapes long, as Grafana's is.
func (q question) substituted() string {
	return strings.ReplaceAll(q.Expr, "$__rate_interval", "1m")
}

// questions are those of every panel of the shipped dashboards, and of their annotations.
func questions(t *testing.T) []question {
	t.Helper()
	files, err := filepath.Glob("../../deploy/grafana/dashboards/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d dashboards (%v)", len(files), err)
	}
	var all []question
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var dashboard struct {
			Panels []struct {
				Title   string
				Targets []question
			}
			Annotations struct {
				List []struct{ Name, Expr string }
			}
		}
		if err := json.Unmarshal(content, &dashboard); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		for _, panel := range dashboard.Panels {
			for _, q := range panel.Targets {
				q.where, q.perInstance = name+"/"+panel.Title, strings.Contains(panel.Title, "per instance")
				all = append(all, q)
			}
		}
		for _, a := range dashboard.Annotations.List {
			all = append(all, question{Expr: a.Expr, where: name + "/" + a.Name, perInstance: true})
		}
	}
	return all
}
