// Package browsertest opens a page in a real browser for a test, and tells what a person there sees, hears and meets:
// texts that are visible, controls by their names, and whatever would bother them (errors, requests to other hosts,
// unreadable contrast, controls without a name).
//
// It needs chromium. Without one a test has nothing to look at: it says how to get it and ends well, unless BFF_CI is
// set, where its absence is a failure.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
)

// Browser is one chromium for one test.
type Browser struct{ ctx context.Context }

// Start starts a browser that ends with the test. It is false when there is none to start.
func Start(t testing.TB) (*Browser, bool) {
	t.Helper()
	path, found := find()
	if !found {
		const advice = "no chromium: install one (Debian: apt-get install chromium) or google-chrome"
		if os.Getenv("BFF_CI") != "" {
			t.Fatal(advice)
		}
		t.Log(advice)
		return nil, false
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("lang", "en-GB"), chromedp.Flag("hide-scrollbars", true))
	allocator, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		cancel()
		cancelAllocator()
	})
	// No time limit here: one on the context of the first action would end the browser with it.
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("chromium does not start: %v", err)
	}
	return &Browser{ctx}, true
}

func find() (string, bool) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, true
		}
	}
	return "", false
}
