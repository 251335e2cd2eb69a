// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/policy"
	"github.com/tallystick/tallystick/go/reveals"
)

//go:embed openapi.json
var openAPI []byte

const (
	jsonType  = "application/json"
	arrowType = "application/vnd.apache.arrow.stream"
)

// failure is the body of an answer that refuses; it never has a value in it.
type failure struct {
	status int
	Error  string `json:"error"`
	Record *int   `json:"record,omitempty"` // which, from 0
	Field  string `json:"field,omitempty"`
}

// entry is what a request leaves in the log and in the metrics.
type entry struct {
	caller  string
	columns map[string]int // values, by column
	symbols int64
}

// routes are the paths and what answers them. A test compares them with openapi.json.
func (s *server) routes() map[string]func(http.ResponseWriter, *http.Request, *state, *entry) *failure {
	return map[string]func(http.ResponseWriter, *http.Request, *state, *entry) *failure{
		"POST /v1/protect": func(w http.ResponseWriter, r *http.Request, now *state, e *entry) *failure {
			return s.change(w, r, now, e, false)
		},
		"POST /v1/reveal": func(w http.ResponseWriter, r *http.Request, now *state, e *entry) *failure {
			return s.change(w, r, now, e, true)
		},
		"GET /health": func(w http.ResponseWriter, _ *http.Request, _ *state, _ *entry) *failure {
			return respond(w, http.StatusOK, jsonType, []byte("{\"status\":\"up\"}\n"))
		},
		"GET /ready": func(w http.ResponseWriter, _ *http.Request, _ *state, _ *entry) *failure {
			if s.stopping.Load() {
				return &failure{status: http.StatusServiceUnavailable, Error: "the server stops"}
			}
			return respond(w, http.StatusOK, jsonType, []byte("{\"status\":\"ready\"}\n"))
		},
		"GET /openapi.json": func(w http.ResponseWriter, _ *http.Request, _ *state, _ *entry) *failure {
			return respond(w, http.StatusOK, jsonType, openAPI)
		},
		"GET /metrics": func(w http.ResponseWriter, r *http.Request, now *state, e *entry) *failure {
			who := identify(now.callers, r)
			if who == nil {
				return unknown(w)
			}
			if e.caller = who.name; !who.metrics {
				return &failure{status: http.StatusForbidden, Error: "the caller has no right to read metrics"}
			}
			s.metrics.handler.ServeHTTP(w, r)
			return nil
		},
	}
}

// handler answers all requests.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, answer := range s.routes() {
		mux.HandleFunc(pattern, s.watched(pattern, answer))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := s.current()
		names := now.config.names()
		now.release()
		if !isOurs(names, r.Host) {
			s.metrics.requests.WithLabelValues("other", "421").Inc()
			refuse(w, &failure{status: http.StatusMisdirectedRequest, Error: "this server does not answer to that host; its " +
				"configuration's hosts say to which"})
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// watched writes the log and the metrics of a route.
func (s *server) watched(pattern string, answer func(http.ResponseWriter, *http.Request, *state, *entry) *failure) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		begin, now, about := time.Now(), s.current(), &entry{}
		defer now.release()
		status := http.StatusOK
		func() {
			defer func() {
				if fault := recover(); fault != nil { // its text might quote a value
					s.log.Error("the server has a fault", "route", pattern, "type", fmt.Sprintf("%T", fault))
					status = http.StatusInternalServerError
					refuse(w, &failure{status: status, Error: "the server failed, and its log says why"})
				}
			}()
			if failed := answer(w, r, now, about); failed != nil {
				status = failed.status
				refuse(w, failed)
			}
		}()
		took := time.Since(begin)
		s.metrics.requests.WithLabelValues(pattern, strconv.Itoa(status)).Inc()
		s.metrics.seconds.WithLabelValues(pattern).Observe(took.Seconds())
		if r.Method != http.MethodPost {
			return
		}
		s.log.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("route", pattern), slog.String("caller", about.caller),
			slog.Int("status", status), slog.Any("values", about.columns), slog.Int64("symbols", about.symbols),
			slog.Float64("ms", float64(took.Microseconds())/1000))
	}
}

func refuse(w http.ResponseWriter, failed *failure) {
	text, _ := json.Marshal(failed) // texts and a number: no error
	respond(w, failed.status, jsonType, append(text, '\n'))
}

func respond(w http.ResponseWriter, status int, kind string, text []byte) *failure {
	header := w.Header()
	header.Set("Content-Type", kind)
	header.Set("Content-Length", strconv.Itoa(len(text)))
	header.Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		header.Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	_, _ = w.Write(text)
	return nil
}

func unknown(w http.ResponseWriter) *failure {
	w.Header().Set("WWW-Authenticate", "Bearer")
	return &failure{status: http.StatusUnauthorized, Error: "the request has no bearer token or certificate of a caller"}
}

// job is one request to protect or reveal.
type job struct {
	*state
	who     *rights
	reveals bool
	about   *entry
	held    *holding
}

