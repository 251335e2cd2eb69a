// SPDX-License-Identifier: Apache-2.0

package core

import (
	"container/list"
	"runtime"
	"sync"
	"sync/atomic"
)

// freeList holds idle objects that serve one goroutine at a time: get takes one, or creates one.
// Neither get nor put waits for a lock unless an object is created or destroyed.
type freeList[T any] struct {
	create  func() (*T, error)
	destroy func(*T)
	finish  func() // called once, when the list is closed and all objects are destroyed
	limiter *limiter[T]

	idle   []atomic.Pointer[T]
	closed atomic.Bool
	mutex  sync.Mutex // guards alive; no object is created after finish
	alive  int

	place *list.Element // among the limiter's lists, whose mutex guards it
	count int           // of this list's objects, for the limiter
}

func newFreeList[T any](limiter *limiter[T], create func() (*T, error), destroy func(*T), finish func()) *freeList[T] {
	return &freeList[T]{
		create: create, destroy: destroy, finish: finish, limiter: limiter,
		idle: make([]atomic.Pointer[T], min(runtime.GOMAXPROCS(0), 64)),
	}
}

func (l *freeList[T]) get() (*T, error) {
	if l.closed.Load() {
		return nil, ErrClosed
	}
	if object := l.getIdle(); object != nil {
		return object, nil
	}
	l.limiter.makeSpace()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.closed.Load() {
		return nil, ErrClosed
	}
	object, err := l.create()
	if err == nil {
		l.alive++
		l.limiter.add(l)
	}
	return object, err
}

// getIdle returns an idle object, or nil.
func (l *freeList[T]) getIdle() *T {
	for i := range l.idle {
		if l.idle[i].Load() != nil {
			if object := l.idle[i].Swap(nil); object != nil {
				return object
			}
		}
	}
	return nil
}

func (l *freeList[T]) put(object *T) {
	for i := range l.idle {
		if l.idle[i].Load() == nil && l.idle[i].CompareAndSwap(nil, object) {
			// close may have passed this place already.
			if l.closed.Load() {
				l.drain()
			}
			return
		}
	}
	l.remove(object)
}

// remove destroys an object that is not idle.
func (l *freeList[T]) remove(object *T) {
	l.destroy(object)
	l.limiter.subtract(l)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.alive--
	if l.alive == 0 && l.closed.Load() {
		l.finish()
	}
}

func (l *freeList[T]) drain() {
	for object := l.getIdle(); object != nil; object = l.getIdle() {
		l.remove(object)
	}
}

// close destroys the idle objects now, and the others when put returns them.
func (l *freeList[T]) close() {
	l.mutex.Lock()
	first := !l.closed.Swap(true)
	none := l.alive == 0
	l.mutex.Unlock()
	if !first {
		return
	}
	if none {
		l.finish()
		return
	}
	l.drain()
}

// limiter bounds the objects of several lists: from the limit on, a list that creates one destroys an
// idle one of the list that has had objects for longest. Objects in use are not bounded.
type limiter[T any] struct {
	limit int
	mutex sync.Mutex
	lists list.List // those that have objects, oldest first
	count int       // of all objects
}

func newLimiter[T any](limit int) *limiter[T] { return &limiter[T]{limit: limit} }

func (m *limiter[T]) add(l *freeList[T]) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.count++
	l.count++
	if l.count == 1 {
		l.place = m.lists.PushBack(l)
	}
}

func (m *limiter[T]) subtract(l *freeList[T]) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.count--
	l.count--
	if l.count == 0 {
		m.lists.Remove(l.place)
		l.place = nil
	}
}

// makeSpace destroys an idle object if there are as many as the limit.
func (m *limiter[T]) makeSpace() {
	if owner, object := m.oldest(); object != nil {
		owner.remove(object)
	}
}

func (m *limiter[T]) oldest() (*freeList[T], *T) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.count < m.limit {
		return nil, nil
	}
	for place := m.lists.Front(); place != nil; place = place.Next() {
		owner := place.Value.(*freeList[T])
		if object := owner.getIdle(); object != nil {
			return owner, object
		}
	}
	return nil, nil
}
