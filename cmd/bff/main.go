// Command bff serves product pages: see the README for what it promises and docs/configuration.md for its environment.
package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"example.com/bff/internal/app"
	"example.com/bff/internal/config"
)

// The exit codes.
const (
	ok     = 0
	failed = 1
	usage  = 2 // wrong arguments, or mistakes in the environment
)

func main() {
	signals := make(chan os.Signal, 2) // two, so that the second is there when the first is being obeyed
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

type command struct {
	name, meaning string
	run           func(process) int
}

func commands() []command {
	return []command{
		{"serve", "serves; also without any command", serve},
		{"check", "prints the configuration that holds, or every mistake in it", check},
		{"health", "asks the running service whether it is ready", health},
		{"version", "prints what this is", version},
		{"help", "prints this, and every name of the environment", help},
	}
}

// run obeys one command and returns the exit code.
func run(p process) int {
	name := "serve"
	if len(p.args) > 0 {
		name = p.args[0]
	}
	if name == "-h" || name == "-help" || name == "--help" {
		name = "help"
	}
	for _, c := range commands() {
		if c.name == name && len(p.args) <= 1 {
			return c.run(p)
		}
	}
	fmt.Fprintf(p.stderr, "bff: no such command: %.100q\n\n", p.args)
	listCommands(p.stderr)
	return usage
}

func listCommands(w io.Writer) {
	fmt.Fprintln(w, "usage: bff [command]")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-8s %s\n", c.name, c.meaning)
	}
}

func help(p process) int {
	listCommands(p.stdout)
	fmt.Fprintln(p.stdout, "\nThe environment, with its defaults in brackets. X is one of CATALOG, PRICE, STOCK, REVIEWS, RECOMMENDATIONS:")
	return outcome(p, config.Usage(p.stdout))
}

// check also builds the service, so that nothing is left that serving alone would tell.
func check(p process) int {
	c, err := app.Load(p.environ)
	if err != nil {
		return mistaken(p, err)
	}
	if _, err := app.New(c, app.Options{}); err != nil {
		return mistaken(p, err)
	}
	return outcome(p, c.Print(p.stdout))
}

// mistaken tells what is wrong with the environment.
func mistaken(p process, err error) int {
	fmt.Fprintln(p.stderr, "bff:", err)
	return usage
}

// outcome tells an error, if there is one.
func outcome(p process, err error) int {
	if err != nil {
		fmt.Fprintln(p.stderr, "bff:", err)
		return failed
	}
	return ok
}
