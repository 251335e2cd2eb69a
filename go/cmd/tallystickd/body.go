// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
)

var (
	errFull  = &refused{tooBusy("memory is full")}
	errAlone = &refused{&failure{
		status: http.StatusRequestEntityTooLarge, Error: "the request alone needs more than limits.memory of the server; send fewer values at once",
	}}
)

// holding is the memory that one request has for its body and its answer, out of that for all.
type holding struct {
	all         *atomic.Int64
	limit, mine int64
	alone       bool // it would have more than the limit by itself
}

// full is the error after take returned false.
func (h *holding) full() *refused {
	if h.alone {
		return errAlone
	}
	return errFull
}

// take returns false if all requests together would have too much.
func (h *holding) take(size int64) bool {
	if h.all.Add(size) > h.limit {
		h.all.Add(-size)
		h.alone = h.mine+size > h.limit
		return false
	}
	h.mine += size
	return true
}

// give is the inverse of take.
func (h *holding) give(size int64) {
	h.all.Add(-size)
	h.mine -= size
}

func (h *holding) release() { h.all.Add(-h.mine) }

const firstPiece = 16 << 10

// readBody reads a body. Memory grows as bytes come, so a caller has no memory for what it does not send.
func readBody(w http.ResponseWriter, r *http.Request, limit int64, held *holding) ([]byte, *failure) {
	tooLarge := &failure{
		status: http.StatusRequestEntityTooLarge, Error: fmt.Sprintf("a request of this type has at most %d bytes", limit),
	}
	if r.ContentLength > limit {
		w.Header().Set("Connection", "close")
		return nil, tooLarge
	}
	body := http.MaxBytesReader(w, r.Body, limit)
	var text []byte
	for {
		if len(text) == cap(text) {
			size := max(firstPiece, 2*cap(text))
			// Known has one more, to see the end. Who sent a megabyte is trusted with the rest.
			if known := int(r.ContentLength) + 1; known > len(text) && (size > known || len(text) > 1<<20) {
				size = known
			}
			if !held.take(int64(size - cap(text))) {
				return nil, held.full().failure
			}
			text = append(make([]byte, 0, size), text...)
		}
		n, err := body.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		var over *http.MaxBytesError
		switch {
		case errors.Is(err, io.EOF):
			return text, nil
		case errors.As(err, &over):
			return nil, tooLarge
		case err != nil:
			return nil, &failure{status: http.StatusBadRequest, Error: "the request was cut off"}
		}
	}
}
