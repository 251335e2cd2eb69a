// SPDX-License-Identifier: Apache-2.0

// Package load sends requests to a token server of this machine on many connections, and measures them.
package load

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// Options say what is sent.
type Options struct {
	URL         string // of a loopback address
	Header      http.Header
	Body        []byte
	Connections int
	HTTP2       bool    // in clear; requests share what connections the client opens
	Rate        float64 // requests a second of all connections; 0: as many as are answered
	Time        time.Duration
}

// Result is what came back.
type Result struct {
	Statuses map[int]int
	Errors   int // requests without an answer
	Latency  []time.Duration
	Time     time.Duration
}

// Requests returns how many were answered.
func (r *Result) Requests() int { return len(r.Latency) }

// Percentile returns a latency, such as of 0.99.
func (r *Result) Percentile(part float64) time.Duration {
	if len(r.Latency) == 0 {
		return 0
	}
	return r.Latency[int(part*float64(len(r.Latency)-1))]
}

// ErrAddress: the URL is not one of this machine.
var ErrAddress = errors.New("load is sent to a loopback address alone")

// ErrProtocol: an answer has another protocol than the request.
var ErrProtocol = errors.New("the answer has another protocol")

// Run sends requests until the time is over. With a rate, a request's latency begins when it was due, so
// a server that stalls is charged for the requests that waited.
func Run(ctx context.Context, o Options) (*Result, error) {
	at, err := url.Parse(o.URL)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(at.Hostname()); ip == nil || !ip.IsLoopback() {
		return nil, ErrAddress
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!o.HTTP2)
	protocols.SetUnencryptedHTTP2(o.HTTP2)
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
		MaxIdleConnsPerHost: o.Connections, MaxConnsPerHost: o.Connections, DisableCompression: true, Protocols: protocols,
		HTTP2: &http.HTTP2Config{MaxReceiveBufferPerStream: 4 << 20, MaxReadFrameSize: 1 << 20},
	}}
	defer client.CloseIdleConnections()
	made := &Result{Statuses: map[int]int{}}
	var lock sync.Mutex
	var all sync.WaitGroup
	begin := time.Now()
	end := begin.Add(o.Time)
	for i := range o.Connections {
		all.Go(func() {
			statuses, failed, latency := map[int]int{}, 0, []time.Duration{}
			step := time.Duration(0)
			if o.Rate > 0 {
				step = time.Duration(float64(o.Connections) / o.Rate * float64(time.Second))
			}
			due := begin.Add(step * time.Duration(i) / time.Duration(o.Connections))
			for ctx.Err() == nil && due.Before(end) {
				if step > 0 {
					time.Sleep(time.Until(due))
				} else if due = time.Now(); !due.Before(end) {
					break
				}
				status, err := send(ctx, client, &o)
				if err != nil {
					failed++
				} else {
					statuses[status]++
					latency = append(latency, time.Since(due))
				}
				due = due.Add(step)
			}
			lock.Lock()
			defer lock.Unlock()
			made.Errors += failed
			for status, count := range statuses {
				made.Statuses[status] += count
			}
			made.Latency = append(made.Latency, latency...)
		})
	}
	all.Wait()
	made.Time = time.Since(begin)
	slices.Sort(made.Latency)
	return made, nil
}

func send(ctx context.Context, client *http.Client, o *Options) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, o.URL, bytes.NewReader(o.Body))
	if err != nil {
		return 0, err
	}
	request.Header = o.Header
	answer, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if (answer.ProtoMajor == 2) != o.HTTP2 {
		return 0, ErrProtocol
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}
