// SPDX-License-Identifier: Apache-2.0

package core

import "runtime"

// Statuses of formats and tokens.
const (
	Type      Status = 65
	OneWay    Status = 66
	ReadOnly  Status = 67
	Room      Status = 68
	Namespace Status = 80
)

// Limits and sizes of tokens.
const (
	MaxNamespace    = 256
	MaxOneValue     = 1 << 20 // bytes of a value for Tokenizer.Value
	FingerprintSize = 32      // bytes that identify a key
)

// Facts are what is known of a format.
type Facts struct {
	Name, Identity string
	Cipher         string // empty: the format encrypts no words
	Examples       []string
	OneWay, Keyed  bool
	MayBeFormula   bool
	ForbidsKeep    bool
	SmallestDomain uint64 // MaxUint64: that many or more; 0: it is not known
}

// Fault is where a value is wrong: the character at fault, counted from 1, and its class; 0: none is.
type Fault struct {
	Position int
	Class    int
}

// Classes of characters, as of tally_character.
const (
	ClassLetter = iota
	ClassDigit
	ClassSpace
	ClassControl
	ClassOther
)

// Tokenizer is a format with a key and a namespace, for any number of goroutines.
type Tokenizer struct {
	workers *freeList[tokenWorker]
	cleanup runtime.Cleanup
}

func newTokenizer(workers *freeList[tokenWorker]) *Tokenizer {
	t := &Tokenizer{workers: workers}
	t.cleanup = runtime.AddCleanup(t, func(l *freeList[tokenWorker]) { l.close() }, workers)
	return t
}

// Close wipes the key. If calls are running, the last of them does.
func (t *Tokenizer) Close() {
	if t == nil {
		return
	}
	t.cleanup.Stop()
	t.workers.close()
	runtime.KeepAlive(t)
}

// Closed reports whether the key is wiped. A nil tokenizer has none.
func (t *Tokenizer) Closed() bool { return t == nil || t.workers.closed.Load() }

// get returns a worker for one call. A nil tokenizer has none.
func (t *Tokenizer) get() (*tokenWorker, error) {
	if t == nil {
		return nil, ErrClosed
	}
	return t.workers.get()
}
