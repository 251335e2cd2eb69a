// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tallystick/tallystick/go/cmd/internal/load"
)

// 256 connections for a short while: nothing but 200, or 503 where it is documented, and memory stays flat.
// python -m bench.token_server has the times.
func TestLoad(t *testing.T) {
	r := start(t, "")
	options := load.Options{
		URL: r.url + "/v1/protect", Connections: 256, Body: []byte(`{"records": [` + strings.Repeat(`{"ssn": "078-05-1120"},`, 9) + `{}]}`),
		Header: http.Header{"Authorization": {"Bearer " + r.tokens["shop"]}, "Content-Type": {jsonType}}, Time: time.Second,
	}
	var heaps []uint64
	for range 3 {
		made, err := load.Run(context.Background(), options)
		if err != nil {
			t.Fatal(err)
		}
		if made.Errors > 0 || made.Statuses[200] < 256 || made.Statuses[200]+made.Statuses[503] != made.Requests() {
			t.Errorf("%d without an answer, %v", made.Errors, made.Statuses)
		}
		var memory runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&memory)
		heaps = append(heaps, memory.HeapAlloc)
	}
	if heaps[2] > heaps[0]+16<<20 {
		t.Errorf("memory grows: %v", heaps)
	}
	if r.bodies.Load() != 0 || len(r.places) != 0 {
		t.Errorf("%d bytes and %d places are still taken", r.bodies.Load(), len(r.places))
	}
	for _, url := range []string{"http://192.0.2.1/", "http://example.org/"} {
		options.URL = url
		if _, err := load.Run(context.Background(), options); !errors.Is(err, load.ErrAddress) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
