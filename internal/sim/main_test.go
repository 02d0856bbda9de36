package sim_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"example.com/bff/internal/sim"
)

// write is what make sim sets: the experiments in full length, printed and written to the document. Without it they
// are shorter, and the document is compared with what they measure.
var write = flag.Bool("write", false, "run the experiments in full and write docs/experiments.md")

const document = "../../docs/experiments.md"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bubble measures something in virtual time.
func bubble[T any](t *testing.T, measure func(t *testing.T) T) (measured T) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { measured = measure(t) })
	return measured
}

// publish writes the table into the document, or holds the document to it.
func publish(t *testing.T, table sim.Table) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if *write {
		fmt.Println(table.Markdown())
		updated, err := table.Into(string(text))
		if err == nil {
			err = os.WriteFile(document, []byte(updated), 0o644)
		}
		if err != nil {
			t.Error(err)
		}
		return
	}
	written, err := table.From(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, difference := range table.Differences(written) {
		t.Errorf("docs/experiments.md is out of date (make sim writes it): %s", difference)
	}
}

func outage(short, full sim.Outage) sim.Outage {
	if *write {
		return full
	}
	return short
}
