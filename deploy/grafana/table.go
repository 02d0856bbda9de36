package main

import "math"

// dashboard is one row of the table of dashboards.
type dashboard struct {
	uid   string // its address, /d/<uid>, and its file's name
	title string
	about string
	rows  []row
}

func (d *dashboard) file() string { return d.uid + ".json" }

// row is a heading and the panels below it.
type row struct {
	title   string
	perLine int // panels beside each other; 0: three
	height  int // of its panels, in Grafana's units; 0: eight
	panels  []panel
}

// panel is one picture. Every instance is in it; only a title with "per instance" tells them apart.
type panel struct {
	title   string
	about   string // what it shows, and what to think of it
	unit    unit
	draw    drawing
	queries []query
	colours []colour // from which value on; none: always green
	then    string   // the uid of the dashboard to look at next
	traces  bool     // its points lead to traces, where Prometheus keeps exemplars
}

// query is PromQL, and what to call each series of its result.
type query struct{ expr, legend string }

// unit is Grafana's name of one.
type unit string

const (
	count     unit = "short"
	perSecond unit = "reqps"
	share     unit = "percentunit" // 0 to 1
	times     unit = "suffix:x"
	seconds   unit = "s"
	octets    unit = "bytes"
	cores     unit = "suffix:cores"
	yesOrNo   unit = "bool_yes_no"
)

// drawing is how a panel looks. The zero value is lines.
type drawing uint8

const (
	lines   drawing = iota
	stacked         // areas, each upon the one before
	number          // as of now
	list            // likewise, a line per series
)

// colour holds from a value on, up to the next one's. In lines, each but the lowest is drawn as a limit.
type colour struct {
	name string
	from float64
}

var lowest = math.Inf(-1)

// Outcomes as the table of objectives counts them.
const (
	failed  = `outcome=~"unavailable|shed|error"`
	served  = `outcome=~"full|degraded|not_modified|not_found"`
	counted = `outcome=~"full|degraded|not_modified|not_found|unavailable|shed|error"`
)
