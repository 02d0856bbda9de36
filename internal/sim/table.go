package sim

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Table is what an experiment measured, as docs/experiments.md shows it.
type Table struct {
	Name   string // of its place in the document
	Header []string
	Rows   [][]string // the first cell is the row's name
}

// Markdown renders it.
func (t Table) Markdown() string {
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(t.Header)
	line(slices.Repeat([]string{"---"}, len(t.Header)))
	for _, row := range t.Rows {
		line(row)
	}
	return b.String()
}

// Differences are the cells of doc that are not like t's: other words, or numbers further off than two runs are from one
// another. The numbers of a column whose header ends in an asterisk hang on luck, and are not compared.
func (t Table) Differences(doc Table) (all []string) {
	if !slices.Equal(t.Header, doc.Header) || len(t.Rows) != len(doc.Rows) {
		return []string{fmt.Sprintf("the columns are %q and %d rows, not %q and %d", doc.Header, len(doc.Rows), t.Header, len(t.Rows))}
	}
	for i, row := range t.Rows {
		for j, cell := range row {
			if j < len(doc.Rows[i]) && alike(cell, doc.Rows[i][j], strings.HasSuffix(t.Header[j], "*")) {
				continue
			}
			all = append(all, fmt.Sprintf("%s, %s: %q, measured is %q", row[0], t.Header[j], doc.Rows[i][j:], cell))
		}
	}
	return all
}

var number = regexp.MustCompile(`-?\d+(\.\d+)?`)

func alike(a, b string, luck bool) bool {
	if number.ReplaceAllString(a, "#") != number.ReplaceAllString(b, "#") {
		return false
	}
	in, of := number.FindAllString(a, -1), number.FindAllString(b, -1)
	for i := range in {
		x, _ := strconv.ParseFloat(in[i], 64)
		y, _ := strconv.ParseFloat(of[i], 64)
		if !luck && math.Abs(x-y) > 0.15+0.2*max(math.Abs(x), math.Abs(y)) {
			return false
		}
	}
	return true
}

const (
	begin = "<!-- measured: %s, written by make sim -->\n"
	end   = "<!-- end of measured -->\n"
)

// Into puts t in its place in a document. There must be one.
func (t Table) Into(document string) (string, error) {
	before, _, after, err := t.split(document)
	return before + "\n" + t.Markdown() + "\n" + after, err
}

// From reads the table in t's place in a document.
func (t Table) From(document string) (Table, error) {
	_, body, _, err := t.split(document)
	found := Table{Name: t.Name}
	for line := range strings.Lines(strings.TrimSpace(body)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case found.Header == nil:
			found.Header = cells
		case cells[0] != "---":
			found.Rows = append(found.Rows, cells)
		}
	}
	return found, err
}

func (t Table) split(document string) (before, body, after string, err error) {
	mark := fmt.Sprintf(begin, t.Name)
	before, rest, found := strings.Cut(document, mark)
	body, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", "", "", fmt.Errorf("the document has no place for %s", t.Name)
	}
	return before + mark, body, end + after, nil
}

func millis(d time.Duration) string { return fmt.Sprintf("%.0f ms", float64(d)/float64(ms)) }

func percent(share float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(100*share, 'f', 1, 64), ".0") + " %"
}

func times(factor float64) string { return fmt.Sprintf("%.2f×", factor) }

func counts(outcomes map[string]int) string {
	var all []string
	for _, o := range slices.Sorted(maps.Keys(outcomes)) {
		all = append(all, fmt.Sprintf("%d %s", outcomes[o], o))
	}
	return strings.Join(all, ", ")
}
