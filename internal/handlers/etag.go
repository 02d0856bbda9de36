package handlers

import "strings"

// matches tells whether If-None-Match names etag, compared weakly, or is *. It reads up to the first thing that is no
// entity tag.
func matches(ifNoneMatch []string, etag string) bool {
	for _, list := range ifNoneMatch {
		if strings.TrimSpace(list) == "*" || lists(list, opaque(etag)) {
			return true
		}
	}
	return false
}

// lists tells whether a list of entity tags has one with this opaque part, quotes included.
func lists(list, want string) bool {
	for {
		list = opaque(strings.TrimLeft(list, ", \t"))
		if !strings.HasPrefix(list, `"`) {
			return false
		}
		end := strings.IndexByte(list[1:], '"')
		if end < 0 {
			return false
		}
		if list[:end+2] == want {
			return true
		}
		list = list[end+2:]
	}
}

// opaque is an entity tag without the mark of a weak one.
func opaque(etag string) string { return strings.TrimPrefix(etag, "W/") }
