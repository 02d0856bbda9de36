package ops_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/bff/internal/ops"
	"example.com/bff/internal/page"
)

func TestAStreamBeginsWithAllAndGoesOnWithWhatIsNew(t *testing.T) {
	bubble(t, func(w *world) {
		w.ops.WatchAdmission(func() ops.AdmissionState { return ops.AdmissionState{InFlight: 3, Queued: 1, Limit: 800, Max: 1000} })
		w.ops.WatchDownstream(page.Reviews, 150*ms, func() ops.DownstreamState {
			return ops.DownstreamState{Breaker: page.StateOpen, CoolDown: 3210 * ms, InFlight: 5, Limit: 128, Tokens: 9.26}
		})
		w.ops.Served(answered(page.Degraded, 80*ms))
		v := w.watch()
		if v.header.Get("Content-Type") != "text/event-stream" || v.header.Get("Cache-Control") != "no-store" {
			w.Errorf("%v", v.header)
		}
		f := v.frame()
		if f.Fixed == nil || f.Fixed.Version != "v1" || f.Fixed.Revision != "abc" || len(f.Fixed.Config) != 2 ||
			f.Fixed.DeadlineMs != 450 || f.Fixed.SlowMs != 300 || f.Fixed.Downstreams[3].TimeoutMs != 150 ||
			f.Fixed.Downstreams[3].Name != "reviews" || f.Fixed.Downstreams[3].Critical || !f.Fixed.Downstreams[2].Critical {
			w.Errorf("fixed: %+v", f.Fixed)
		}
		if f.State != "serving" || f.Admission.InFlight != 3 || f.Admission.Queued != 1 || f.Admission.Limit != 800 || f.Admission.Max != 1000 {
			w.Errorf("%s %+v", f.State, f.Admission)
		}
		if d := f.Downstreams[3]; d.Breaker != "open" || d.CoolDownMs != 3210 || d.InFlight != 5 || d.Limit != 128 || d.Tokens != 9.3 {
			w.Errorf("reviews: %+v", d)
		}
		if len(f.SLO.Objectives) != 4 || len(f.Pages) != 1 || len(f.Events) != 1 || f.Recent.Pages["degraded"] != 1 {
			w.Errorf("%+v", f)
		}

		start := time.Now()
		w.ops.Served(answered(page.Unavailable, 90*ms))
		w.state.Store("draining")
		f = v.frame()
		if since := time.Since(start); since != 500*ms {
			w.Errorf("the next frame came after %v", since)
		}
		if f.Fixed != nil || f.State != "draining" || len(f.Pages) != 1 || f.Pages[0].Result != "unavailable" || f.Recent.Pages["degraded"] != 1 {
			w.Errorf("%+v", f)
		}
		if f = v.frame(); len(f.Pages) != 0 || len(f.Events) != 0 || len(f.Timeline) != 1 {
			w.Errorf("nothing new, but %+v", f)
		}
	})
}

func TestAStreamOutlivesTheServersTimeouts(t *testing.T) {
	bubble(t, func(w *world) {
		v := w.watch()
		for start := time.Now(); time.Since(start) < 5*time.Minute; {
			v.frame()
		}
	})
}

func TestThoseWhoDoNotReadAreDropped(t *testing.T) {
	bubble(t, func(w *world) {
		conn, err := w.net.DialContext(context.Background(), "tcp", "admin:80")
		if err != nil {
			w.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "GET /ops/events HTTP/1.1\r\nHost: admin\r\n\r\n"); err != nil {
			w.Fatal(err)
		}
		v := w.watch()
		for range 240 {
			for range 20 {
				w.ops.Served(answered(page.Degraded, 80*ms))
			}
			v.frame() // who reads is not held up by who does not
		}
		told, err := io.ReadAll(conn)
		if err != nil && !strings.Contains(err.Error(), "reset") {
			w.Error(err)
		}
		if len(told) > 256<<10 {
			w.Errorf("%d bytes were kept for who did not read", len(told))
		}
	})
}

func TestNoMoreThanThirtyTwoLook(t *testing.T) {
	bubble(t, func(w *world) {
		var all []*watcher
		for range 32 {
			all = append(all, w.watch())
		}
		if v := w.watch(); v.status != http.StatusServiceUnavailable || v.header.Get("Retry-After") == "" {
			w.Errorf("the next gets %d %v", v.status, v.header)
		}
		all[7].leave()
		time.Sleep(time.Second)
		if v := w.watch(); v.status != http.StatusOK {
			w.Errorf("when one has left, the next gets %d", v.status)
		}
	})
}

func TestCloseEndsEveryStream(t *testing.T) {
	bubble(t, func(w *world) {
		v := w.watch()
		v.frame()
		time.Sleep(200 * ms)
		start := time.Now()
		w.ops.Close()
		w.ops.Close()
		if name, _ := v.event(); name != "end" {
			w.Errorf("the stream has %q", name)
		}
		if name, data := v.event(); name != "" {
			w.Errorf("after its end the stream has %q %s", name, data)
		}
		if late := w.watch(); late.status != http.StatusServiceUnavailable {
			w.Errorf("a new stream gets %d", late.status)
		}
		if err := w.server.Shutdown(context.Background()); err != nil || time.Since(start) > time.Second {
			w.Errorf("the server's end took %v: %v", time.Since(start), err)
		}
	})
}
