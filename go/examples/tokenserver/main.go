// SPDX-License-Identifier: Apache-2.0

// Command tokenserver protects and reveals fields of JSON records by a policy, with the key ring that the
// Python package and its command use:
//
//	tokenserver -policy people.toml -keyring people.keys -root file:root.key
//
// POST /protect takes {"records": [{...}, ...]} and answers with the same records, in which the fields that
// the policy names are tokens; all others stay as they are. POST /reveal is the inverse. It is offered only if
// the environment has TOKENSERVER_REVEAL, which callers must send as a bearer token: who may reveal can read
// everything. GET /health answers when the server is up.
//
// It speaks plain HTTP, by default on this machine alone: put what ends TLS in front of it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/policy"
)

// grace is how long requests under way may take when the server is asked to stop.
const grace = 10 * time.Second

func main() {
	log.SetFlags(0)
	log.SetPrefix("tokenserver: ")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], func(address net.Addr) { log.Printf("listening on %v", address) }); err != nil {
		log.Print(err)
		stop()
		os.Exit(1)
	}
}

// run serves until the context ends, and says where when it is ready.
func run(ctx context.Context, arguments []string, ready func(net.Addr)) error {
	flags := flag.NewFlagSet("tokenserver", flag.ContinueOnError)
	rules := flags.String("policy", os.Getenv("TALLYSTICK_POLICY"), "the policy's `file`")
	ring := flags.String("keyring", os.Getenv("TALLYSTICK_KEYRING"), "the key ring's `file`")
	root := flags.String("root", os.Getenv("TALLYSTICK_ROOT"), "where the root key is: file:PATH or env:NAME")
	address := flags.String("listen", "localhost:8080", "`address` to listen on")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	protector, err := open(*rules, *ring, *root)
	if err != nil {
		return err
	}
	defer protector.Close()
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           newHandler(protector, os.Getenv("TOKENSERVER_REVEAL")),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	ready(listener.Addr())
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return fmt.Errorf("requests were cut off: %w", err)
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func open(rules, ring, root string) (*policy.Protector, error) {
	source, err := keyring.ParseRoot(root)
	if err != nil {
		return nil, err
	}
	loaded, err := policy.Load(rules)
	if err != nil {
		return nil, err
	}
	keys, err := keyring.Open(ring, source)
	if err != nil {
		return nil, err
	}
	defer keys.Close()
	return loaded.Open(keys)
}
