package config_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"example.com/bff/internal/config"
)

var update = flag.Bool("update", false, "write the tables of names into the documents")

// The documents hold the table that the code reads by: -update writes it there.
func TestDocumentsHoldTheTableOfNames(t *testing.T) {
	for file, columns := range map[string]int{"../../README.md": 3, "../../docs/configuration.md": 4} {
		const begin, end = "<!-- names: made from internal/config, do not edit -->\n", "<!-- end of names -->"
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, ok := strings.Cut(string(raw), begin)
		there, after, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s: the marks around the table are gone", file)
		}
		want := config.Markdown(columns)
		if there == want {
			continue
		}
		if !*update {
			t.Errorf("%s: the table is not what the code says; go test ./internal/config -update writes it", file)
			continue
		}
		if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
