//go:build compose

package compose

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// deadline is a page's, and healthySoon the time from the start until everything is well.
const (
	deadline    = 450 * time.Millisecond
	healthySoon = time.Minute
)

func TestTheStory(t *testing.T) {
	e := findEngine(t)
	if e == nil {
		return
	}
	started := e.up()
	s := &shop{engine: e, client: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 8}}}
	var v *visitors
	for _, chapter := range []struct {
		name string
		tell func(*testing.T)
	}{
		{"healthy within a minute", func(t *testing.T) { s.healthy(t, started.Add(healthySoon)) }},
		{"every door is open", s.doors},
		{"the images hold one program", s.images},
		{"slow recommendations degrade a page and delay none", s.slow},
		{"and their breaker is open", func(t *testing.T) {
			v = s.visit(e.t)
			s.eventually(t, "the breaker is open in Prometheus", patience, func() error {
				return s.holds(`bff_breaker_state{downstream="recommendations",state="open"} == 1`)
			})
		}},
		{"healed", s.healed},
		{"price stopped", s.withoutPrice},
		{"Redis stopped", func(t *testing.T) { s.withoutRedis(t, v) }},
		{"an instance stopped", func(t *testing.T) { s.withoutInstance(t, v) }},
		{"stock stopped", s.withoutStock},
		{"all back", s.allBack},
	} {
		start := time.Now()
		if !t.Run(chapter.name, chapter.tell) {
			return // each goes on from where the one before left off
		}
		t.Logf("%s: %s", chapter.name, time.Since(start).Round(100*time.Millisecond))
	}
	t.Logf("all of it: %s", time.Since(started).Round(time.Second))
}

func (s *shop) healthy(t *testing.T, until time.Time) {
	all := s.containers()
	if want := len(services(t)); len(all) != want {
		t.Fatalf("%d containers of %d services: %v", len(all), want, all)
	}
	for name, id := range all {
		if name == "grafana" && s.noGrafana() {
			continue
		}
		s.eventually(t, name+" is healthy", time.Until(until), func() error {
			health, err := s.docker("inspect", "--format", "{{.State.Health.Status}}", id)
			if err == nil && health != "healthy" {
				err = errors.New(health)
			}
			return err
		})
	}
}

// noGrafana tells that a stand-in took the place of Grafana's image, as where no registry can be reached.
func (s *shop) noGrafana() bool {
	_, err := s.docker("exec", s.containers()["grafana"], "test", "-e", "/run.sh")
	return err != nil
}

func (s *shop) doors(t *testing.T) {
	doors := []string{balancer + "/readyz", storefront, ops1 + "/ops", ops2 + "/ops", ops1 + "/slo", ops2 + "/readyz", prometheus + "/-/ready"}
	if s.noGrafana() {
		t.Log("Grafana was not tried: it is not in its image")
	} else {
		doors = append(doors, grafana+"/api/health", grafana+"/api/dashboards/uid/bff-objectives")
	}
	for _, door := range doors {
		if err := s.expect(http.StatusOK, http.MethodGet, door); err != nil {
			t.Error(err)
		}
	}
}

// mostBytes an image may have.
const mostBytes = 25_000_000

func (s *shop) images(t *testing.T) {
	for _, image := range []string{"bff", "bff-fakes", "bff-storefront"} {
		out, err := s.docker("image", "inspect", "--format", "{{.Size}} {{len .RootFS.Layers}} {{.Config.User}}", image)
		if err != nil {
			t.Fatal(err)
		}
		fields := strings.Fields(out)
		if size, err := strconv.Atoi(fields[0]); err != nil || size >= mostBytes {
			t.Errorf("%s has %s bytes", image, fields[0])
		}
		if fields[1] != "1" || fields[2] != "65532:65532" {
			t.Errorf("%s has %s layers and runs as %s", image, fields[1], fields[2])
		}
		t.Logf("%s: %s bytes", image, fields[0])
	}
}

