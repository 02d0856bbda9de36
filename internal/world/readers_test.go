package world_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/world"
)

// verbose has reviews say so much that no page fits into what a connection takes unread.
func verbose(downstream string, h http.Handler) http.Handler {
	if downstream != "reviews" {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"items":["`+strings.Repeat("x", 100_000)+`"]}`)
	})
}

// frame is one of HTTP/2.
func frame(kind, flags byte, stream int, payload string) string {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	b = binary.BigEndian.AppendUint32(append(b, flags), uint32(stream))
	return string(b) + payload
}

// Who asks and does not read has its page made, and keeps nobody else's from being made.
func TestWhoDoesNotReadHoldsNoPlace(t *testing.T) {
	const path, places = "/products/p-1001", 12
	over2 := "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, "\x00\x04\x00\x00\x00\x00") // a window of nothing
	for i := range places {
		over2 += frame(1, 5, 2*i+1, fmt.Sprintf("\x82\x86\x04%c%s\x01\x03bff", len(path), path))
	}
	for name, connections := range map[string][]string{
		"HTTP/1.1": slices.Repeat([]string{"GET " + path + " HTTP/1.1\r\nHost: bff\r\n\r\n"}, places),
		"HTTP/2":   {over2},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) { holdNoPlace(t, path, places, connections) })
		})
	}
}

func holdNoPlace(t *testing.T, path string, places int, connections []string) {
	w := world.Setup{Env: []string{fmt.Sprint("BFF_MAX_IN_FLIGHT=", places)}, Fakes: steady(20 * ms), Wrap: verbose}.Start(t)
	for _, says := range connections {
		dial(t, w, says)
	}
	time.Sleep(time.Second)
	synctest.Wait()
	m := w.Scrape()
	if n := m["bff_in_flight"]; n != 0 {
		t.Errorf("%v places are held", n)
	}
	if a := w.Get(path); a.Status != 200 || a.Took != 20*ms {
		t.Errorf("%d after %v", a.Status, a.Took)
	}
}

func TestAClientThatDoesNotReadIsCutOff(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		conn := dial(t, w, strings.Repeat("GET /problems/ HTTP/1.1\r\nHost: bff\r\n\r\n", 500)) // answers of over 64 KiB in all
		time.Sleep(9 * time.Second)
		if _, err := io.WriteString(conn, "GET"); err != nil {
			t.Errorf("cut off too early: %v", err)
		}
		time.Sleep(2 * time.Second)
		if _, err := io.WriteString(conn, "GET"); err == nil {
			t.Error("not cut off")
		}
		want(t, w.Get("/products/p-1"), 200)
	})
}
