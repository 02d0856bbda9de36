package handlers

import (
	"net/http"
	"strings"

	"example.com/bff/internal/page"
	"example.com/bff/internal/peer"
)

// crawlers are what the user agents of programs that read the whole shop call themselves, in lower case.
var crawlers = []string{
	"ahrefsbot", "amazonbot", "applebot", "baiduspider", "bingbot", "bytespider", "ccbot", "claudebot", "duckduckbot",
	"facebookexternalhit", "googlebot", "gptbot", "meta-externalagent", "mj12bot", "petalbot", "pinterestbot",
	"semrushbot", "seznambot", "slurp", "yandexbot",
}

// maxUserAgent is how much of a user agent is looked at, in bytes.
const maxUserAgent = 512

// priority is what the path gives. X-Priority and a crawler's user agent may lower it; a trusted peer's X-Priority
// holds whatever it says.
func (h *Handlers) priority(r *http.Request, kind page.Resource) page.Priority {
	p := page.Default
	if kind == page.OfferResource {
		p = page.Critical
	}
	asked, ok := askedPriority(r.Header["X-Priority"])
	switch {
	case ok && peer.Within(peer.Of(r), h.config.TrustedProxies):
		return asked
	case isCrawler(r.UserAgent()):
		return page.Background
	case ok:
		return min(p, asked)
	}
	return p
}

// askedPriority is nothing when it is told twice: a proxy that adds its own word leaves its client's before it.
func askedPriority(told []string) (page.Priority, bool) {
	for p := range page.Priority(page.NumPriorities) {
		if len(told) == 1 && told[0] == p.String() {
			return p, true
		}
	}
	return 0, false
}

func isCrawler(userAgent string) bool {
	userAgent = strings.ToLower(userAgent[:min(len(userAgent), maxUserAgent)])
	for _, name := range crawlers {
		if strings.Contains(userAgent, name) {
			return true
		}
	}
	return false
}
