// Package fakes is five downstreams to develop and test against: catalog, price, stock, reviews and recommendations.
//
// They are real servers: each has a bounded pool of workers and a bounded queue, takes its time, and drops work whose
// caller has left or whose X-Request-Deadline or X-Request-Timeout-Ms has passed. The answers depend on the id and on
// X-Market and Accept-Language alone, so that the same question always has the same answer. Faults can be set and
// cleared while they run; README.md beside this file tells all of them.
//
// A Server starts no goroutine and takes its time from package time alone: made inside a testing/synctest bubble, it
// runs there.
package fakes

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// What holds where Options do not say otherwise.
const (
	DefaultWorkers = 64
	queuePerWorker = 4
)

// Options are how the downstreams work while no fault is set. The zero value is a good choice.
type Options struct {
	Only    []string                                  // the downstreams to serve; none named: all five
	Workers int                                       // requests that each downstream works on at once; 0: DefaultWorkers
	Queue   int                                       // requests that may wait for a worker of each; 0: four per worker
	Latency func(downstream, id string) time.Duration // of one request; nil: 15 to 40 ms, by downstream and id
	Seed    uint64                                    // of what faults draw: errors and latencies
}

// Server is the downstreams as one http.Handler. Use New.
type Server struct {
	mux         *http.ServeMux
	downstreams map[string]*downstream
}

// New serves the downstreams that o names. It panics when there is none of such a name: see Names.
func New(o Options) *Server {
	if o.Workers <= 0 {
		o.Workers = DefaultWorkers
	}
	if o.Queue <= 0 {
		o.Queue = queuePerWorker * o.Workers
	}
	s := &Server{mux: http.NewServeMux(), downstreams: map[string]*downstream{}}
	for _, name := range o.Only {
		if !slices.Contains(Names(), name) {
			panic(fmt.Sprintf("fakes: no downstream is named %q", name))
		}
	}
	for _, k := range kinds {
		if len(o.Only) == 0 || slices.Contains(o.Only, k.name) {
			d := newDownstream(k, o)
			s.downstreams[k.name] = d
			s.mux.Handle("GET /"+k.name+"/{id}", d)
		}
	}
	s.routeControls()
	return s
}

// Names are the five downstreams' names, in the order of a page.
func Names() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

var errNoDownstream = errors.New("no such downstream is served here")

func (s *Server) find(name string) (*downstream, error) {
	if d := s.downstreams[name]; d != nil {
		return d, nil
	}
	var served []string
	for _, n := range Names() {
		if s.downstreams[n] != nil {
			served = append(served, n)
		}
	}
	return nil, fmt.Errorf("%w: choose one of %s", errNoDownstream, strings.Join(served, ", "))
}

// Set lets f befall the requests to a downstream that begin from now on, instead of what befell them before. It ends
// what the fault before would never have ended: see Clear. An error says what is allowed, and nothing is changed.
func (s *Server) Set(downstream string, f Fault) error {
	d, err := s.find(downstream)
	if err == nil {
		err = f.check(d.kind)
	}
	if err == nil {
		d.set(f)
	}
	return err
}

// Clear makes a downstream well again. Requests that hang, drip or get an endless body are cut off; one that is slow
// gets its answer when it was going to.
func (s *Server) Clear(downstream string) error { return s.Set(downstream, Fault{}) }

// Fault is what befalls a downstream's requests now.
func (s *Server) Fault(downstream string) (Fault, error) {
	d, err := s.find(downstream)
	if err != nil {
		return Fault{}, err
	}
	return d.current().Fault, nil
}

// Stats tells what each downstream that is served has seen.
func (s *Server) Stats() map[string]Stats {
	all := make(map[string]Stats, len(s.downstreams))
	for name, d := range s.downstreams {
		all[name] = d.stats()
	}
	return all
}

// ResetStats starts all counts again. What is in flight still is.
func (s *Server) ResetStats() {
	for _, d := range s.downstreams {
		d.resetStats()
	}
}
