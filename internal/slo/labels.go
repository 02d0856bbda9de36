package slo

import (
	"slices"

	"example.com/bff/internal/page"
)

// closedSet numbers the values that a label can have: those of the configuration and page.Other. Nothing can add to it.
type closedSet struct {
	names []string
	index map[string]int
}

func newClosedSet(names []string) closedSet {
	s := closedSet{index: make(map[string]int, len(names)+1)}
	for _, name := range append(slices.Clone(names), page.Other) {
		if _, known := s.index[name]; !known {
			s.index[name] = len(s.names)
			s.names = append(s.names, name)
		}
	}
	return s
}

// number is the place of name in names; that of page.Other when it has none.
func (s closedSet) number(name string) int {
	if i, known := s.index[name]; known {
		return i
	}
	return s.index[page.Other]
}
