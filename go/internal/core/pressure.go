// SPDX-License-Identifier: Apache-2.0

package core

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

const (
	leastPressure = 4 << 20 // bytes of pools below which no collection is run
	cleanupWait   = 50 * time.Millisecond
	cleanupPause  = 200 * time.Microsecond
)

// pressure bounds the memory of pools that are unreachable but not closed. The garbage collector alone
// would let it grow: a pool's memory is freed in the collection after its cleanup, and a goroutine that
// makes pools can outrun the cleanups.
type pressure struct {
	held, limit atomic.Int64 // bytes of the pools that are neither closed nor collected
	mutex       sync.Mutex
}

// pools counts the memory of all pools.
var pools = func() *pressure {
	p := new(pressure)
	p.limit.Store(leastPressure)
	return p
}()

// add counts the memory of a pool, and runs the garbage collector if there is much.
func (p *pressure) add(size int) {
	if p.held.Add(int64(size)) > p.limit.Load() && p.mutex.TryLock() {
		p.collect()
		p.limit.Store(max(leastPressure, 2*p.held.Load(), liveHeap()/4))
		p.mutex.Unlock()
	}
}

func (p *pressure) subtract(size int) { p.held.Add(-int64(size)) }

// collect runs the garbage collector, and waits a little for the cleanups that it queued. They run in
// no order: when one of them has run, the others are done once nothing is freed any more.
func (p *pressure) collect() {
	begun := make(chan struct{})
	closeWhenCollected(begun)
	runtime.GC()
	end := time.Now().Add(cleanupWait)
	select {
	case <-begun:
	case <-time.After(cleanupWait):
	}
	for before := int64(-1); p.held.Load() != before && time.Now().Before(end); time.Sleep(cleanupPause) {
		before = p.held.Load()
	}
}

//go:noinline
func closeWhenCollected(done chan struct{}) {
	runtime.AddCleanup(&struct{ _ [64]byte }{}, func(done chan struct{}) { close(done) }, done)
}

func liveHeap() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(sample[0].Value.Uint64())
}
