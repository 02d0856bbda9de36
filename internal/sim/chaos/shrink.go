package chaos

import "slices"

// Shrink leaves out of n events as many as it can so that it still fails, asking at most so many times, and returns
// the numbers of those that are needed.
func Shrink(n, most int, fails func(keep []int) bool) []int {
	keep := make([]int, n)
	for i := range keep {
		keep[i] = i
	}
	for size := (n + 1) / 2; size > 0 && most > 0; size /= 2 {
		for from := 0; from < len(keep) && most > 0; most-- {
			without := slices.Concat(keep[:from], keep[min(from+size, len(keep)):])
			if fails(without) {
				keep = without
			} else {
				from += size
			}
		}
	}
	return keep
}
