package cache

import (
	"errors"
	"fmt"
	"testing"
)

func TestReadsAreSharedAndBounded(t *testing.T) {
	rs := newReads()
	first := rs.join("first")
	if rs.join("first") != first {
		t.Error("the same question was asked twice")
	}
	for i := range readQueueSize {
		rs.join(fmt.Sprint(i))
	}
	select {
	case <-first.done:
	default:
		t.Fatal("the oldest question waits on, though there is no room")
	}
	if !errors.Is(first.err, errNotAsked) || len(rs.pending) != readQueueSize {
		t.Errorf("it ended with %v, and %d are pending", first.err, len(rs.pending))
	}
	if rs.join("first") == first {
		t.Error("a question that has ended is joined")
	}
}
