// SPDX-License-Identifier: Apache-2.0

package core

import "runtime"

// FF1 is the cipher FF1 under one key, radix and profile, or FF3-1, for any number of goroutines at once.
type FF1 struct {
	profile uint32
	workers *freeList[ff1Worker]
	cleanup runtime.Cleanup
}

func newFF1(profile uint32, workers *freeList[ff1Worker]) *FF1 {
	f := &FF1{profile: profile, workers: workers}
	f.cleanup = runtime.AddCleanup(f, func(l *freeList[ff1Worker]) { l.close() }, workers)
	return f
}

// Close wipes the key. If calls are running, the last of them wipes it.
func (f *FF1) Close() {
	if f == nil {
		return
	}
	f.cleanup.Stop()
	f.workers.close()
	runtime.KeepAlive(f)
}

// get returns a worker for one call. A nil cipher has none.
func (f *FF1) get() (*ff1Worker, error) {
	if f == nil {
		return nil, ErrClosed
	}
	return f.workers.get()
}
