// Command grafana writes the dashboards in deploy/grafana/dashboards from its tables: objectives.go, inbound.go,
// downstreams.go and instances.go beside this file.
//
//	go run ./deploy/grafana
//
// It promises that every panel has a title, a unit and a description, reads the one variable for its data source, and
// adds up over instances unless its title says "per instance".
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// dashboards are in the order in which somebody who was woken looks at them.
var dashboards = []dashboard{objectives, inbound, downstreams, instances}

func main() {
	out := flag.String("out", filepath.Join("deploy", "grafana", "dashboards"), "write into this folder")
	flag.Parse()
	if err := write(*out); err != nil {
		fmt.Fprintln(os.Stderr, "grafana:", err)
		os.Exit(1)
	}
}

func write(folder string) error {
	for _, d := range dashboards {
		content, err := d.render()
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, d.file()), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
