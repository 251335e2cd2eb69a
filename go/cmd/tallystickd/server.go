// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"

	"github.com/tallystick/tallystick/go/policy"
)

// grace is how long requests under way may take when the server is asked to stop.
const grace = 25 * time.Second

// writeTimeout is how long an answer may take, from the end of the request's header. Tests shorten it.
var writeTimeout = 50 * time.Second

// maxTime is how long a request may wait and be worked on. Of an answer's 50 s, reading takes up to 15, and sending the rest.
const maxTime = 30 * time.Second

// state is all that a reload replaces. Its keys are wiped when its last request has ended.
type state struct {
	config    *config
	protector *policy.Protector
	callers   []rights
	tls       *tls.Config
	rules     map[string]*policy.Rule

	lock    sync.Mutex
	users   int
	retired bool
}

func newState(path string) (*state, error) {
	read, err := readConfig(path)
	if err != nil {
		return nil, err
	}
	made := &state{config: read, callers: newRights(read.Callers), rules: map[string]*policy.Rule{}}
	if made.tls, err = read.TLS.open(read.Callers); err != nil {
		return nil, err
	}
	if made.protector, err = read.open(); err != nil {
		return nil, err
	}
	rules := made.protector.Rules()
	for i := range rules {
		made.rules[rules[i].Column] = &rules[i]
	}
	return made, nil
}

// notes say what the server does not do by the policy, for those who run it.
func (s *state) notes() (list []string) {
	for _, path := range s.protector.Paths() {
		list = append(list, fmt.Sprintf("a request with a field %q is refused: %s", path.Field, path.Reason()))
	}
	return list
}

// use returns false if the state was replaced, and nobody uses it.
func (s *state) use() bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.retired {
		return false
	}
	s.users++
	return true
}

func (s *state) release() {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.users--; s.retired && s.users == 0 {
		s.protector.Close()
	}
}

// retire lets nobody begin, and wipes the keys when all have ended.
func (s *state) retire() {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.retired = true; s.users == 0 {
		s.protector.Close()
	}
}

// server is the program between its start and its stop.
type server struct {
	path     string
	state    atomic.Pointer[state]
	log      *slog.Logger
	metrics  *metrics
	places   chan struct{}
	bodies   atomic.Int64 // bytes held
	stopping atomic.Bool
}

func newServer(path string, log *slog.Logger) (*server, error) {
	first, err := newState(path)
	if err != nil {
		return nil, err
	}
	s := &server{path: path, log: log, metrics: newMetrics(), places: make(chan struct{}, first.config.Limits.Requests)}
	s.begin(first)
	return s, nil
}

// begin makes a state the one that requests get.
func (s *server) begin(next *state) {
	for _, note := range next.notes() {
		s.log.Warn(note)
	}
	s.state.Store(next)
}

// current returns the state, which has to be released.
func (s *server) current() *state {
	for {
		if now := s.state.Load(); now.use() {
			return now
		}
	}
}

// reload reads all files again. If anything is wrong, what was stays.
func (s *server) reload() {
	next, err := newState(s.path)
	was := s.state.Load()
	if err == nil {
		kept, own := was.config, next.config
		switch {
		case own.Listen != kept.Listen || own.Limits.Connections != kept.Limits.Connections || own.Limits.Requests != kept.Limits.Requests:
			err = errors.New("listen, limits.connections and limits.requests change with a restart alone")
		case (next.tls == nil) != (was.tls == nil):
			err = errors.New("TLS comes or goes with a restart alone")
		}
		if err != nil {
			next.retire()
		}
	}
	if err != nil {
		s.metrics.reloads.WithLabelValues("failed").Inc()
		s.log.Error("reload failed, and everything stays as it was", "error", err.Error())
		return
	}
	s.begin(next)
	was.retire()
	s.metrics.reloads.WithLabelValues("done").Inc()
	s.log.Info("reloaded")
}

// run serves until the context ends, and says where when it is ready.
func (s *server) run(ctx context.Context, reload <-chan struct{}, ready func(net.Addr)) error {
	first := s.state.Load()
	defer func() { s.state.Load().retire() }()
	listener, err := net.Listen("tcp", first.config.Listen)
	if err != nil {
		return err
	}
	listener = netutil.LimitListener(listener, first.config.Limits.Connections)
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(first.tls == nil)
	httpServer := &http.Server{
		Handler:           s.handler(),
		Protocols:         protocols,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: 64, MaxReceiveBufferPerConnection: 4 << 20, MaxReceiveBufferPerStream: 1 << 20},
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	if first.tls == nil {
		go func() { failed <- httpServer.Serve(listener) }()
	} else {
		httpServer.TLSConfig = &tls.Config{
			MinVersion: tls.VersionTLS12,
			NextProtos: []string{"h2", "http/1.1"},
			GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
				return s.state.Load().tls, nil
			},
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
				return &s.state.Load().tls.Certificates[0], nil
			},
		}
		go func() { failed <- httpServer.ServeTLS(listener, "", "") }()
	}
	ready(listener.Addr())
	go func() { // a file or the root key's home may take long, and the server can stop meanwhile
		for {
			select {
			case <-reload:
				s.reload()
			case <-ctx.Done():
				return
			}
		}
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	last, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := httpServer.Shutdown(last); err != nil {
		_ = httpServer.Close()
		return fmt.Errorf("requests were cut off: %w", err)
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
