package handlers

import (
	"strconv"
	"strings"
)

// acceptsJSON tells whether the Accept headers allow application/json. The most specific range that matches decides.
// What cannot be read is passed over; if that is everything, or there is nothing, anything is allowed.
func acceptsJSON(accept []string) bool {
	anyRead, decisive, allowed := false, 0, false
	for _, value := range accept {
		for element := range strings.SplitSeq(value, ",") {
			specificity, q, ok := mediaRange(element)
			anyRead = anyRead || ok
			switch {
			case specificity > decisive:
				decisive, allowed = specificity, q > 0
			case specificity == decisive && specificity > 0:
				allowed = allowed || q > 0
			}
		}
	}
	return allowed || !anyRead
}

// mediaRange tells how closely one element of Accept names application/json (0 is not at all) and with which weight.
func mediaRange(element string) (specificity int, q float64, ok bool) {
	name, parameters, _ := strings.Cut(element, ";")
	name = strings.ToLower(strings.TrimSpace(name))
	kind, subtype, ok := strings.Cut(name, "/")
	switch {
	case name == "*/*" || name == "*": // the latter is what Java's oldest client sends
		return 1, weight(parameters), true
	case name == "application/*":
		return 2, weight(parameters), true
	case name == jsonType:
		return 3, weight(parameters), true
	}
	return 0, 0, ok && kind != "" && subtype != ""
}

// weight is the q among the parameters: 1 when there is none, or none that can be read.
func weight(parameters string) float64 {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(p, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		if q, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && 0 <= q && q <= 1 {
			return q
		}
		return 1
	}
	return 1
}
