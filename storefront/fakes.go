package storefront

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

const (
	lookTimeout = time.Second
	maxTold     = 256 << 10 // bytes of one answer of a fake
)

// fakes gathers what the fakes tell of themselves into one answer, so that the panel asks one question a second: an
// object of the five names, each with its fault and its stats, or null when the fake does not answer.
type fakes struct {
	client *http.Client
	byBase map[string][]string // the downstreams at each address
}

type told struct {
	Fault json.RawMessage `json:"fault"`
	Stats json.RawMessage `json:"stats"`
}

func newFakes(o Options) *fakes {
	f := &fakes{client: &http.Client{Transport: o.Transport}, byBase: map[string][]string{}}
	for _, name := range downstreams {
		base := o.Fakes[name].String()
		f.byBase[base] = append(f.byBase[base], name)
	}
	return f
}

func (f *fakes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), lookTimeout)
	defer cancel()
	body, err := json.Marshal(f.lookAtAll(ctx))
	if err != nil {
		badGateway(w)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(body) // the visitor has left
}

func (f *fakes) lookAtAll(ctx context.Context) map[string]*told {
	var mu sync.Mutex
	var all sync.WaitGroup
	answers := make(map[string]*told, len(downstreams))
	for base, names := range f.byBase {
		all.Go(func() {
			here := f.lookAt(ctx, base, names)
			mu.Lock()
			defer mu.Unlock()
			for _, name := range names {
				answers[name] = here[name]
			}
		})
	}
	all.Wait()
	return answers
}

// lookAt asks one address for the stats of all and the fault of each that is to be found there.
func (f *fakes) lookAt(ctx context.Context, base string, names []string) map[string]*told {
	var stats map[string]json.RawMessage
	if f.get(ctx, &stats, base, "_stats") != nil {
		return nil
	}
	here := make(map[string]*told, len(names))
	for _, name := range names {
		t := &told{Stats: stats[name]}
		if t.Stats != nil && f.get(ctx, &t.Fault, base, "_fault", name) == nil {
			here[name] = t
		}
	}
	return here
}

func (f *fakes) get(ctx context.Context, into any, base string, path ...string) error {
	address, err := url.JoinPath(base, path...)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	res, err := f.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return errors.New(res.Status)
	}
	return json.NewDecoder(io.LimitReader(res.Body, maxTold)).Decode(into)
}
