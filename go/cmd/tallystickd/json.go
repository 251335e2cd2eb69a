// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/tallystick/tallystick/go/internal/core"
	"github.com/tallystick/tallystick/go/policy"
)

var (
	errRequest = &refused{&failure{status: http.StatusBadRequest, Error: `a request is {"records": [{...}, ...]}`}}
	errTwice   = &refused{&failure{status: http.StatusBadRequest, Error: "the request has records twice; send one list"}}
	errName    = &refused{&failure{
		status: http.StatusBadRequest,
		Error:  "the name of a field has half of a surrogate pair, which is not a character; correct the request",
	}}
)

// readRequest reads {"records": [{...}, ...]} name by name: encoding/json would take a name twice, or in another case.
func readRequest(ctx context.Context, text []byte, limit int) (list []policy.Record, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('{') {
		return nil, errRequest
	}
	for decoder.More() {
		if name, err := decoder.Token(); err != nil || name != "records" {
			return nil, errRequest
		}
		if list != nil {
			return nil, errTwice
		}
		if list, err = readRecords(ctx, decoder, text, limit); err != nil {
			return nil, err
		}
	}
	if _, err := decoder.Token(); err != nil || list == nil {
		return nil, errRequest
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errRequest
	}
	return list, nil
}

// readRecords reads at most so many records: a small record takes some hundred times its size in memory.
func readRecords(ctx context.Context, decoder *json.Decoder, text []byte, limit int) ([]policy.Record, error) {
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('[') {
		return nil, errRequest
	}
	list := []policy.Record{}
	for decoder.More() {
		row := len(list)
		if row == limit {
			return nil, &refused{&failure{
				status: http.StatusRequestEntityTooLarge, Error: fmt.Sprintf("a request has at most %d records", limit),
			}}
		}
		if begin, err := decoder.Token(); err != nil || begin != json.Delim('{') {
			return nil, errRequest
		}
		one := policy.Record{}
		for decoder.More() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			start := decoder.InputOffset()
			key, err := decoder.Token()
			name, isText := key.(string)
			if err != nil || !isText {
				return nil, errRequest
			}
			if strings.ContainsRune(name, utf8.RuneError) && !core.IsText(text[start:decoder.InputOffset()]) {
				return nil, errName
			}
			if _, twice := one[name]; twice {
				return nil, &refused{&failure{http.StatusBadRequest, "the record has this field twice; send it once", &row, name}}
			}
			var value json.RawMessage
			if decoder.Decode(&value) != nil {
				return nil, errRequest
			}
			one[name] = value
		}
		if _, err := decoder.Token(); err != nil {
			return nil, errRequest
		}
		list = append(list, one)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, errRequest
	}
	return list, nil
}

// changeJSON answers {"records": [{...}, ...]} with the same records, whose fields are changed.
func (j *job) changeJSON(ctx context.Context, text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, &refused{&failure{status: http.StatusBadRequest, Error: "the body is not UTF-8"}}
	}
	list, err := readRequest(ctx, text, j.config.Limits.Records)
	if err != nil {
		return nil, err
	}
	j.about.columns = map[string]int{}
	for row, record := range list {
		for field := range record {
			if j.rules[field] == nil {
				continue
			}
			if err := j.may(&row, field); err != nil {
				return nil, err
			}
			j.about.columns[field]++
		}
	}
	change := j.protector.ProtectRecords
	if j.reveals {
		change = j.protector.RevealRecords
	}
	if err := change(ctx, list); err != nil {
		return nil, err
	}
	made, err := json.Marshal(map[string]any{"records": list})
	if err != nil {
		return nil, err
	}
	if !j.held.take(int64(len(made))) {
		return nil, j.held.full()
	}
	return append(made, '\n'), nil
}
