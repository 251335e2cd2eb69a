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

// recordList reads at most so many records: a small record takes some hundred times its size in memory.
type recordList struct {
	list  []policy.Record
	limit int
}

var (
	errTooMany = errors.New("too many records")
	errName    = errors.New("the name of a field has half of a surrogate pair, which is not a character; correct the request")
)

// UnmarshalJSON stops at the limit.
func (r *recordList) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('[') {
		return errors.New("records is not an array")
	}
	r.list = []policy.Record{}
	for decoder.More() {
		if len(r.list) == r.limit {
			return errTooMany
		}
		var one policy.Record
		start := decoder.InputOffset()
		if err := decoder.Decode(&one); err != nil {
			return err
		}
		for name := range one {
			if strings.ContainsRune(name, utf8.RuneError) && !core.IsText(text[start:decoder.InputOffset()]) {
				return errName
			}
		}
		r.list = append(r.list, one)
	}
	return nil
}

// changeJSON answers {"records": [{...}, ...]} with the same records, whose fields are changed.
func (j *job) changeJSON(ctx context.Context, text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, &refused{&failure{status: http.StatusBadRequest, Error: "the body is not UTF-8"}}
	}
	limit := j.config.Limits.Records
	given := struct {
		Records recordList `json:"records"`
	}{recordList{limit: limit}}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&given)
	if err == nil {
		_, err = decoder.Token()
	}
	switch {
	case errors.Is(err, errTooMany):
		return nil, &refused{&failure{
			status: http.StatusRequestEntityTooLarge, Error: fmt.Sprintf("a request has at most %d records", limit),
		}}
	case errors.Is(err, errName):
		return nil, &refused{&failure{status: http.StatusBadRequest, Error: err.Error()}}
	case !errors.Is(err, io.EOF) || given.Records.list == nil:
		return nil, &refused{&failure{status: http.StatusBadRequest, Error: `a request is {"records": [{...}, ...]}`}}
	}
	j.about.columns = map[string]int{}
	for row, record := range given.Records.list {
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
	if err := change(ctx, given.Records.list); err != nil {
		return nil, err
	}
	made, err := json.Marshal(map[string]any{"records": given.Records.list})
	return append(made, '\n'), err
}
