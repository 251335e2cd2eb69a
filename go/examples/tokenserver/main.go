// SPDX-License-Identifier: Apache-2.0

// Command tokenserver protects and reveals fields of JSON records by a policy, with the key ring that the
// Python package and its command use:
//
//	tokenserver -policy people.toml -keyring people.keys -root file:root.key
//
// POST /protect takes {"records": [{...}, ...]} and answers with the same records, in which the fields that
// the policy names are tokens. A field that the policy does not name is refused, unless the policy says
// unlisted = "keep". POST /reveal is the inverse. GET /health answers when the server is up.
//
// Each takes a bearer token of its own, from the environment variables TOKENSERVER_PROTECT and
// TOKENSERVER_REVEAL or from files (-protect-token, -reveal-token). Without a token for revealing nothing is
// revealed. Who may reveal can read everything; who may protect can try values out, and see which have which
// token, so protecting without a token takes -open-protect.
//
// Requests must call the server by an address or by a name that it knows (-hosts). A request has at most
// 1 MiB, 10,000 records and the work that -max-work says. The process leaves no core dump, and on Linux no other
// process of its user may read its memory.
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
	"strings"
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
	if err := refuseDumps(); err != nil {
		log.Print(err)
		stop()
		os.Exit(1)
	}
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
	protect := flags.String("protect-token", "env:TOKENSERVER_PROTECT", "where the `token` for protecting is: file:PATH or env:NAME")
	reveal := flags.String("reveal-token", "env:TOKENSERVER_REVEAL", "where the `token` for revealing is: file:PATH or env:NAME")
	openProtect := flags.Bool("open-protect", false, "let everybody protect, without a token")
	hosts := flags.String("hosts", "", "`names` that requests may call the server by, with commas between them, "+
		"beside localhost, the name in -listen, and addresses")
	maxWork := flags.Int64("max-work", 100_000_000, "`layers` of FAST that a request may take; 0 is no bound")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return errors.New("there are arguments that no flag takes")
	}
	if *maxWork < 0 {
		return errors.New("-max-work is 0 or more")
	}
	allowed, err := readAccess(*protect, *reveal, *openProtect, namesOf(*hosts, *address))
	if err != nil {
		return err
	}
	options := []policy.Option{policy.MaxWork(*maxWork)}
	if allowed.reveal == "" {
		options = append(options, policy.ProtectOnly())
	}
	protector, err := open(*rules, *ring, *root, options)
	if err != nil {
		return err
	}
	defer protector.Close()
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           newHandler(protector, allowed),
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

// namesOf returns the host names that requests may have.
func namesOf(hosts, address string) []string {
	names := []string{"localhost"}
	if name, _, err := net.SplitHostPort(address); err == nil && name != "" {
		names = append(names, name)
	}
	for _, name := range strings.Split(hosts, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func open(rules, ring, root string, options []policy.Option) (*policy.Protector, error) {
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
	return loaded.Open(keys, options...)
}
