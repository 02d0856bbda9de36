package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"example.com/bff/fakes"
)

// mostWorkers bounds FAKES_WORKERS.
const mostWorkers = 100_000

type config struct {
	addr    string
	options fakes.Options
	faults  map[string]fakes.Fault
}

// load reads the environment and tells every mistake in it. A name that is set to nothing is as good as not set.
func load(environ []string) (*config, error) {
	c := &config{addr: "127.0.0.1:9000"}
	settings := map[string]func(string) error{
		"FAKES_ADDR":    c.setAddr,
		"FAKES_ONLY":    c.setOnly,
		"FAKES_WORKERS": c.setWorkers,
		"FAKES_FAULTS":  c.setFaults,
	}
	var mistakes []error
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		set, known := settings[name]
		switch {
		case !strings.HasPrefix(name, "FAKES_") || injected(name):
		case !known:
			all := strings.Join(slices.Sorted(maps.Keys(settings)), ", ")
			mistakes = append(mistakes, fmt.Errorf("%.60s: no such name; there are %s", name, all))
		case value != "":
			if err := set(value); err != nil {
				mistakes = append(mistakes, fmt.Errorf("%s: %w", name, err))
			}
		}
	}
	if len(mistakes) == 0 {
		_, err := c.server() // the faults can be judged only now
		return c, err
	}
	return nil, errors.Join(mistakes...)
}

// injected names are put into pods by Kubernetes beside a Service that is named fakes.
func injected(name string) bool {
	return name == "FAKES_PORT" || strings.HasPrefix(name, "FAKES_PORT_") || strings.HasPrefix(name, "FAKES_SERVICE_")
}

func (c *config) setAddr(value string) error {
	_, port, err := net.SplitHostPort(value)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("%.100q is no address like 127.0.0.1:9000 or :9000", value)
	}
	c.addr = value
	return nil
}

func (c *config) setOnly(value string) error {
	for name := range strings.SplitSeq(value, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(fakes.Names(), name) {
			return fmt.Errorf("%.60q is none of %s", name, strings.Join(fakes.Names(), ", "))
		}
		c.options.Only = append(c.options.Only, name)
	}
	return nil
}

func (c *config) setWorkers(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > mostWorkers {
		return fmt.Errorf("%.60q is no whole number from 1 to %d", value, mostWorkers)
	}
	c.options.Workers = n
	return nil
}

func (c *config) setFaults(value string) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal([]byte(value), &given); err != nil {
		return errors.New(`must be a JSON object like {"recommendations": {"latencyMs": 8000}}`)
	}
	c.faults = map[string]fakes.Fault{}
	var mistakes []error
	for _, name := range slices.Sorted(maps.Keys(given)) {
		var f fakes.Fault
		if err := f.UnmarshalJSON(given[name]); err != nil {
			mistakes = append(mistakes, fmt.Errorf("%.60s: %w", name, err))
		}
		c.faults[name] = f
	}
	return errors.Join(mistakes...)
}

// server is the fakes that c describes.
func (c *config) server() (*fakes.Server, error) {
	s := fakes.New(c.options)
	var mistakes []error
	for _, name := range slices.Sorted(maps.Keys(c.faults)) {
		if err := s.Set(name, c.faults[name]); err != nil {
			mistakes = append(mistakes, fmt.Errorf("FAKES_FAULTS: %.60s: %w", name, err))
		}
	}
	return s, errors.Join(mistakes...)
}
