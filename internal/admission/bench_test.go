package admission_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"example.com/bff/internal/page"
)

// BenchmarkAdmit sets Admit and leave beside the least that counting can cost: two additions to one atomic.
func BenchmarkAdmit(b *testing.B) {
	b.Run("floor", func(b *testing.B) {
		var n atomic.Int64
		for b.Loop() {
			n.Add(1)
			n.Add(-1)
		}
	})
	b.Run("uncontended", func(b *testing.B) {
		a := start(b, 1000, calm)
		ctx, cancel := context.WithTimeout(b.Context(), time.Hour)
		defer cancel()
		b.ReportAllocs()
		for b.Loop() {
			leave, _, _ := a.Admit(ctx, page.Default)
			leave()
		}
	})
	b.Run("parallel", func(b *testing.B) {
		a := start(b, 1000, calm)
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				leave, _, _ := a.Admit(b.Context(), page.Default)
				leave()
			}
		})
	})
	b.Run("refused", func(b *testing.B) {
		a := start(b, 1, calm)
		leave, _, _ := a.Admit(b.Context(), page.Default)
		defer leave()
		b.ReportAllocs()
		for b.Loop() {
			_, _, _ = a.Admit(b.Context(), page.Default)
		}
	})
}
