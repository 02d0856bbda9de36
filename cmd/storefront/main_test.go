package main

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var environ = []string{
	"STOREFRONT_ADDR=127.0.0.1:0", "STOREFRONT_BFF=http://bff:8080", "STOREFRONT_CATALOG_FAKE=http://catalog:8081",
	"STOREFRONT_PRICE_FAKE=http://price:8081", "STOREFRONT_STOCK_FAKE=http://stock:8081",
	"STOREFRONT_REVIEWS_FAKE=http://reviews:8081", "STOREFRONT_RECOMMENDATIONS_FAKE=http://recommendations:8081",
}

func TestEveryMistakeIsToldAtOnce(t *testing.T) {
	var stderr strings.Builder
	code := run(t.Context(), nil, []string{
		"STOREFRONT_ADDR=8000", "STOREFRONT_BFF=bff:8080", "STOREFRONT_PRICE_FAKE=http://price?x=1", "STOREFRONT_COLOUR=red",
		"STOREFRONT_PORT=tcp://10.0.0.1:80", "STOREFRONT_SERVICE_HOST=10.0.0.1", "HOME=/",
	}, &stderr)
	if code != usage {
		t.Errorf("exit code %d", code)
	}
	for _, name := range []string{"ADDR", "BFF", "CATALOG_FAKE", "PRICE_FAKE", "STOCK_FAKE", "REVIEWS_FAKE", "RECOMMENDATIONS_FAKE", "COLOUR"} {
		if !strings.Contains(stderr.String(), "STOREFRONT_"+name) {
			t.Errorf("nothing is said of %s in:\n%s", name, &stderr)
		}
	}
	if lines := strings.Count(stderr.String(), "\n"); lines != 8 {
		t.Errorf("%d lines instead of 8:\n%s", lines, &stderr)
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"sell"}, {"serve", "now"}} {
		var stderr strings.Builder
		if code := run(t.Context(), args, environ, &stderr); code != usage || !strings.Contains(stderr.String(), "usage:") {
			t.Errorf("%q: exit code %d: %s", args, code, &stderr)
		}
	}
}

func TestServesUntilItIsToldToEnd(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	defer end()
	log, stderr := io.Pipe()
	code := make(chan int, 1)
	go func() { code <- run(ctx, nil, environ, stderr) }()

	line := make([]byte, 1024)
	n, err := log.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`http://[\d.:]+`).FindString(string(line[:n]))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get(address + "/p/p-1001")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("the page answers %s", res.Status)
	}
	there := append([]string{"STOREFRONT_ADDR=" + strings.TrimPrefix(address, "http://")}, environ[1:]...)
	if got := run(t.Context(), []string{"health"}, there, io.Discard); got != ok {
		t.Errorf("health says %d while it runs", got)
	}

	end()
	if got := <-code; got != ok {
		t.Errorf("exit code %d", got)
	}
	if got := run(t.Context(), []string{"health"}, there, io.Discard); got != failed {
		t.Errorf("health says %d when it is gone", got)
	}
}

func TestHealthReachesWhatListensEverywhere(t *testing.T) {
	for addr, want := range map[string]string{
		":8000": "localhost:8000", "0.0.0.0:8000": "localhost:8000", "[::]:8000": "localhost:8000",
		"127.0.0.1:8000": "127.0.0.1:8000", "shop:80": "shop:80",
	} {
		if got := local(addr); got != want {
			t.Errorf("%s is reached at %s, not %s", addr, got, want)
		}
	}
}
