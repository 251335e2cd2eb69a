// SPDX-License-Identifier: Apache-2.0

// Command tallystickd protects and reveals values over HTTP by a policy, with the key ring that the Python
// package and its command use:
//
//	tallystickd -config tallystickd.toml
//	tallystickd token     make a bearer token and the hash for the configuration
//	tallystickd check -config FILE     open everything, and end
//
// POST /v1/protect and /v1/reveal take JSON records or an Arrow IPC stream. A field that the policy does not
// name is refused, unless the policy says unlisted = "keep". Each caller has rights of its own on columns.
// GET /openapi.json describes the interface; docs/reference/tallystickd.md has the configuration.
//
// The process leaves no core dump, and on Linux no other process of its user may read its memory. SIGHUP
// reads configuration, policy, key ring and certificates again without losing a request.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/tallystick/tallystick/go/cmd/internal/dumps"
)

func main() {
	err := dumps.Refuse()
	if err == nil {
		err = command(os.Args[1:], os.Stdout, os.Stderr)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "tallystickd:", err)
		os.Exit(1)
	}
}

// command runs the program.
func command(arguments []string, out, errOut io.Writer) error {
	verb := ""
	if len(arguments) > 0 && (arguments[0] == "token" || arguments[0] == "check") {
		verb, arguments = arguments[0], arguments[1:]
	}
	flags := flag.NewFlagSet("tallystickd", flag.ContinueOnError)
	flags.SetOutput(errOut)
	path := flags.String("config", "tallystickd.toml", "the configuration's `file`")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return errors.New("there are arguments that no flag takes; run tallystickd -help")
	}
	switch verb {
	case "token":
		token, hash := newToken()
		_, err := fmt.Fprintf(out, "token, for the caller alone: %s\ntoken_sha256 = %q\n", token, hash)
		return err
	case "check":
		made, err := newState(*path)
		if err != nil {
			return err
		}
		for _, note := range made.notes() {
			fmt.Fprintln(out, "note:", note)
		}
		made.retire()
		_, err = fmt.Fprintln(out, "the configuration is good")
		return err
	}
	log := slog.New(slog.NewJSONHandler(errOut, nil))
	hangups, reload := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(hangups, syscall.SIGHUP) // first, as it would end a program that still waits for its root key
	s, err := newServer(*path, log)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		for range hangups {
			reload <- struct{}{}
		}
	}()
	return s.run(ctx, reload, func(address net.Addr) { log.Info("listening", "address", address.String()) })
}
