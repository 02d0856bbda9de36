package config

import "strings"

// Markdown is the table of names with that many of its columns: name, default, allowed, meaning.
func Markdown(columns int) string {
	rows := [][]string{{"name", "default", "allowed", "meaning"}, {"---", "---", "---", "---"}}
	for _, d := range documented() {
		byDefault := ""
		if d.byDefault != "" {
			byDefault = "`" + d.byDefault + "`"
		}
		rows = append(rows, []string{"`" + d.name + "`", byDefault, d.allowed, d.meaning})
	}
	var b strings.Builder
	for _, row := range rows {
		b.WriteString("| " + strings.Join(row[:columns], " | ") + " |\n")
	}
	return b.String()
}
