package page

import "time"

// Rate is what a client's rate limit says of one request.
type Rate struct {
	Refused    bool
	Limit      int           // requests in a whole allowance
	Remaining  int           // of it, after this request
	Reset      time.Duration // until the allowance is whole again
	RetryAfter time.Duration // until one more request fits; meaningful when Refused
}
