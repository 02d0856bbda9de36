package fakes

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Sizes of bodies that nobody should read whole.
const (
	oversize    = 1<<20 + 1
	bombSize    = 1 << 30
	deepNesting = 40_000
)

// garbage is what any downstream can answer instead of good, its own answer.
var garbage = map[string]func(good []byte) reply{
	"html": func([]byte) reply {
		r := jsonReply(http.StatusOK, []byte("<!doctype html><html><body><h1>It works!</h1></body></html>"))
		r.header.Set("Content-Type", "text/html; charset=utf-8")
		return r
	},
	"half":          func(good []byte) reply { return garbled(good[:len(good)/2]) },
	"two-documents": func(good []byte) reply { return garbled(good, good) },
	"null":          func([]byte) reply { return garbled([]byte("null")) },
	"empty":         func([]byte) reply { return garbled() },
	"no-content":    func([]byte) reply { return jsonReply(http.StatusNoContent, nil) },
	"invalid-utf8":  func(good []byte) reply { return garbled(extend(good, "\"\xff\xfe\"")) },
	"deep": func(good []byte) reply {
		return garbled(extend(good, strings.Repeat("[", deepNesting)+strings.Repeat("]", deepNesting)))
	},
	"false-gzip": func(good []byte) reply { return gzipped(bytes.NewReader(good)) },
	"bomb":       bomb,
}

func garbled(parts ...[]byte) reply { return jsonReply(http.StatusOK, bytes.Join(parts, nil)) }

// extend adds a member to the object that good is.
func extend(good []byte, value string) []byte {
	return slices.Concat(good[:len(good)-1], []byte(`,"more":`), []byte(value), []byte("}"))
}

// extended adds a member that holds a long string of n letters; n < 0 is without end.
func extended(good []byte, n int) io.Reader {
	return io.MultiReader(
		bytes.NewReader(slices.Concat(good[:len(good)-1], []byte(`,"more":"`))),
		repeat([]byte(strings.Repeat("a", 4096)), n),
		strings.NewReader(`"}`),
	)
}

// bomb is valid JSON of 1 GiB. A gzip stream is any number of members, so that one of 1 MiB, which packs into 1 KiB, is
// packed once and repeated.
func bomb(good []byte) reply {
	const letters = 1 << 20
	member := pack(bytes.Repeat([]byte("a"), letters))
	return gzipped(io.MultiReader(
		bytes.NewReader(pack(slices.Concat(good[:len(good)-1], []byte(`,"more":"`)))),
		repeat(member, bombSize/letters*len(member)),
		bytes.NewReader(pack([]byte(`"}`))),
	))
}

func pack(b []byte) []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(b)
	_ = w.Close()
	return packed.Bytes()
}

func gzipped(body io.Reader) reply {
	r := reply{http.StatusOK, http.Header{}, body, unknownLength}
	r.header.Set("Content-Type", "application/json")
	r.header.Set("Content-Encoding", "gzip")
	return r
}

// garbage returns what answers by a name, or nil when this downstream has nothing of that name.
func (k kind) garbage(name string) func(good []byte) reply {
	if own, ok := k.wrong[name]; ok {
		return func([]byte) reply { return garbled([]byte(own)) }
	}
	return garbage[name]
}

// GarbageNames are the values that Fault.Garbage takes for a downstream, sorted. Those that begin with "valid-" are good
// answers that a careless reader gets wrong; all others are none. There are none for an unknown downstream.
func GarbageNames(downstream string) []string {
	for _, k := range kinds {
		if k.name == downstream {
			return slices.Sorted(func(yield func(string) bool) {
				maps.Keys(garbage)(yield)
				maps.Keys(k.wrong)(yield)
			})
		}
	}
	return nil
}
