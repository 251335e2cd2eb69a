// SPDX-License-Identifier: Apache-2.0

// Command golang does what Python asks for, a line of JSON each, so that tests/fuzz/python/fuzz_golang.py
// can compare the two. Bytes are in hexadecimal. Its argument is a key ring, whose root key is the bytes
// 0 to 31.
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/policy"
	"github.com/tallystick/tallystick/go/shamir"
)

// octets are bytes, in hexadecimal.
type octets []byte

// UnmarshalText reads hexadecimal digits.
func (o *octets) UnmarshalText(text []byte) (err error) {
	*o, err = hex.DecodeString(string(text))
	return err
}

// MarshalText writes hexadecimal digits.
func (o octets) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(o)), nil }

// request has the fields of one kind of request: a policy of one column, words, shares, or a ring's file.
type request struct {
	Policy         string
	Values, Tweaks []*octets // null stays null

	Words, Key, Tweak octets
	Radix, Length     int

	Shares []octets
	Set    string

	Ring string

	Reveal bool
}

// answer says how it failed, or what was made.
type answer struct {
	Failed   string    `json:"failed,omitempty"` // policy, column, invalid, words, shares, ring
	Row      int       `json:"row"`
	Reason   int       `json:"reason"`
	Made     []*octets `json:"made"`
	Verdicts []string  `json:"verdicts"`
}

func main() {
	root := make([]byte, 32)
	for i := range root {
		root[i] = byte(i)
	}
	ring, err := keyring.OpenWithKey(os.Args[1], root)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	in, out := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked request
		if err := json.Unmarshal(line, &asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		var made answer
		switch {
		case asked.Policy != "":
			made = column(ring, &asked)
		case asked.Radix != 0:
			made = words(&asked)
		case asked.Ring != "":
			made = keys(asked.Ring, root)
		default:
			made = shares(&asked)
		}
		if err := out.Encode(made); err != nil {
			return
		}
	}
}

func column(ring *keyring.Keyring, asked *request) answer {
	read, err := policy.Parse(asked.Policy, "policy")
	if err != nil {
		return answer{Failed: "policy"}
	}
	protector, err := read.Open(ring)
	if err != nil {
		return answer{Failed: "policy"}
	}
	defer protector.Close()
	change := protector.Protect
	if asked.Reveal {
		change = protector.Reveal
	}
	var tweaks []policy.Value
	if asked.Tweaks != nil {
		tweaks = valuesOf(asked.Tweaks)
	}
	made, err := change(protector.Rules()[0].Column, valuesOf(asked.Values), tweaks)
	var invalid *policy.InvalidValueError
	switch {
	case errors.As(err, &invalid):
		return answer{Failed: "invalid", Row: invalid.Row, Reason: int(invalid.Reason)}
	case err != nil:
		return answer{Failed: "column"}
	}
	texts := make([]*octets, len(made))
	for i, value := range made {
		if !value.Null {
			text := octets(value.Text)
			texts[i] = &text
		}
	}
	return answer{Made: texts}
}

func valuesOf(texts []*octets) []policy.Value {
	values := make([]policy.Value, len(texts))
	for i, text := range texts {
		if text == nil {
			values[i].Null = true
		} else {
			values[i].Text = string(*text)
		}
	}
	return values
}

func words(asked *request) answer {
	cipher, err := fast.New(asked.Key, asked.Radix)
	if err != nil {
		return answer{Failed: "words"}
	}
	defer cipher.Close()
	made := make(octets, len(asked.Words))
	change := cipher.EncryptWords
	if asked.Reveal {
		change = cipher.DecryptWords
	}
	if err := change(made, asked.Words, asked.Length, asked.Tweak); err != nil {
		return answer{Failed: "words"}
	}
	return answer{Made: []*octets{&made}}
}

func shares(asked *request) answer {
	given := make([][]byte, len(asked.Shares))
	for i, share := range asked.Shares {
		given[i] = share
	}
	found, err := shamir.CombineSet(given, asked.Set)
	var made answer
	if err != nil {
		made.Failed = "shares"
	}
	if found == nil {
		return made
	}
	for _, verdict := range found.Verdicts {
		made.Verdicts = append(made.Verdicts, verdict.String())
	}
	if err == nil {
		secret := octets(found.Secret)
		made.Made = []*octets{&secret}
	}
	return made
}

func keys(path string, root []byte) answer {
	ring, err := keyring.OpenWithKey(path, root)
	if err != nil {
		return answer{Failed: "ring"}
	}
	defer ring.Close()
	made := answer{Made: []*octets{}}
	for _, reference := range ring.Keys() {
		key, err := ring.Key(reference)
		if err != nil {
			return answer{Failed: "ring"}
		}
		name, found := octets(reference), octets(key)
		made.Made = append(made.Made, &name, &found)
	}
	return made
}
