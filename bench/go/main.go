// SPDX-License-Identifier: Apache-2.0

// Command peer runs the FF1 or FF3 of github.com/capitalone/fpe for bench/foreign.py, which has the protocol.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"

	"github.com/capitalone/fpe/ff1"
	"github.com/capitalone/fpe/ff3"
)

type cipher interface {
	Encrypt(string) (string, error)
	Decrypt(string) (string, error)
	EncryptWithTweak(string, []byte) (string, error)
}

func open(name string, key []byte, radix int, tweak []byte) (cipher, error) {
	switch name {
	case "ff1":
		return ff1.NewCipher(radix, len(tweak), key, tweak)
	case "ff3":
		return ff3.NewCipher(radix, key, tweak)
	}
	return nil, fmt.Errorf("no cipher of this name")
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

func apply(values []string, change func(string) (string, error)) []string {
	out := make([]string, len(values))
	for i, value := range values {
		var err error
		out[i], err = change(value)
		must(err)
	}
	return out
}

func main() {
	lines, out := bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout)
	next := func() string {
		lines.Scan()
		return lines.Text()
	}
	bytes := func() []byte {
		made, err := hex.DecodeString(next())
		must(err)
		return made
	}
	print := func(all []string) {
		for _, value := range all {
			fmt.Fprintln(out, value)
		}
	}
	for name := next(); name != ""; name = next() {
		key := bytes()
		radix, err := strconv.Atoi(next())
		must(err)
		c, err := open(name, key, radix, bytes())
		must(err)
		var values, tokens, back []string
		for value := next(); value != ""; value = next() {
			values = append(values, value)
		}
		for command := next(); command != "open"; command = next() {
			switch command {
			case "encrypt":
				tokens = apply(values, c.Encrypt)
			case "each":
				tweak := 10_000_000
				tokens = apply(values, func(value string) (string, error) {
					tweak++
					return c.EncryptWithTweak(value, []byte(strconv.Itoa(tweak)))
				})
			case "decrypt":
				back = apply(tokens, c.Decrypt)
			case "reveal":
				back = apply(values, c.Decrypt)
			case "tokens":
				print(tokens)
			case "values":
				print(back)
			default:
				return
			}
			if command != "tokens" && command != "values" {
				fmt.Fprintln(out, "done")
			}
			must(out.Flush())
		}
	}
}