// change answers a request. Reading it and writing its answer take as long as the caller likes, within the
// server's time-outs, so only the work between them has a place. When the caller is gone the work ends.
func (s *server) change(w http.ResponseWriter, r *http.Request, now *state, about *entry, toReveal bool) *failure {
	who := identify(now.callers, r)
	if who == nil {
		return unknown(w)
	}
	about.caller = who.name
	if columns := map[bool][]string{false: who.protect, true: who.reveal}[toReveal]; len(columns) == 0 {
		return &failure{status: http.StatusForbidden, Error: "the caller has no right to this route"}
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return &failure{status: http.StatusUnsupportedMediaType, Error: "bodies are sent without Content-Encoding"}
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	limit := now.config.Limits.Body
	switch kind {
	case jsonType:
	case arrowType:
		limit = now.config.Limits.ArrowBody
	default:
		return &failure{status: http.StatusUnsupportedMediaType, Error: "Content-Type is " + jsonType + " or " + arrowType}
	}
	held := &holding{all: &s.bodies, limit: now.config.Limits.Memory}
	defer held.release()
	text, failed := readBody(w, r, limit, held)
	if failed != nil {
		return failed
	}
	ctx, stop := context.WithTimeout(r.Context(), now.config.Limits.Time)
	defer stop()
	leave, failed := s.enter(ctx, now.config.Limits.Wait)
	if failed != nil {
		return failed
	}
	budget := policy.NewBudget(now.config.Limits.Layers, now.config.Limits.Symbols)
	ctx = reveals.WithWho(policy.WithBudget(ctx, budget), who.name)
	one := &job{now, who, toReveal, about, held}
	made, err := func() ([]byte, error) {
		defer leave()
		if kind == arrowType {
			return one.changeArrow(ctx, text)
		}
		return one.changeJSON(ctx, text)
	}()
	about.symbols = budget.Symbols()
	if err != nil {
		about.columns = nil
		return s.refusal(err)
	}
	operation := map[bool]string{false: "protect", true: "reveal"}[toReveal]
	for column, values := range about.columns {
		s.metrics.values.WithLabelValues(operation, column).Add(float64(values))
	}
	return respond(w, http.StatusOK, kind, made)
}

func tooBusy(why string) *failure {
	return &failure{status: http.StatusServiceUnavailable, Error: why + "; come again"}
}

// enter waits for a place to work, which the function that it returns leaves.
func (s *server) enter(ctx context.Context, wait time.Duration) (leave func(), failed *failure) {
	select {
	case s.places <- struct{}{}:
	default:
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case s.places <- struct{}{}:
		case <-timer.C:
			return nil, tooBusy("too many requests at once")
		case <-ctx.Done():
			return nil, tooBusy("the caller went away")
		}
	}
	s.metrics.working.Inc()
	return func() { s.metrics.working.Dec(); <-s.places }, nil
}

// may returns an error if the caller, or the key of a column, has no right on the column.
func (j *job) may(record *int, column string) error {
	needed := keyring.MayProtect
	if j.reveals {
		needed = keyring.MayReveal
	}
	why := ""
	switch {
	case !j.who.may(j.reveals, column):
		why = fmt.Sprintf("the caller has no right to %v this field", needed)
	case j.protector.Rights(column)&needed == 0 && !(j.reveals && j.rules[column].Format.OneWay()): // which stays as it is
		why = fmt.Sprintf("this field's key, or the server's root key, has no right to %v; the key ring says so", needed)
	default:
		return nil
	}
	return &refused{&failure{http.StatusForbidden, why, record, column}}
}

// refused is a failure as an error.
type refused struct{ failure *failure }

func (r *refused) Error() string { return r.failure.Error }

// refusal is the answer to a request that could not be done.
func (s *server) refusal(err error) *failure {
	var record *policy.RecordError
	var value *policy.InvalidValueError
	var ready *refused
	switch {
	case errors.As(err, &ready):
		return ready.failure
	case errors.As(err, &record) && record.Reason == policy.ReasonText:
		return &failure{http.StatusBadRequest, record.Reason, &record.Record, record.Field}
	case errors.As(err, &record):
		return &failure{http.StatusUnprocessableEntity, record.Reason, &record.Record, record.Field}
	case errors.As(err, &value):
		return &failure{http.StatusUnprocessableEntity, value.Why(), &value.Row, value.Column}
	case errors.Is(err, policy.ErrWork):
		return &failure{status: http.StatusRequestEntityTooLarge, Error: err.Error()}
	case errors.Is(err, reveals.ErrLog):
		s.log.Error("nothing is revealed", "error", err.Error())
		return &failure{status: http.StatusServiceUnavailable, Error: "the log of reveals can't be written, so nothing is revealed"}
	case errors.Is(err, context.Canceled): // nobody reads the answer
		s.log.Warn("the caller went away, and the work was ended")
		return tooBusy("the caller went away")
	case errors.Is(err, context.DeadlineExceeded):
		return &failure{status: http.StatusServiceUnavailable, Error: "the work took too long; send fewer values at once"}
	}
	// The log has the error itself, which names no value.
	s.log.Error("a request failed", "error", err.Error())
	return &failure{status: http.StatusInternalServerError, Error: "the server failed, and its log says why"}
}
