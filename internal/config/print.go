package config

import (
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"

	"example.com/bff/internal/page"
)

// Print writes what holds: a line NAME=value for each name, in the order of the table, and where the value comes from.
// Secrets are masked.
func (c *Config) Print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, v := range c.values() {
		fmt.Fprintf(table, "%s=%s\t# %s\n", v.name, printable(masked(v.text)), c.origin(v.name))
	}
	for _, name := range slices.Sorted(maps.Keys(c.OTel)) {
		fmt.Fprintf(table, "%s=%s\t# %s\n", printable(name), printable(maskedOTel(name, c.OTel[name])), fromEnvironment)
	}
	return table.Flush()
}

// Usage writes a line for each name: what it means, and what it is by default. X stands for a downstream.
func Usage(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, d := range documented() {
		line := strings.ReplaceAll(d.meaning, "`", "")
		if d.byDefault != "" {
			line += " [" + d.byDefault + "]"
		}
		fmt.Fprintf(table, "  %s\t%s\n", d.name, line)
	}
	return table.Flush()
}

func (c *Config) origin(name string) string {
	if o, ok := c.origins[name]; ok {
		return o
	}
	return "default"
}

// value is a name and what it holds, as text.
type value struct{ name, text string }

// values lists what holds under each name, in the order of the table.
func (c *Config) values() []value {
	byName := map[string]string{}
	collect(byName, prefix, reflect.ValueOf(*c))
	for i, s := range c.Downstreams {
		collect(byName, downstreamPrefix(page.Dependency(i)), reflect.ValueOf(s))
	}
	var all []value
	for _, s := range names() {
		all = append(all, value{s.name, byName[s.name]})
	}
	return all
}

func collect(byName map[string]string, prefix string, v reflect.Value) {
	for field, value := range v.Fields() {
		if name, ok := field.Tag.Lookup("env"); ok && name != "-" {
			byName[prefix+name] = text(value.Interface())
		}
	}
}

// documentation is one row of the table that people read.
type documentation struct{ name, byDefault, allowed, meaning string }

// documented lists every name once, BFF_X_ for the five of a downstream's, with defaults.
func documented() []documentation {
	byName := map[string]string{}
	for _, v := range defaults().values() {
		byName[v.name] = v.text
	}
	var rows []documentation
	for _, s := range settings {
		rows = append(rows, documentation{prefix + s.name, byName[prefix+s.name], s.rule.text, s.meaning})
	}
	for _, s := range downstreamSettings {
		rows = append(rows, documentation{prefix + "X_" + s.name, defaultsOfX(s.name, byName), s.rule.text, s.meaning})
	}
	return rows
}

// defaultsOfX tells a default once where it is the same for all downstreams, else for whom it is which.
func defaultsOfX(name string, byName map[string]string) string {
	var values []string
	of := map[string][]string{}
	for _, d := range page.Dependencies {
		v := byName[downstreamPrefix(d)+name]
		if len(of[v]) == 0 {
			values = append(values, v)
		}
		of[v] = append(of[v], d.String())
	}
	if len(values) == 1 {
		return values[0]
	}
	for i, v := range values {
		values[i] = v + " (" + strings.Join(of[v], ", ") + ")"
	}
	return strings.Join(values, "; ")
}
