package cache_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/bff/internal/cache"
	"example.com/bff/internal/page"
	"example.com/bff/internal/redistest"
)

func benchKeys() []cache.Key {
	keys := make([]cache.Key, 1000)
	for i := range keys {
		keys[i] = key(fmt.Sprint("p-", i), "X-Market: de")
	}
	return keys
}

// The floor of Memory: a map of what is asked for, under a lock.
func BenchmarkFloorMap(b *testing.B) {
	keys, p := benchKeys(), price("129.90", time.Now())
	var mu sync.Mutex
	m := map[cache.Key]page.ShownPrice{}
	for i := 0; b.Loop(); i++ {
		mu.Lock()
		m[keys[i%len(keys)]] = p
		_ = m[keys[i%len(keys)]]
		mu.Unlock()
	}
}

func BenchmarkMemoryRemember(b *testing.B) {
	keys, p := benchKeys(), price("129.90", time.Now())
	m := newMemory(1<<20, new(counts))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.Remember(keys[i%len(keys)], p)
	}
}

func BenchmarkMemoryRecall(b *testing.B) {
	keys, p := benchKeys(), price("129.90", time.Now())
	m := newMemory(1<<20, new(counts))
	for _, k := range keys {
		m.Remember(k, p)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.Recall(b.Context(), keys[i%len(keys)])
	}
}

// What a healthy page pays for Redis.
func BenchmarkRedisRemember(b *testing.B) {
	s, _ := benchRedis(b)
	keys, p := benchKeys(), price("129.90", time.Now())
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Remember(keys[i%len(keys)], p)
	}
}

func BenchmarkRedisRecall(b *testing.B) {
	s, _ := benchRedis(b)
	keys := benchKeys()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Recall(b.Context(), keys[i%len(keys)])
	}
}

// The floor of Recall: one exchange with go-redis.
func BenchmarkFloorGet(b *testing.B) {
	_, client := benchRedis(b)
	b.ReportAllocs()
	for b.Loop() {
		client.Get(b.Context(), "bff:price:v1:p-1:00000000000000000000000000000000")
	}
}

func benchRedis(b *testing.B) (*store, *redis.Client) {
	srv := redistest.Start(b)
	if srv == nil {
		b.FailNow()
	}
	return newStore(b, "redis://"+srv.Addr), srv.Client
}
