// Command fakes serves the five fake downstreams of package fakes: see the README beside that for what they answer and
// what can be wrong with them.
package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// The exit codes.
const (
	ok     = 0
	failed = 1
	usage  = 2 // wrong arguments, or mistakes in the environment
)

func main() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	os.Exit(run(process{os.Args[1:], os.Environ(), os.Stdout, os.Stderr, signals}))
}

// process is what a program has of the machine it runs on.
type process struct {
	args           []string // without the program's name
	environ        []string
	stdout, stderr io.Writer
	signals        <-chan os.Signal
}

const helpText = `usage: fakes [command]
  serve    serves; also without any command
  health   asks the running fakes whether they answer
  help     prints this

The environment, with its defaults in brackets:
  FAKES_ADDR     [127.0.0.1:9000] where to listen
  FAKES_ONLY     [] the downstreams to serve, with commas between them; empty is all five
  FAKES_WORKERS  [64] how many requests each downstream works on at once
  FAKES_FAULTS   [] what is wrong at the start, like {"recommendations": {"latencyMs": 8000}}
`

// run obeys one command and returns the exit code.
func run(p process) int {
	command := "serve"
	if len(p.args) > 0 {
		command = p.args[0]
	}
	switch {
	case len(p.args) > 1:
	case command == "serve":
		return withConfig(p, serve)
	case command == "health":
		return withConfig(p, health)
	case command == "help", command == "-h", command == "-help", command == "--help":
		fmt.Fprint(p.stdout, helpText)
		return ok
	}
	fmt.Fprintf(p.stderr, "fakes: no such command: %.100q\n\n%s", p.args, helpText)
	return usage
}

func withConfig(p process, f func(process, *config) error) int {
	c, err := load(p.environ)
	if err != nil {
		fmt.Fprintf(p.stderr, "fakes: the environment has mistakes:\n%v\n", err)
		return usage
	}
	if err := f(p, c); err != nil {
		fmt.Fprintln(p.stderr, "fakes:", err)
		return failed
	}
	return ok
}
