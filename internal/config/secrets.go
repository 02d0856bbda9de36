package config

import (
	"log/slog"
	"strconv"
	"strings"
)

// hidden stands for what is not shown.
const hidden = "***"

// Secret is a text that prints, logs and marshals masked. Reveal is the only way to it.
type Secret string

// Reveal is the text itself.
func (s Secret) Reveal() string { return string(s) }

func (s Secret) String() string {
	if s == "" || strings.Contains(string(s), "://") {
		return masked(string(s))
	}
	return hidden
}

// GoString masks it under %#v too.
func (s Secret) GoString() string { return strconv.Quote(s.String()) }

// LogValue masks it in a log line.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText masks it in JSON.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// masked hides what may be secret in a URL: all that stands before its last @, and its query, since a key can have any
// name. A text that has neither comes back as it is.
func masked(s string) string {
	scheme, rest, isURL := strings.Cut(s, "://")
	if !isURL {
		scheme, rest = "", s
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = hidden + rest[at:]
	}
	if path, _, found := strings.Cut(rest, "?"); found {
		rest = path + "?" + hidden
	}
	if !isURL {
		return rest
	}
	return scheme + "://" + rest
}

// shown is the value of a name as a mistake may tell it. What is wrong with a secret may be that it is one.
func shown(name, value string) string {
	if name == prefix+"REDIS_URL" {
		return hidden
	}
	return masked(value)
}

// maskedOTel hides a variable that carries credentials: exporters take them as headers.
func maskedOTel(name, value string) string {
	if strings.Contains(name, "HEADERS") {
		return hidden
	}
	return masked(value)
}
