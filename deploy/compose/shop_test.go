//go:build compose

package compose

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	balancer   = "http://127.0.0.1:8080"
	storefront = "http://127.0.0.1:8000"
	grafana    = "http://127.0.0.1:3000"
	prometheus = "http://127.0.0.1:9090"
	ops1       = "http://127.0.0.1:9101"
	ops2       = "http://127.0.0.1:9102"
)

// shop is all of it, as it is reached from outside.
type shop struct {
	*engine
	client *http.Client
}

// answer is what is read here of a page, an offer or a problem.
type answer struct {
	Status int
	Header http.Header
	Took   time.Duration

	Degraded, Purchasable bool
	Price                 *struct {
		Amount             string
		Stale, DisplayOnly bool
	}
	Sections     map[string]struct{ Status, Reason string }
	Type         string
	Dependencies []struct{ Name, Reason string }
}

func (s *shop) page(id string) (*answer, error)  { return s.ask("/products/" + id) }
func (s *shop) offer(id string) (*answer, error) { return s.ask("/products/" + id + "/offer") }

func (s *shop) ask(path string) (*answer, error) {
	start := time.Now()
	resp, body, err := s.exchange(http.MethodGet, balancer+path)
	if err != nil {
		return nil, err
	}
	a := &answer{Status: resp.StatusCode, Header: resp.Header, Took: time.Since(start)}
	if err := json.Unmarshal(body, a); err != nil {
		return nil, fmt.Errorf("%s: %w: %.200s", resp.Status, err, body)
	}
	return a, nil
}

func (s *shop) exchange(method, address string) (*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(s.ctx, method, address, nil)
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("X-Client", "web")
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, body, err
}

// expect is an answer with that status.
func (s *shop) expect(status int, method, address string) error {
	resp, body, err := s.exchange(method, address)
	if err == nil && resp.StatusCode != status {
		err = fmt.Errorf("%s %s: %s: %.200s", method, address, resp.Status, body)
	}
	return err
}

// clean tells what is wrong with the first of several pages that is not as it should be.
func (s *shop) clean() error {
	for i := range 20 {
		a, err := s.page(product(i))
		if err != nil {
			return err
		}
		if a.Status != http.StatusOK || a.Degraded || a.Price == nil || a.Price.Stale {
			return fmt.Errorf("page %d of %s: %+v", i, product(i), *a)
		}
	}
	a, err := s.page("p-1001")
	if err == nil && !a.Purchasable {
		err = fmt.Errorf("p-1001 cannot be bought: %+v", *a)
	}
	return err
}

// holds tells whether a query in Prometheus has a result.
func (s *shop) holds(query string) error {
	_, body, err := s.exchange(http.MethodGet, prometheus+"/api/v1/query?query="+url.QueryEscape(query))
	if err != nil {
		return err
	}
	var found struct {
		Status string
		Data   struct{ Result []any }
	}
	if err := json.Unmarshal(body, &found); err != nil || found.Status != "success" {
		return fmt.Errorf("%s: %.300s", query, body)
	}
	if len(found.Data.Result) == 0 {
		return errors.New("no sample of " + query)
	}
	return nil
}

// pagesOf is how many pages an instance has counted since it started, whatever became of them.
func (s *shop) pagesOf(instance string) (n int, err error) {
	resp, metrics, err := s.exchange(http.MethodGet, instance+"/metrics")
	if err != nil {
		return 0, err
	}
	if resp.StatusCode != http.StatusOK {
		return 0, errors.New(resp.Status)
	}
	for line := range strings.Lines(string(metrics)) {
		if strings.HasPrefix(line, "bff_page_requests_total{") {
			counted, err := strconv.Atoi(strings.TrimSpace(line[strings.LastIndexByte(line, ' '):]))
			if err != nil {
				return 0, err
			}
			n += counted
		}
	}
	return n, nil
}

// eventually fails the test unless try succeeds in time.
func (s *shop) eventually(t *testing.T, what string, limit time.Duration, try func() error) {
	t.Helper()
	start := time.Now()
	ctx, cancel := context.WithTimeout(s.ctx, limit)
	defer cancel()
	for {
		err := try()
		if err == nil {
			t.Logf("%s: after %s", what, time.Since(start).Round(100*time.Millisecond))
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("waited in vain until %s: %v", what, err)
		case <-time.After(250 * time.Millisecond):
		}
	}
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
