package page

import (
	"errors"
	"strings"
	"time"
)

// The answers that there is nothing: catalog does not know the product; on the money path, it has no price.
var (
	ErrNotFound = errors.New("no such product")
	ErrNoPrice  = errors.New("the product has no price, so that there is no offer")
)

// FailedDependency is a critical downstream that could not answer, and why.
type FailedDependency struct {
	Name   Dependency
	Reason Outcome
}

// UnavailableError says which critical sections could not be had. It carries no host, no port and no library's text.
type UnavailableError struct {
	Dependencies []FailedDependency
	RetryAfter   time.Duration // the largest of theirs; 0 when none said anything
}

func (e *UnavailableError) Error() string {
	var b strings.Builder
	for i, d := range e.Dependencies {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(d.Name.String() + ": " + d.Reason.String())
	}
	return b.String()
}
