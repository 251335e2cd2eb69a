// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"strings"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/policy"
)

const (
	maxBody    = 1 << 20 // bytes of a request
	maxRecords = 10_000  // of a request
	maxAtOnce  = 64      // requests that are worked on; others are asked to come again
)

// apply is Protector.Protect or Protector.Reveal.
type apply func(rule int, values, tweaks []policy.Value) ([]policy.Value, error)

type handler struct {
	rules []policy.Rule
	work  chan struct{} // a place for each request that is worked on
}

// newHandler serves a protector; reveal is the token that revealing takes, or empty.
func newHandler(protector *policy.Protector, reveal string) http.Handler {
	h := &handler{protector.Rules(), make(chan struct{}, maxAtOnce)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("POST /protect", h.records(protector.Protect))
	if reveal != "" {
		mux.HandleFunc("POST /reveal", bearer(reveal, h.records(protector.Reveal)))
	}
	return mux
}

// bearer lets those through who send a token; hashes are compared, so that not even its length shows.
func bearer(token string, next http.HandlerFunc) http.HandlerFunc {
	want := sha256.Sum256([]byte(token))
	return func(w http.ResponseWriter, r *http.Request) {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		got := sha256.Sum256([]byte(given))
		if !ok || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			fail(w, http.StatusUnauthorized, &failure{Error: "revealing takes the bearer token of this server"})
			return
		}
		next(w, r)
	}
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

// record is a JSON object whose fields are not looked into unless the policy names them.
type record map[string]json.RawMessage

type body struct {
	Records recordList `json:"records"`
}

type recordList []record

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
		var one record
		if err := decoder.Decode(&one); err != nil {
			return err
		}
		*r = append(*r, one)
	}
	return nil
}

// records answers requests. Reading one and writing its answer take as long as the caller likes, within the
// server's timeouts, so only the work between them has a place.
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
		made, status, failed := h.answer(text, change)
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
func (h *handler) answer(text []byte, change apply) ([]byte, int, *failure) {
	select {
	case h.work <- struct{}{}:
		defer func() { <-h.work }()
	default:
		return nil, http.StatusServiceUnavailable, &failure{Error: "too many requests at once"}
	}
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
	for rule := range h.rules {
		failed, err := h.field(rule, given.Records, change)
		if err != nil {
			return nil, http.StatusInternalServerError, internal(h.rules[rule].Column, err)
		}
		if failed != nil {
			return nil, http.StatusUnprocessableEntity, failed
		}
	}
	made, err := json.Marshal(given)
	if err != nil {
		return nil, http.StatusInternalServerError, internal("", err)
	}
	return made, http.StatusOK, nil
}

// internal is what a caller hears of an error that is not the request's. The log has the error itself, which
// names no value.
func internal(column string, err error) *failure {
	log.Printf("field %q: %v", column, err)
	return &failure{Error: "the server failed, and its log says why", Field: column}
}

// field changes one field of all records that have it, at once. It returns what is wrong with a record, or an
// error that is not the request's.
func (h *handler) field(number int, records []record, change apply) (*failure, error) {
	rule := &h.rules[number]
	var rows []int
	var values, tweaks []policy.Value
	var numbers []bool
	for row, one := range records {
		raw, ok := one[rule.Column]
		if !ok {
			continue
		}
		value, isNumber, ok := read(raw)
		if !ok {
			return &failure{"is neither text, nor a number, nor null", &row, rule.Column}, nil
		}
		rows, values, numbers = append(rows, row), append(values, value), append(numbers, isNumber)
		if rule.Tweak != "" {
			tweak := policy.Value{Null: true}
			if raw, ok := one[rule.Tweak]; ok {
				if tweak, _, ok = read(raw); !ok {
					return &failure{"is neither text, nor a number, nor null", &row, rule.Tweak}, nil
				}
			}
			tweaks = append(tweaks, tweak)
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	changed, err := change(number, values, tweaks)
	var unfit *policy.UnfitValueError
	if errors.As(err, &unfit) {
		return &failure{unfit.Reason.String(), &rows[unfit.Row], rule.Column}, nil
	}
	if err != nil {
		return nil, err
	}
	_, isInteger := rule.Format.(*fast.IntegerFormat)
	for i, row := range rows {
		// Numbers stay numbers where tokens are: an integer's token is one.
		switch {
		case changed[i].Null:
			records[row][rule.Column] = json.RawMessage("null")
		case numbers[i] && (isInteger || changed[i] == values[i]):
			records[row][rule.Column] = json.RawMessage(changed[i].Text)
		case numbers[i]:
			return &failure{"is a number, and its format is of text: send it as text", &row, rule.Column}, nil
		default:
			if records[row][rule.Column], err = json.Marshal(changed[i].Text); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// read takes a field's value as text; a number as it is written.
func read(raw json.RawMessage) (value policy.Value, isNumber, ok bool) {
	switch {
	case string(raw) == "null":
		return policy.Value{Null: true}, false, true
	case len(raw) > 0 && raw[0] == '"':
		return value, false, json.Unmarshal(raw, &value.Text) == nil
	case len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'):
		return policy.Value{Text: string(raw)}, true, true
	}
	return value, false, false
}
