package ops

import (
	"math"
	"math/bits"
	"time"
)

const (
	grain   = 128 * time.Microsecond // the width of the narrowest buckets
	octave  = 8                      // buckets in which a duration doubles
	buckets = 128                    // reach to 33 s: no deadline is longer
)

// histogram counts durations in buckets that are at most an eighth as wide as what they hold is long, beyond the first
// millisecond.
type histogram [buckets]uint32

func (h *histogram) add(d time.Duration) { h[bucket(d)]++ }

func bucket(d time.Duration) int {
	n := uint64(max(0, d) / grain)
	shift := max(0, bits.Len64(n)-4)
	return min(octave*shift+int(n>>shift), buckets-1)
}

// lower is the shortest duration in bucket i.
func lower(i int) time.Duration {
	shift := max(0, i/octave-1)
	return time.Duration(i-octave*shift) << shift * grain
}

func (h *histogram) plus(other *histogram) {
	for i := range h {
		h[i] += other[i]
	}
}

// quantile is the duration that the share p of those counted did not exceed, or 0 when none was counted.
func (h *histogram) quantile(p float64) time.Duration {
	var total uint64
	for _, n := range h {
		total += uint64(n)
	}
	rank := max(1, uint64(math.Ceil(p*float64(total))))
	var below uint64
	for i, n := range h {
		if below+uint64(n) < rank {
			below += uint64(n)
			continue
		}
		if n == 0 {
			break
		}
		width := lower(i+1) - lower(i)
		return lower(i) + time.Duration(float64(width)*(float64(rank-below)-.5)/float64(n))
	}
	return 0
}
