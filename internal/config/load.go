package config

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"
)

const fromEnvironment = "environment"

// loader reads one environment and keeps every mistake in it.
type loader struct {
	rules    map[string]rule   // by full name
	values   map[string]string // known names that are set to something, white space around it removed
	unknown  []string          // BFF_ names that are not known
	otel     map[string]string // OTEL_ names, untouched
	mistakes Mistakes
}

// newLoader sorts environ by whose each name is. Of a name that stands there twice, the first counts, as it does for
// the operating system's own look-up.
func newLoader(environ []string) *loader {
	l := &loader{rules: map[string]rule{}, values: map[string]string{}, otel: map[string]string{}}
	for _, s := range names() {
		l.rules[s.name] = s.rule
	}
	seen := map[string]bool{}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if seen[name] {
			continue
		}
		seen[name] = true
		trimmed := strings.TrimSpace(value)
		_, known := l.rules[name]
		switch {
		case known && trimmed != "":
			l.values[name] = trimmed
		case known:
		case strings.HasPrefix(name, "OTEL_"):
			l.otel[name] = value
		case strings.HasPrefix(name, prefix) && !injectedByKubernetes(name, trimmed):
			l.unknown = append(l.unknown, name)
		}
	}
	return l
}

// overlay sets those fields of target, a pointer to a struct with env tags, that are given and right.
func (l *loader) overlay(target any, prefix string) {
	var current string // the name being read: the library tells a parser the value alone
	opts := env.Options{
		Environment: l.values,
		Prefix:      prefix,
		OnSet:       func(name string, _ any, _ bool) { current = name },
		FuncMap:     map[reflect.Type]env.ParserFunc{},
	}
	for typ, read := range readers {
		opts.FuncMap[typ] = func(value string) (any, error) { return l.read(current, value, read) }
	}
	err := env.ParseWithOptions(target, opts)
	var all env.AggregateError
	if errors.As(err, &all) {
		for _, err := range all.Errors {
			l.mistakes = append(l.mistakes, mistakeIn(err))
		}
	}
}

// read turns the value of a name into what its rule lets through. The error is a Mistake.
func (l *loader) read(name, value string, read reader) (any, error) {
	rule := l.rules[name]
	v, err := read(value)
	if err == nil {
		v, err = rule.check(v)
	}
	if err != nil {
		return nil, Mistake{Name: name, Value: shown(name, value), Wrong: err.Error(), Allowed: rule.text}
	}
	return v, nil
}

// mistakeIn digs out the Mistake that a parser returned.
func mistakeIn(err error) Mistake {
	var parse env.ParseError
	var m Mistake
	if errors.As(err, &parse) && errors.As(parse.Err, &m) {
		return m
	}
	return Mistake{Wrong: err.Error()} // a field without a reader: a defect, which the tests would tell
}

func (l *loader) refuseUnknownNames() {
	known := names()
	for _, name := range l.unknown {
		wrong := "is no name of this service"
		if strings.HasPrefix(name, prefix+"X_") {
			wrong += ": X stands for one of CATALOG, PRICE, STOCK, REVIEWS, RECOMMENDATIONS"
		} else if near := nearest(name, known); near != "" {
			wrong += "; did you mean " + near + "?"
		}
		l.add(name, "", wrong, "")
	}
}

func (l *loader) add(name, value, wrong, allowed string) {
	l.mistakes = append(l.mistakes, Mistake{name, value, wrong, allowed})
}

func (l *loader) given(name string) bool { _, ok := l.values[name]; return ok }

func (l *loader) byDefault(name string) string {
	if l.given(name) {
		return ""
	}
	return "the default and "
}

// wrong tells whether a name already has a mistake: what would follow from it is not told.
func (l *loader) wrong(name string) bool {
	return slices.ContainsFunc(l.mistakes, func(m Mistake) bool { return m.Name == name })
}

// sorted brings the mistakes into the order of the table, unknown names last.
func (l *loader) sorted() Mistakes {
	rank := map[string]int{}
	for i, s := range names() {
		rank[s.name] = i - len(l.rules)
	}
	slices.SortStableFunc(l.mistakes, func(a, b Mistake) int {
		if d := rank[a.Name] - rank[b.Name]; d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name)
	})
	return l.mistakes
}
