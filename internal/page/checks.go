package page

import (
	"strconv"
	"strings"
)

// Unreserved tells whether s is 1 to most of the characters that RFC 3986 never has escaped: A-Z a-z 0-9 - . _ ~.
func Unreserved(s string, most int) bool {
	return s != "" && len(s) <= most && all(s, func(c byte) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
	})
}

// ParseTraceParent reads the lines of a W3C traceparent header. It is ok when there is one, of at most 128 bytes:
// version, trace id, parent id and flags in lower-case hex, the version not ff and no id all zero. Versions after 00 may
// have more behind.
func ParseTraceParent(lines []string) (traceID string, sampled, ok bool) {
	const whole, most = len("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), 128
	if len(lines) != 1 || len(lines[0]) < whole || len(lines[0]) > most {
		return "", false, false
	}
	s, more := lines[0][:whole], lines[0][whole:]
	version, trace, parent, flags := s[:2], s[3:35], s[36:52], s[53:]
	switch {
	case s[2] != '-' || s[35] != '-' || s[52] != '-' || version == "ff",
		!all(version, lowerHex) || !all(trace, lowerHex) || !all(parent, lowerHex) || !all(flags, lowerHex),
		strings.Trim(trace, "0") == "" || strings.Trim(parent, "0") == "",
		more != "" && (version == "00" || more[0] != '-' || !all(more, printable)):
		return "", false, false
	}
	bits, _ := strconv.ParseUint(flags, 16, 8)
	return trace, bits&1 == 1, true
}

func lowerHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }

func printable(c byte) bool { return c >= ' ' && c != 0x7f }

func all(s string, are func(byte) bool) bool {
	for i := range len(s) {
		if !are(s[i]) {
			return false
		}
	}
	return true
}
