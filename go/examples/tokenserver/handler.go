// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"time"

	"github.com/tallystick/tallystick/go/policy"
)

const (
	maxBody    = 1 << 20          // bytes of a request
	maxRecords = 10_000           // of a request
	maxAtOnce  = 64               // requests that are worked on; others are asked to come again
	maxTime    = 20 * time.Second // of a request's work
)

// apply is Protector.ProtectRecords or Protector.RevealRecords.
type apply func(ctx context.Context, records []policy.Record) error

type handler struct {
	work chan struct{} // a place for each request that is worked on
	time time.Duration // that the work of a request may take
}

// newHandler serves a protector under the rules of who may call it.
func newHandler(protector *policy.Protector, rules access) http.Handler {
	h := &handler{make(chan struct{}, maxAtOnce), maxTime}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	protect := h.records(protector.ProtectRecords)
	if !rules.openProtect {
		protect = bearer(rules.protect, "protecting", protect)
	}
	mux.HandleFunc("POST /protect", protect)
	if rules.reveal != "" {
		mux.HandleFunc("POST /reveal", bearer(rules.reveal, "revealing", h.records(protector.RevealRecords)))
	}
	return checkHost(rules.hosts, mux)
}

// failure is the body of an answer that is none; it never has a value in it.
type failure struct {
	Error  string `json:"error"`
	Record *int   `json:"record,omitempty"` // which, from 0
	Field  string `json:"field,omitempty"`
}

func fail(w http.ResponseWriter, status int, body *failure) {
	text, _ := json.Marshal(body) // texts and a number: no error
	respond(w, status, text)
}

func respond(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n'))
}

type body struct {
	Records recordList `json:"records"`
}

type recordList []policy.Record

var errTooMany = errors.New("too many records")

// UnmarshalJSON stops at maxRecords: a small record takes some hundred times its size in memory.
func (r *recordList) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('[') {
		return errors.New("records is not an array")
	}
	*r = recordList{}
	for decoder.More() {
		if len(*r) == maxRecords {
			return errTooMany
		}
		var one policy.Record
		if err := decoder.Decode(&one); err != nil {
			return err
		}
		*r = append(*r, one)
	}
	return nil
}

// records answers requests. Reading one and writing its answer take as long as the caller likes, within the
// server's timeouts, so only the work between them has a place. When the caller is gone the work ends.
func (h *handler) records(change apply) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		var tooLarge *http.MaxBytesError
		switch {
		case errors.As(err, &tooLarge):
			fail(w, http.StatusRequestEntityTooLarge, &failure{Error: "a request has at most 1 MiB"})
			return
		case err != nil:
			fail(w, http.StatusBadRequest, &failure{Error: "the request was cut off"})
			return
		}
		made, status, failed := h.answer(r.Context(), text, change)
		if failed == nil {
			respond(w, status, made)
			return
		}
		if status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "1")
		}
		fail(w, status, failed)
	}
}

// answer gives the text of the answer to a request's, and its status; or what is wrong.
func (h *handler) answer(ctx context.Context, text []byte, change apply) ([]byte, int, *failure) {
	select {
	case h.work <- struct{}{}:
		defer func() { <-h.work }()
	default:
		return nil, http.StatusServiceUnavailable, &failure{Error: "too many requests at once"}
	}
	ctx, stop := context.WithTimeout(ctx, h.time)
	defer stop()
	var given body
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&given)
	if err == nil {
		_, err = decoder.Token()
	}
	switch {
	case errors.Is(err, errTooMany):
		return nil, http.StatusRequestEntityTooLarge, &failure{Error: "a request has at most 10000 records"}
	case !errors.Is(err, io.EOF) || given.Records == nil:
		return nil, http.StatusBadRequest, &failure{Error: `a request is {"records": [{...}, ...]}`}
	}
	if err := change(ctx, given.Records); err != nil {
		return refusal(err)
	}
	made, err := json.Marshal(given)
	if err != nil {
		return refusal(err)
	}
	return made, http.StatusOK, nil
}

// refusal is the answer to a request that could not be done.
func refusal(err error) ([]byte, int, *failure) {
	var record *policy.RecordError
	switch {
	case errors.As(err, &record):
		return nil, http.StatusUnprocessableEntity, &failure{record.Reason, &record.Record, record.Field}
	case errors.Is(err, policy.ErrWork):
		return nil, http.StatusRequestEntityTooLarge, &failure{Error: err.Error()}
	case errors.Is(err, context.Canceled): // nobody reads the answer
		log.Print("the caller went away, and the work was ended")
		return nil, http.StatusServiceUnavailable, &failure{Error: "the caller went away"}
	case errors.Is(err, context.DeadlineExceeded):
		return nil, http.StatusServiceUnavailable, &failure{Error: "the work took too long; send fewer records at once"}
	}
	// The log has the error itself, which names no value.
	log.Print(err)
	return nil, http.StatusInternalServerError, &failure{Error: "the server failed, and its log says why"}
}
