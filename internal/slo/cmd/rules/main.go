// Command rules writes deploy/prometheus/prometheus.yml and its rule files from the table of objectives.
//
//	go run ./internal/slo/cmd/rules
//
// A live test cannot wait for an hour. It has its own files written, with everything that takes time 20 times shorter
// (an hour is 3 minutes, names and labels stay) and its own instances to scrape:
//
//	go run ./internal/slo/cmd/rules -scale 20 -targets 127.0.0.1:9101,127.0.0.1:9102 -out "$dir"
//	prometheus --config.file="$dir/prometheus.yml"
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/bff/internal/slo/rules"
)

func main() {
	out := flag.String("out", filepath.Join("deploy", "prometheus"), "write into this folder")
	scale := flag.Int("scale", 1, "make every window, wait and interval so many times shorter, down to three seconds")
	targets := flag.String("targets", "", "scrape these host:port, separated by commas, instead of the compose file's")
	flag.Parse()
	o := rules.Options{Scale: *scale}
	if *targets != "" {
		o.Targets = strings.Split(*targets, ",")
	}
	if err := write(*out, o); err != nil {
		fmt.Fprintln(os.Stderr, "rules:", err)
		os.Exit(1)
	}
}

func write(folder string, o rules.Options) error {
	files, err := rules.Files(o)
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
