// Package archtest holds the rules that no single package can: who may import whom, what is used where, and how large a
// file may be. The rules are tables in rules_test.go.
package archtest

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTheProjectKeepsItsRules(t *testing.T) {
	files := project(t)
	if len(files) < 30 {
		t.Fatalf("only %d files found: this looks in the wrong place", len(files))
	}
	for _, complaint := range complaints(files) {
		t.Error(complaint)
	}
}

func TestEveryRuleIsAboutSomethingThatExists(t *testing.T) {
	there := map[string]bool{}
	for _, f := range project(t) {
		there[f.pkg()] = true
	}
	for pkg := range mayImport {
		if !there[pkg] {
			t.Errorf("rules: there is no package %s", pkg)
		}
	}
}

// A rule that cannot fail is none: each catches its offender.
func TestTheRulesCatchWhatTheyForbid(t *testing.T) {
	for source, want := range map[string]string{
		`internal/merge/x.go: package merge; import _ "example.com/bff/internal/downstreams"`:              "may not import",
		`fakes/x.go: package fakes; import _ "example.com/bff/internal/page"`:                              "may not import",
		`internal/new/x.go: package new; import _ "example.com/bff/internal/page"`:                         "has no place",
		`internal/merge/x.go: package merge; import "github.com/prometheus/client_golang/prometheus"`:      "may not import",
		`internal/page/x.go: package page; import "golang.org/x/sync/errgroup"`:                            "may not import",
		`internal/merge/x.go: package merge; import "github.com/nobody/knows"`:                             "has no place",
		`internal/merge/x.go: package merge; import p "example.com/bff/internal/page"; var x = p.NewQuote`: "uses page.NewQuote",
		`internal/app/x.go: package app; import "os"; func f() { os.Exit(1) }`:                             "uses os.Exit",
		`cmd/bff/x.go: package main; import "log/slog"; func f() { slog.Info("x") }`:                       "uses slog.Info",
		`cmd/bff/x.go: package main; func init() {}`:                                                       "has an init",
		"cmd/bff/x.go: package main\n// TO" + "DO: later":                                                  "leaves something for later",
		`internal/app/x_test.go: package app; func f(t *testing.T) { t.Skip() }`:                           "skips",
		`internal/app/x.go: package app` + strings.Repeat("\n", longestFile+1):                             "has 301 lines",
		`internal/app/x.go: package app`:                                                                   "has no package doc",
	} {
		name, code, _ := strings.Cut(source, ": ")
		f, err := parse(name, []byte(code))
		if err != nil {
			t.Fatal(err)
		}
		if found := complaints([]*file{f}); !strings.Contains(strings.Join(found, "\n"), want) {
			t.Errorf("%.80s: no complaint that it %s: %q", source, want, found)
		}
	}
}

func complaints(files []*file) []string {
	var all []string
	documented := map[string]bool{}
	for _, f := range files {
		documented[f.pkg()] = documented[f.pkg()] || f.Doc != nil
		for _, check := range []func(*file) []string{imports, used, declared, unfinished} {
			for _, complaint := range check(f) {
				all = append(all, f.name+" "+complaint)
			}
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(documented)) {
		if !documented[pkg] {
			all = append(all, pkg+" has no package doc that says what it promises")
		}
	}
	return all
}

func imports(f *file) []string {
	if f.isTest() {
		return nil
	}
	allowed, placed := mayImport[f.pkg()]
	if !placed {
		return []string{"is in " + f.pkg() + ", which has no place in the table of imports"}
	}
	var all []string
	for _, imported := range f.imports {
		if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
			if !among(ours, allowed) {
				all = append(all, "may not import "+ours)
			}
		} else if strings.Contains(strings.Split(imported, "/")[0], ".") {
			all = append(all, library(f, imported)...)
		}
	}
	return all
}

func library(f *file, imported string) []string {
	for lib, pkgs := range onlyIn {
		if imported == lib || strings.HasPrefix(imported, lib+"/") {
			if f.pkg() == "internal/page" || !among(f.pkg(), pkgs) {
				return []string{"may not import " + imported}
			}
			return nil
		}
	}
	return []string{"imports " + imported + ", which has no place in the table of libraries"}
}

func among(name string, allowed []string) bool {
	return slices.Contains(allowed, name) || slices.Equal(allowed, anything)
}

func used(f *file) []string {
	if f.isTest() {
		return nil
	}
	var all []string
	ast.Inspect(f.File, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		from, ok := selector.X.(*ast.Ident)
		if !ok {
			return true
		}
		for _, rule := range uses {
			if selector.Sel.Name == rule.name && f.imports[from.Name] == rule.path && !below(f.name, rule.in) {
				all = append(all, fmt.Sprintf("uses %s.%s: %s", path.Base(rule.path), rule.name, rule.because))
			}
		}
		return true
	})
	return all
}

func below(name string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(name, folder+"/") })
}

func declared(f *file) []string {
	var all []string
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
			all = append(all, "has an init: what runs is told by who calls it")
		}
	}
	if f.lines > longestFile && !f.isTest() {
		all = append(all, fmt.Sprintf("has %d lines, more than %d", f.lines, longestFile))
	}
	return all
}

var later = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`)

func unfinished(f *file) []string {
	var all []string
	for _, group := range f.Comments {
		if later.MatchString(group.Text()) {
			all = append(all, "leaves something for later: "+strings.TrimSpace(group.Text()))
		}
	}
	ast.Inspect(f.File, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && f.isTest() && (s.Sel.Name == "Skip" || s.Sel.Name == "SkipNow" || s.Sel.Name == "Skipf") {
			all = append(all, "skips a test")
		}
		return true
	})
	return all
}
