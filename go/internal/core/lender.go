// SPDX-License-Identifier: Apache-2.0

package core

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// lender keeps things that serve one goroutine at a time: it lends an idle one, or makes one. Neither
// waits for a lock unless one is made or dropped.
type lender[T any] struct {
	make func() (*T, error)
	drop func(*T)
	last func() // when it was closed and all that were made are dropped

	idle   []atomic.Pointer[T]
	closed atomic.Bool
	mutex  sync.Mutex // guards alive, and that nothing is made after last
	alive  int
}

func newLender[T any](make_ func() (*T, error), drop func(*T), last func()) *lender[T] {
	return &lender[T]{
		make: make_, drop: drop, last: last,
		idle: make([]atomic.Pointer[T], min(runtime.GOMAXPROCS(0), 64)),
	}
}

func (l *lender[T]) take() (*T, error) {
	if l.closed.Load() {
		return nil, ErrClosed
	}
	for i := range l.idle {
		if l.idle[i].Load() != nil {
			if one := l.idle[i].Swap(nil); one != nil {
				return one, nil
			}
		}
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.closed.Load() {
		return nil, ErrClosed
	}
	one, err := l.make()
	if err == nil {
		l.alive++
	}
	return one, err
}

func (l *lender[T]) give(one *T) {
	for i := range l.idle {
		if l.idle[i].Load() == nil && l.idle[i].CompareAndSwap(nil, one) {
			// Who closed it may have looked here before.
			if l.closed.Load() {
				l.drain()
			}
			return
		}
	}
	l.dropOne(one)
}

func (l *lender[T]) dropOne(one *T) {
	l.drop(one)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.alive--
	if l.alive == 0 && l.closed.Load() {
		l.last()
	}
}

func (l *lender[T]) drain() {
	for i := range l.idle {
		if one := l.idle[i].Swap(nil); one != nil {
			l.dropOne(one)
		}
	}
}

// close drops everything that is idle now, and the rest when it comes back.
func (l *lender[T]) close() {
	l.mutex.Lock()
	first := !l.closed.Swap(true)
	none := l.alive == 0
	l.mutex.Unlock()
	if !first {
		return
	}
	if none {
		l.last()
		return
	}
	l.drain()
}
