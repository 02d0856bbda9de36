package config

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Mistake is one thing that is wrong, told to a person. Value is fit to be shown: secrets are masked in it.
type Mistake struct {
	Name    string
	Value   string // empty when none was given, or when it might be a secret
	Wrong   string
	Allowed string // empty where Wrong says it all
}

func (m Mistake) Error() string {
	var b strings.Builder
	b.WriteString(printable(shortened(m.Name)))
	if m.Value != "" {
		b.WriteString("=" + quoted(m.Value))
	}
	b.WriteString(" " + m.Wrong)
	if m.Allowed != "" {
		b.WriteString("; allowed: " + m.Allowed)
	}
	return b.String()
}

// Mistakes is every mistake of one environment, in the order of the table of names.
type Mistakes []Mistake

func (ms Mistakes) Error() string {
	var b strings.Builder
	if len(ms) == 1 {
		b.WriteString("one mistake in the environment:")
	} else {
		fmt.Fprintf(&b, "%d mistakes in the environment:", len(ms))
	}
	for _, m := range ms {
		b.WriteString("\n  " + m.Error())
	}
	return b.String()
}

// quoted is a wrong value as a mistake repeats it: it cannot forge a line, nor fill a screen.
func quoted(s string) string { return strconv.QuoteToASCII(shortened(s)) }

// printable keeps a text on its line, without quotes where it needs none.
func printable(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.QuoteToASCII(s)
	}
	return s
}

func shortened(s string) string {
	const longest = 100
	if len(s) > longest {
		return s[:longest] + "..."
	}
	return s
}