func (s *shop) slow(t *testing.T) {
	var took []time.Duration
	for i := range 20 {
		a, err := s.page(product(i))
		if err != nil {
			t.Fatal(err)
		}
		if a.Status != http.StatusOK || !a.Degraded || a.Sections["recommendations"].Status != "unavailable" {
			t.Fatalf("%s: %+v", product(i), *a)
		}
		took = append(took, a.Took)
	}
	if m := median(took); m >= deadline {
		t.Errorf("half the pages took %s or more", m)
	} else {
		t.Logf("half the pages took less than %s, all less than %s", m, took[len(took)-1])
	}
}

func (s *shop) healed(t *testing.T) {
	if err := s.expect(http.StatusNoContent, http.MethodDelete, storefront+"/fakes/recommendations/fault"); err != nil {
		t.Fatal(err)
	}
	s.eventually(t, "pages are clean", patience, s.clean)
	s.closed(t, "recommendations")
}

func (s *shop) closed(t *testing.T, downstream string) {
	t.Helper()
	s.eventually(t, "both breakers are closed in Prometheus", patience, func() error {
		return s.holds(`sum(bff_breaker_state{downstream=~"` + downstream + `",state="closed"}) == 2 * count(count by (downstream) (bff_breaker_state{downstream=~"` + downstream + `"}))`)
	})
}

func (s *shop) withoutPrice(t *testing.T) {
	s.do("stop", "price")
	s.eventually(t, "the remembered price is shown, and nothing can be bought", patience, func() error {
		a, err := s.page("p-1001")
		if err == nil && (a.Status != http.StatusOK || a.Purchasable || a.Price == nil || !a.Price.Stale || !a.Price.DisplayOnly || a.Price.Amount != "129.90") {
			err = fmt.Errorf("%+v", *a)
		}
		return err
	})
	a, err := s.offer("p-1001")
	if err != nil {
		t.Fatal(err)
	}
	refused(t, a, "price")
	s.do("start", "price")
	s.eventually(t, "pages are clean again", patience, s.clean)
}

// refused is the 503 of a page or an offer for want of a downstream.
func refused(t *testing.T, a *answer, downstream string) {
	t.Helper()
	after, err := strconv.Atoi(a.Header.Get("Retry-After"))
	if a.Status != http.StatusServiceUnavailable || err != nil || after < 1 {
		t.Errorf("%d, Retry-After %q", a.Status, a.Header.Get("Retry-After"))
	}
	if a.Type != "/problems/dependency-unavailable" || len(a.Dependencies) != 1 || a.Dependencies[0].Name != downstream {
		t.Errorf("not for want of %s: %+v", downstream, *a)
	}
}

func (s *shop) withoutRedis(t *testing.T, v *visitors) {
	v.since()
	s.do("stop", "redis")
	s.eventually(t, "pages are clean", patience, s.clean)
	if good, failed := v.since(); good == 0 || len(failed) > 0 {
		t.Errorf("%d good pages without it; failed: %v", good, failed)
	}
	if a, err := s.offer("p-1001"); err != nil || a.Status != http.StatusOK {
		t.Errorf("the offer: %+v %v", a, err)
	}
	s.do("start", "redis")
}

func (s *shop) withoutStock(t *testing.T) {
	if s.holds(`ALERTS{alertname="BffAvailabilityBurn"}`) == nil {
		t.Fatal("the alert is there before anything befell the pages")
	}
	s.do("stop", "stock")
	a, err := s.page("p-1001")
	if err != nil {
		t.Fatal(err)
	}
	refused(t, a, "stock")
	s.eventually(t, "the alert is pending in Prometheus", patience, func() error {
		return s.holds(`ALERTS{alertname="BffAvailabilityBurn",alertstate="pending",scope="service",severity="page"}`)
	})
}

func (s *shop) allBack(t *testing.T) {
	s.do("start", "stock")
	s.eventually(t, "pages are clean", patience, s.clean)
	s.closed(t, ".+")
	s.healthy(t, time.Now().Add(patience))
}
