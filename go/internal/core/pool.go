// SPDX-License-Identifier: Apache-2.0

package core

import "runtime"

// Pool is FAST under one key and radix.
type Pool struct {
	workers *freeList[worker]
	cleanup runtime.Cleanup
}

// newPool returns a pool that is wiped by Close, or when it is collected.
func newPool(workers *freeList[worker]) *Pool {
	p := &Pool{workers: workers}
	p.cleanup = runtime.AddCleanup(p, func(l *freeList[worker]) { l.close() }, workers)
	return p
}

// Close wipes the pool. If calls are running, the last of them wipes it.
func (p *Pool) Close() {
	if p == nil {
		return
	}
	p.cleanup.Stop()
	p.workers.close()
	runtime.KeepAlive(p)
}

// Closed reports whether the key is wiped. A nil pool has none.
func (p *Pool) Closed() bool { return p == nil || p.workers.closed.Load() }

// get returns a worker for one call. A nil pool has none.
func (p *Pool) get() (*worker, error) {
	if p == nil {
		return nil, ErrClosed
	}
	return p.workers.get()
}
