package browsertest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

const (
	// patience bounds every wait for something to be seen. It only decides how long a failing test takes.
	patience = 60 * time.Second
	glance   = 50 * time.Millisecond // between two looks
)

// View is how the person looks at the page. The zero value is a desktop in light colours.
type View struct {
	Width, Height int64 // CSS pixels; 0: 1440 by 1320
	Dark          bool  // prefers-color-scheme: dark
	StillMotion   bool  // prefers-reduced-motion: reduce
	Forced        bool  // forced-colors: active, as where a system's own high contrast is on
}

// Tab is a page that a person looks at. Its methods end the test when what they wait for does not come.
type Tab struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	host     string   // the only one that the page may ask
	troubles []string // errors on the console, questions to another host
}

// Open opens an address in a tab of its own. When the test ends, it fails for everything that Troubles tells.
func (b *Browser) Open(t testing.TB, address string, v View) *Tab {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(b.ctx)
	tab := &Tab{t: t, ctx: ctx, host: at.Host}
	t.Cleanup(func() {
		for _, trouble := range tab.Troubles() {
			t.Errorf("trouble in the browser: %s", trouble)
		}
		cancel()
	})
	tab.check(chromedp.Listen(ctx, tab.listen))
	tab.look(v)
	tab.do(chromedp.Navigate(address))
	return tab
}

// For lets another test, of the same browser, be the one that ends when something is not seen.
func (tab *Tab) For(t testing.TB) { tab.t = t }

func (tab *Tab) look(v View) {
	if v.Width == 0 {
		v.Width, v.Height = 1440, 1320
	}
	features := []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: map[bool]string{true: "dark", false: "light"}[v.Dark]},
		{Name: "prefers-reduced-motion", Value: map[bool]string{true: "reduce", false: "no-preference"}[v.StillMotion]},
		{Name: "forced-colors", Value: map[bool]string{true: "active", false: "none"}[v.Forced]},
	}
	_, err := chromedp.Call(tab.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
	tab.check(err)
	tab.do(chromedp.EmulateViewport(v.Width, v.Height))
}

// listen runs on the goroutine that reads from the browser: it must be quick and ask nothing.
func (tab *Tab) listen(event any) {
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" || e.Type == "assert" {
			tab.trouble("console: %s %s", e.Type, said(e.Args))
		}
	case *runtime.EventExceptionThrown:
		tab.trouble("%v", &chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails})
	case *log.EventEntryAdded:
		// That an answer was a 503, or that there was none, the browser logs by itself; no page can prevent it.
		if e.Entry.Level == "error" && !strings.HasPrefix(e.Entry.Text, "Failed to load resource") {
			tab.trouble("log: %s %s", e.Entry.Text, e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		to, err := url.Parse(e.Request.URL)
		if err != nil || (to.Host != tab.host && to.Scheme != "data" && to.Scheme != "about") {
			tab.trouble("a question to another host: %s", e.Request.URL)
		}
	}
}

func said(args []*runtime.RemoteObject) string {
	var words []string
	for _, a := range args {
		words = append(words, string(a.Value)+a.Description)
	}
	return strings.Join(words, " ")
}

func (tab *Tab) trouble(format string, args ...any) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.troubles = append(tab.troubles, fmt.Sprintf(format, args...))
}

// Forgive forgets the troubles that have the text in them: those that the test itself made.
func (tab *Tab) Forgive(text string) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.troubles = slices.DeleteFunc(tab.troubles, func(s string) bool { return strings.Contains(s, text) })
}

// Troubles are the errors on the console, the violations of the page's policy, and the questions to another host.
func (tab *Tab) Troubles() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.Clone(tab.troubles)
}

// Screenshot keeps what is in view as name.png among the artefacts: in BFF_ARTIFACTS, or in artifacts at the top of
// the module, which git ignores.
func (tab *Tab) Screenshot(name string) {
	tab.t.Helper()
	image, err := run(tab, chromedp.CaptureScreenshot())
	tab.check(err)
	dir := artifacts(tab.t)
	tab.check(os.MkdirAll(dir, 0o755))
	tab.check(os.WriteFile(filepath.Join(dir, name+".png"), image, 0o644))
}

func artifacts(t testing.TB) string {
	if dir := os.Getenv("BFF_ARTIFACTS"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return filepath.Join(dir, "artifacts")
		}
		dir = filepath.Dir(dir)
	}
	return t.TempDir()
}

func (tab *Tab) do(actions ...chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	_, err := run(tab, chromedp.Steps(actions...))
	tab.check(err)
}

func (tab *Tab) check(err error) {
	tab.t.Helper()
	if err != nil {
		tab.t.Fatal(err)
	}
}

// run gives one action a limit of its own: the tab's context must not have one.
func run[T any](tab *Tab, action chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(tab.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, action)
}
