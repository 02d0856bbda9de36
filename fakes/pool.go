package fakes

import (
	"context"
	"errors"
	"sync"
)

// pool is a downstream's workers, and the queue before them: first come, first served.
type pool struct {
	workers chan struct{}
	queue   int // how many may wait

	mu      sync.Mutex
	running gauge
	waiting gauge
}

// gauge is a number and the largest that it was.
type gauge struct{ now, most int }

func (g *gauge) add(n int) {
	g.now += n
	g.most = max(g.most, g.now)
}

var errFull = errors.New("all workers are busy and the queue is full")

func newPool(workers, queue int) *pool {
	return &pool{workers: make(chan struct{}, workers), queue: queue}
}

// enter gets a worker, which leave gives back. It fails with errFull, or with ctx's error when that ends first.
func (p *pool) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case p.workers <- struct{}{}:
		p.count(&p.running, 1)
		return nil
	default:
		return p.wait(ctx)
	}
}

func (p *pool) wait(ctx context.Context) error {
	if !p.queueUp() {
		return errFull
	}
	defer p.count(&p.waiting, -1)
	select {
	case p.workers <- struct{}{}:
		p.count(&p.running, 1)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *pool) queueUp() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting.now == p.queue {
		return false
	}
	p.waiting.add(1)
	return true
}

func (p *pool) leave() {
	p.count(&p.running, -1)
	<-p.workers
}

func (p *pool) count(g *gauge, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g.add(n)
}

func (p *pool) gauges() (running, waiting gauge) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running, p.waiting
}

func (p *pool) resetMost() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running.most, p.waiting.most = p.running.now, p.waiting.now
}
