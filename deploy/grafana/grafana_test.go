package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shown is what these tests read of a dashboard's file.
type shown struct {
	UID, Title, Description string
	Tags                    []string
	Links                   []struct{ Type string }
	Templating              struct{ List []variable }
	Annotations             struct{ List []struct{ Expr string } }
	Panels                  []picture
}

type variable struct {
	Name, Type, Query string
	Current           struct{ Value string }
}

type picture struct {
	ID                       int
	Type, Title, Description string
	Datasource               struct{ UID string }
	GridPos                  struct{ X, Y, W, H int }
	FieldConfig              struct{ Defaults struct{ Unit string } }
	Links                    []struct{ URL string }
	Targets                  []struct {
		RefID, Expr string
		Datasource  struct{ UID string }
	}
}

// shipped are the files, by name.
func shipped(t *testing.T) map[string]shown {
	t.Helper()
	files, err := filepath.Glob("dashboards/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files (%v)", len(files), err)
	}
	all := make(map[string]shown)
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var s shown
		if err := json.Unmarshal(content, &s); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[filepath.Base(file)] = s
	}
	return all
}

// each calls f for every panel that is no heading.
func each(t *testing.T, f func(where string, p picture)) {
	t.Helper()
	for file, d := range shipped(t) {
		for _, p := range d.Panels {
			if p.Type != "row" {
				f(file+": "+p.Title, p)
			}
		}
	}
}

func TestTheFilesAreWhatTheTablesSay(t *testing.T) {
	for _, d := range dashboards {
		want, err := d.render()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("dashboards", d.file()))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s is not what the table says (%v): run make dashboards", d.file(), err)
		}
	}
	if n := len(shipped(t)); n != len(dashboards) {
		t.Errorf("there are %d files of %d dashboards", n, len(dashboards))
	}
}

func TestEachDashboardHasOneVariableAndLeadsToTheOthers(t *testing.T) {
	uids := make(map[string]bool)
	for file, d := range shipped(t) {
		if d.UID+".json" != file || d.Title == "" || d.Description == "" || uids[d.UID] {
			t.Errorf("%s: uid %q, title %q, description %q", file, d.UID, d.Title, d.Description)
		}
		uids[d.UID] = true
		if v := d.Templating.List; len(v) != 1 || v[0].Name != "datasource" || v[0].Type != "datasource" || v[0].Query != "prometheus" {
			t.Errorf("%s: variables %+v", file, v)
		}
		if len(d.Links) != 1 || d.Links[0].Type != "dashboards" || !slices.Contains(d.Tags, "bff") {
			t.Errorf("%s: links %+v, tags %v", file, d.Links, d.Tags)
		}
		if len(d.Annotations.List) != 2 || !strings.HasPrefix(d.Annotations.List[0].Expr, "ALERTS{") {
			t.Errorf("%s: annotations %+v", file, d.Annotations.List)
		}
	}
	each(t, func(where string, p picture) {
		for _, link := range p.Links {
			uid, _, _ := strings.Cut(strings.TrimPrefix(link.URL, "/d/"), "?")
			if !uids[uid] {
				t.Errorf("%s leads to %q, which is no dashboard", where, link.URL)
			}
		}
	})
}

// units are those that Grafana knows of those that panels here use.
var units = []string{"short", "reqps", "percentunit", "s", "bytes", "bool_yes_no", "suffix:x", "suffix:cores"}

func TestEachPanelSaysWhatItShows(t *testing.T) {
	each(t, func(where string, p picture) {
		if p.Title == "" || len(p.Description) < 15 || !strings.HasSuffix(p.Description, ".") {
			t.Errorf("%s: is described as %q", where, p.Description)
		}
		if !slices.Contains(units, p.FieldConfig.Defaults.Unit) {
			t.Errorf("%s: unit %q", where, p.FieldConfig.Defaults.Unit)
		}
		if p.Datasource.UID != "${datasource}" || len(p.Targets) == 0 {
			t.Errorf("%s: data source %q, %d queries", where, p.Datasource.UID, len(p.Targets))
		}
		for _, target := range p.Targets {
			if target.Datasource.UID != "${datasource}" {
				t.Errorf("%s: data source %q", where, target.Datasource.UID)
			}
		}
	})
}

func TestPanelsDoNotOverlap(t *testing.T) {
	for file, d := range shipped(t) {
		taken, ids := make(map[[2]int]string), make(map[int]bool)
		for _, p := range d.Panels {
			if ids[p.ID] || p.GridPos.W < 4 || p.GridPos.X+p.GridPos.W > fullWidth {
				t.Errorf("%s: %q has id %d and place %+v", file, p.Title, p.ID, p.GridPos)
			}
			ids[p.ID] = true
			for x := range p.GridPos.W {
				for y := range p.GridPos.H {
					place := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
					if other := taken[place]; other != "" {
						t.Fatalf("%s: %q lies upon %q", file, p.Title, other)
					}
					taken[place] = p.Title
				}
			}
		}
	}
}
