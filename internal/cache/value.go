package cache

import (
	"encoding/binary"
	"time"

	"example.com/bff/internal/page"
)

// A value is what both stores hold under a key: a version byte, the instant at which it was true (Unix milliseconds, 8
// bytes, big-endian, so that it can be compared without being understood), and the encoded price, or nothing where the
// price was forgotten.
type value []byte

const (
	valueVersion = 1
	headerSize   = 9
	maxValueSize = 64 // a valid one is at most 45 bytes

	// maxSkew is how far another clock may be ahead of ours. What claims to be from later than that is garbage, or from a
	// clock that was wrong, and must not keep true prices out until then.
	maxSkew = time.Minute
)

func newValue(asOf time.Time) value {
	v := make(value, headerSize, 48)
	v[0] = valueVersion
	binary.BigEndian.PutUint64(v[1:], uint64(max(0, asOf.UnixMilli())))
	return v
}

func remembered(p page.ShownPrice) value {
	v, _ := p.AppendBinary(newValue(p.AsOf())) // never fails
	return v
}

func forgotten(asOf time.Time) value { return newValue(asOf) }

func (v value) forgotten() bool { return len(v) == headerSize }

// instant is what v[1:headerSize] says, in Unix milliseconds.
func (v value) instant() uint64 { return binary.BigEndian.Uint64(v[1:headerSize]) }

// latest is the last instant that can be believed now, in Unix milliseconds.
func latest() int64 { return time.Now().Add(maxSkew).UnixMilli() }

func (v value) credible() bool { return v.instant() <= uint64(latest()) }

// supersedes tells whether v, which is credible, takes the place of old, both well-formed. Of the same instant, a price
// beats its absence: Forget removes what was true before. supersede.lua says the same to Redis.
func (v value) supersedes(old value) bool {
	switch is, was := v.instant(), old.instant(); {
	case is > was:
		return true
	case is == was:
		return !v.forgotten()
	default:
		return !old.credible()
	}
}

// price reads what may be anything at all.
func (v value) price(staleFor time.Duration) (page.ShownPrice, page.MemoryResult) {
	if len(v) < headerSize || v[0] != valueVersion || !v.credible() {
		return page.ShownPrice{}, page.MemoryInvalid
	}
	if v.forgotten() {
		return page.ShownPrice{}, page.MemoryMiss
	}
	p, err := page.ParseShownPrice(v[headerSize:])
	if err != nil || uint64(p.AsOf().UnixMilli()) != v.instant() {
		return page.ShownPrice{}, page.MemoryInvalid
	}
	if time.Since(p.AsOf()) > staleFor {
		return page.ShownPrice{}, page.MemoryExpired
	}
	return p, page.MemoryHit
}
