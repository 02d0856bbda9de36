// Package rules writes Prometheus's configuration and rules from the table of objectives.
//
// It promises that what is recorded and what wakes people follows slo.Objectives and nothing else; that ratios over many
// clients and instances are ratios of sums, so that each answer weighs the same; and that silence, or a handful of
// requests, is no emergency.
package rules

import (
	"bytes"
	"fmt"
	"time"

	"gopkg.in/yaml.v3"
)

// The files' names, as prometheus.yml refers to them.
const (
	ConfigFile    = "prometheus.yml"
	RecordingFile = "slo.rules.yml"
	AlertsFile    = "alerts.rules.yml"
)

// Options is how to write the rules. The zero value writes those that are shipped.
type Options struct {
	Scale   int      // 2 and more: windows, waits and intervals are so many times shorter, for tests against the clock
	Targets []string // host:port of each instance's admin listener; none: those of the compose file
}

const header = `# Generated from the table in internal/slo/objectives.go by "go run ./internal/slo/cmd/rules".
# Do not edit: change the table or the generator and run it again.
`

// Files is every generated file, by name.
func Files(o Options) (map[string][]byte, error) {
	s := scale(max(o.Scale, 1))
	recording, err := document(s.recording())
	if err != nil {
		return nil, err
	}
	alerts, err := document(append(s.burnAlerts(), s.serviceAlerts()))
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		ConfigFile:    []byte(header + s.config(o.Targets)),
		RecordingFile: recording,
		AlertsFile:    alerts,
	}, nil
}

type group struct {
	Name     string `yaml:"name"`
	Interval string `yaml:"interval"`
	Rules    []rule `yaml:"rules"`
}

// rule records if Record is set and alerts if Alert is.
type rule struct {
	Record      string            `yaml:"record,omitempty"`
	Alert       string            `yaml:"alert,omitempty"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for,omitempty"`
	Labels      map[string]string `yaml:"labels,omitempty"`
	Annotations map[string]string `yaml:"annotations,omitempty"`
}

func document(groups []group) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(header)
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(map[string][]group{"groups": groups}); err != nil {
		return nil, fmt.Errorf("writing rules: %w", err)
	}
	return b.Bytes(), nil
}

// scale is how many times shorter time is than what people see. Names and labels keep the long times.
type scale int

// The intervals of the shipped configuration. Long windows add up samples that come once per evaluation.
const (
	scrapeEvery   = 15 * time.Second
	evaluateEvery = 30 * time.Second
)

// of is the duration as this scale writes it.
func (s scale) of(d time.Duration) string { return duration(s.shorten(d)) }

// shorten leaves at least three seconds: a scrape has no longer than its interval, and a busy machine needs more than one.
func (s scale) shorten(d time.Duration) time.Duration { return max(d/time.Duration(s), 3*time.Second) }

// duration is in Prometheus's words, such as 2d2h or 5m.
func duration(d time.Duration) string {
	var b bytes.Buffer
	for _, unit := range [...]struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}, {time.Millisecond, "ms"}} {
		if n := d / unit.length; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, unit.name)
			d -= n * unit.length
		}
	}
	return b.String()
}
