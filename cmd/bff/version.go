package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is set by the build that makes one: -ldflags '-X main.release=v1.2.3'. Else the module's version counts.
var release string

// build is which version this is, of which revision of the source.
type build struct{ version, revision string }

func version(p process) int {
	_, err := fmt.Fprintln(p.stdout, thisBuild())
	return outcome(p, err)
}

func thisBuild() build {
	info, _ := debug.ReadBuildInfo() // nil for a program built without modules
	return buildOf(release, info)
}

func buildOf(release string, info *debug.BuildInfo) build {
	b := build{version: release}
	if info != nil {
		built := map[string]string{}
		for _, s := range info.Settings {
			built[s.Key] = s.Value
		}
		b.revision = built["vcs.revision"]
		if b.revision != "" && built["vcs.modified"] == "true" {
			b.revision += "+changes"
		}
		if b.version == "" {
			b.version = info.Main.Version
		}
	}
	if b.version == "" {
		b.version = "(devel)"
	}
	return b
}

func (b build) String() string {
	of := ""
	if b.revision != "" {
		of = " of " + b.revision
	}
	return fmt.Sprintf("bff %s%s, %s %s/%s", b.version, of, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
