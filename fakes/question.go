package fakes

import (
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"strings"
)

// question is what an answer depends on, and nothing else does.
type question struct {
	id       string
	market   string // "" where none was told
	language string // "en" where none was told
}

func questionOf(r *http.Request) question {
	first, _, _ := strings.Cut(r.Header.Get("Accept-Language"), ",")
	language, _, _ := strings.Cut(first, ";")
	q := question{id: r.PathValue("id"), market: tag(r.Header.Get("X-Market")), language: tag(language)}
	if q.language == "" {
		q.language = "en"
	}
	return q
}

// tag is s if that is a short word of letters and hyphens.
func tag(s string) string {
	s = strings.TrimSpace(s)
	strange := func(c rune) bool { return c != '-' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') }
	if len(s) > 16 || strings.ContainsFunc(s, strange) {
		return ""
	}
	return s
}

// salt is such that p-1001, the product of every example, costs 129.90 EUR and that 7 of it are in stock.
const salt uint64 = 1880257

// dice throw the same for the same id and aspect, in every process.
func dice(id, aspect string) *rand.Rand { return rand.New(rand.NewPCG(hash(id), hash(aspect)+salt)) }

func hash(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s))
	return h.Sum64()
}

func pick(d *rand.Rand, from []string) string { return from[d.IntN(len(from))] }
