// SPDX-License-Identifier: Apache-2.0

// Command peer runs the FF1 or FF3 of github.com/capitalone/fpe for bench/foreign.py.
//
// Standard input: the cipher (ff1, ff3), a key in hexadecimal, values of decimal digits, one a line
// each, and an empty line. Then commands: encrypt and decrypt go over all values and answer "done";
// tokens and values print the results of these, one a line.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/capitalone/fpe/ff1"
	"github.com/capitalone/fpe/ff3"
)

const radix = 10

type cipher interface {
	Encrypt(string) (string, error)
	Decrypt(string) (string, error)
}

func open(name string, key []byte) (cipher, error) {
	switch name {
	case "ff1":
		return ff1.NewCipher(radix, 0, key, nil)
	case "ff3":
		return ff3.NewCipher(radix, key, make([]byte, 8))
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
	name := next()
	key, err := hex.DecodeString(next())
	must(err)
	c, err := open(name, key)
	must(err)
	var values, tokens, back []string
	for value := next(); value != ""; value = next() {
		values = append(values, value)
	}
	print := func(all []string) {
		for _, value := range all {
			fmt.Fprintln(out, value)
		}
	}
	for lines.Scan() {
		switch lines.Text() {
		case "encrypt":
			tokens = apply(values, c.Encrypt)
			fmt.Fprintln(out, "done")
		case "decrypt":
			back = apply(tokens, c.Decrypt)
			fmt.Fprintln(out, "done")
		case "tokens":
			print(tokens)
		case "values":
			print(back)
		}
		must(out.Flush())
	}
}
