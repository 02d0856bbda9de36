package downstreams

import "time"

// windowParts is how many parts a window is counted in: what leaves it leaves by so much of it at once.
const windowParts = 20

// window counts attempts over a time that slides. failsafe's own rounds the rate to whole percents: of 200 attempts, 99
// failures would be a half.
type window struct {
	slice time.Duration
	begun time.Time
	parts [windowParts]tally
}

type tally struct {
	number        int64 // of the slice since begun
	total, failed int
}

func newWindow(long time.Duration, now time.Time) *window {
	return &window{slice: max(1, long/windowParts), begun: now}
}

// add counts one attempt and returns the tally of the window.
func (w *window) add(failed bool, now time.Time) (sum tally) {
	number := int64(now.Sub(w.begun) / w.slice)
	part := &w.parts[number%windowParts]
	if part.number != number {
		*part = tally{number: number}
	}
	part.total++
	if failed {
		part.failed++
	}
	for _, p := range w.parts {
		if number-p.number < windowParts {
			sum.total += p.total
			sum.failed += p.failed
		}
	}
	return sum
}
