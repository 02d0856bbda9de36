package rules_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/bff/internal/slo/rules"
)

// shipped is where the generated files and promtool's tests of them live.
const shipped = "../../../deploy/prometheus"

// promtool runs it in a folder, if this machine has it. CI must have it.
func promtool(t *testing.T, folder string, arguments ...string) (output string, passed, found bool) {
	t.Helper()
	tool, err := exec.LookPath("promtool")
	if err != nil {
		if os.Getenv("BFF_CI") != "" {
			t.Fatal("CI needs promtool: apt-get install prometheus")
		}
		t.Log("the rules were not tested: promtool is missing (apt-get install prometheus, or the archive of prometheus.io)")
		return "", false, false
	}
	command := exec.CommandContext(t.Context(), tool, arguments...)
	command.Dir = folder
	out, err := command.CombinedOutput()
	return string(out), err == nil, true
}

// written is a folder with freshly generated files and promtool's tests of them.
func written(t *testing.T, o rules.Options) string {
	t.Helper()
	files, err := rules.Files(o)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(folder, "tests"), os.DirFS(filepath.Join(shipped, "tests"))); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestPromtoolAcceptsTheFilesAtAnyScale(t *testing.T) {
	for _, scale := range []int{0, 20} {
		folder := written(t, rules.Options{Scale: scale, Targets: []string{"127.0.0.1:9101"}})
		for _, arguments := range [][]string{
			{"check", "config", rules.ConfigFile},
			{"check", "rules", rules.RecordingFile, rules.AlertsFile},
		} {
			if output, passed, found := promtool(t, folder, arguments...); found && !passed {
				t.Errorf("scale %d: %v: %s", scale, arguments, output)
			}
		}
	}
}

func TestPromtoolTestsPass(t *testing.T) {
	tests, err := filepath.Glob(filepath.Join(shipped, "tests", "*.test.yml"))
	if err != nil || len(tests) < 12 {
		t.Fatalf("%d test files (%v)", len(tests), err)
	}
	for _, test := range tests {
		name := filepath.Base(test)
		if output, passed, found := promtool(t, filepath.Dir(test), "test", "rules", name); found && !passed {
			t.Errorf("%s: %s", name, output)
		}
	}
}

// mutations are mistakes that somebody could make in the rules, and the test that must notice.
var mutations = []struct{ name, test, old, mutant string }{
	{"a shed page is not bad", "outcomes", "unavailable|shed|error", "unavailable|error"},
	{"shed background traffic counts", "outcomes", "|shed|", "|shed|shed_background|"},
	{"a client that left counts", "outcomes", "not_found|unavailable", "not_found|cancelled|unavailable"},
	{"a degraded page is not available", "outcomes", `{outcome=~"unavailable|`, `{outcome=~"degraded|unavailable|`},
	{"an average of clients, each weighing the same", "clients",
		"expr: slo:bff_bad:increase5m / (slo:bff_valid:increase5m > 0)", "expr: avg by (slo) (slo_client:bff_bad:ratio5m)"},
	{"no alert per client", "clients", "slo_client:bff_bad:ratio1h{", "slo:bff_bad:ratio1h{"},
	{"no guard for low traffic", "night", ">= 10", ">= 0"},
	{"no short window", "outage", "bff_bad:ratio5m{", "bff_bad:ratio1h{"},
	{"a bad minute is enough", "blip", "slo:bff_bad:ratio1h{", "slo:bff_bad:ratio5m{"},
	{"an alert that lasts as long as its long window", "recovery", "bff_bad:ratio30m{", "bff_bad:ratio6h{"},
	{"a ticket that lasts as long as its long window", "recovery", "bff_bad:ratio2h{", "bff_bad:ratio1d{"},
	{"the last ticket lasts for days", "recovery", "bff_bad:ratio6h{", "bff_bad:ratio3d{"},
	{"a guard over the wrong window", "drip", "bff_bad:increase1d{", "bff_bad:increase1h{"},
	{"a budget of three days", "month", "[30d]", "[3d]"},
	{"NaN where nothing was valid", "silence", " > 0)", ")"},
	{"another bucket", "latency", `le="0.5"`, `le="0.45"`},
	{"long windows count each answer ten times", "slow-burn", " * 30 / 300", ""},
	{"absence goes unnoticed", "service", "absent(bff_page_requests_total)", "bff_page_requests_total == 0"},
	{"instances that come and go are there", "restarts", "count_over_time((max(up{job=\"bff\"}) == 0)[5m:30s]) >= 5", "max(up{job=\"bff\"}) == 0"},
	{"an instance that comes and goes is there", "restarts", "count_over_time((up{job=\"bff\"} == 0)[5m:30s]) >= 5", "up{job=\"bff\"} == 0"},
	{"a deploy is a crash loop", "restarts", "[15m]) >= 3", "[15m]) >= 1"},
	{"one of three in a crash loop pages", "restarts", "> 0.5 * count(up", "> 0.1 * count(up"},
	{"what lasted for seconds is told minutes later", "service", "[2m])) > 0", "[5m])) > 0"},
	{"a breaker seen half-open counts as well", "service", "max_over_time(bff_breaker_state{state=\"open\"}[1m])", "bff_breaker_state{state=\"open\"}"},
}

func TestAMistakeInTheRulesBreaksATest(t *testing.T) {
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			folder := written(t, rules.Options{})
			if replace(t, folder, m.old, m.mutant) == 0 {
				t.Fatalf("%q is in no rule", m.old)
			}
			if output, passed, found := promtool(t, filepath.Join(folder, "tests"), "test", "rules", m.test+".test.yml"); found {
				if passed || !strings.Contains(output, "FAILED") || strings.Contains(output, "parse error") {
					t.Errorf("passed: %v; %s", passed, output)
				}
			}
		})
	}
}

// replace changes the rule files and tells how often.
func replace(t *testing.T, folder, old, mutant string) (times int) {
	t.Helper()
	for _, name := range []string{rules.RecordingFile, rules.AlertsFile} {
		path := filepath.Join(folder, name)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		times += strings.Count(string(content), old)
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(content), old, mutant)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return times
}

func TestTheShippedFilesAreWhatTheTableSays(t *testing.T) {
	files, err := rules.Files(rules.Options{})
	if err != nil {
		t.Fatal(err)
	}
	there, err := filepath.Glob(filepath.Join(shipped, "*.yml"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range there {
		there[i] = filepath.Base(there[i])
	}
	if want := slices.Sorted(maps.Keys(files)); !slices.Equal(slices.Sorted(slices.Values(there)), want) {
		t.Errorf("%v are shipped, %v are generated", there, want)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(shipped, name)); err != nil || string(got) != string(want) {
			t.Errorf("%s is not what the table says (%v): run make rules", name, err)
		}
	}
}
