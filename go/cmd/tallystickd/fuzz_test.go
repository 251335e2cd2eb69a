// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
)

// FuzzRequests sends any body of both types: the answer has a status of those there are, and what was
// protected is revealed again.
func FuzzRequests(f *testing.F) {
	path, tokens := configure(f, "")
	s, err := newServer(path, slog.New(slog.NewJSONHandler(io.Discard, nil)))
	if err != nil {
		f.Fatal(err)
	}
	served := s.handler()
	ask := func(t *testing.T, path, kind string, body []byte) (int, []byte) {
		answer := httptest.NewRecorder()
		request := httptest.NewRequest(http.MethodPost, "http://127.0.0.1"+path, bytes.NewReader(body))
		request.Header.Set("Authorization", "Bearer "+tokens["all"])
		request.Header.Set("Content-Type", kind)
		served.ServeHTTP(answer, request)
		if answer.Header().Get("Content-Type") == jsonType && !json.Valid(answer.Body.Bytes()) {
			t.Fatalf("no JSON: %d", answer.Code)
		}
		return answer.Code, answer.Body.Bytes()
	}
	f.Add(false, []byte(records))
	f.Add(false, []byte(`{"records": [{"ssn": 123456789, "age": 1e2, "id": {}}]}`))
	f.Add(false, []byte(`{"records": [{"age": -0, "id": "x", "phone": "\ud800"}, {"email": "a@b", "email": null}]} `))
	f.Add(true, stream(f, 2, []string{"ssn", "email*"}, nil, []string{"078-05-1120", "a@example.org"}, []string{"NULL", "NULL"}))
	f.Fuzz(func(t *testing.T, arrow bool, body []byte) {
		kind := jsonType
		if arrow {
			kind = arrowType
		}
		ask(t, "/v1/reveal", kind, body)
		status, tokens := ask(t, "/v1/protect", kind, body)
		switch status {
		case http.StatusOK:
			status, back := ask(t, "/v1/reveal", kind, tokens)
			if status != http.StatusOK {
				t.Fatalf("tokens are not revealed: %d", status)
			}
			if status, again := ask(t, "/v1/protect", kind, back); status != http.StatusOK || !bytes.Equal(again, tokens) {
				t.Errorf("other tokens: %d", status)
			}
		case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		default:
			t.Errorf("status %d", status)
		}
	})
}
