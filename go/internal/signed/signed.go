// SPDX-License-Identifier: Apache-2.0

// Package signed verifies the signatures of a policy's file, which a key ring may demand.
package signed

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

const (
	suffix  = ".sig"
	context = "tallystick policy 1\n"
	head    = "tallystick policy signature 1\n"
	most    = 16
	largest = int64(len(head) + most*194)
)

var line = regexp.MustCompile(`^([0-9a-f]{64}) ([0-9a-f]{128})$`)

// File is the file that a policy was read from, and the file of its signatures, or nil.
type File struct {
	Policy, Signatures []byte
	Source             string
}

// New copies both files. source begins the messages.
func New(policy, signatures []byte, source string) *File {
	return &File{bytes.Clone(policy), bytes.Clone(signatures), source}
}

// Beside reads the signatures of a policy's file, and returns nil if there are none that can be read.
func Beside(path string) []byte {
	path += suffix
	if status, err := os.Stat(path); err != nil || !status.Mode().IsRegular() {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, largest+1))
	if err != nil || data == nil || int64(len(data)) > largest {
		return nil
	}
	return data
}

// Check refuses a policy that none of the signers, public keys in hexadecimal, signed as it is. Without signers, no
// signature is needed. f is nil for a policy that was read from no file: the message names the ring, and the function
// that reads one.
func (f *File) Check(signers []string, ring, load string) error {
	if len(signers) == 0 {
		return nil
	}
	if f == nil {
		return fmt.Errorf("%s: the key ring demands signed policies, and this one was read from no file; read the signed file "+
			"with %s", ring, load)
	}
	path := f.Source + suffix
	if f.Signatures == nil {
		return fmt.Errorf("%s: a signature is demanded, and %s can't be read; `tallystick policy sign` makes it",
			f.Source, path)
	}
	pairs, ok := parse(f.Signatures)
	if !ok {
		return fmt.Errorf("%s: not a file of signatures; restore it, or remove it and sign the policy again", path)
	}
	theirs := false
	for _, signer := range signers {
		signature, found := pairs[signer]
		theirs = theirs || found
		key, err := hex.DecodeString(signer)
		if found && err == nil && len(key) == ed25519.PublicKeySize &&
			ed25519.Verify(key, append([]byte(context), f.Policy...), signature) {
			return nil
		}
	}
	if !theirs {
		return fmt.Errorf("%s: no signature is of a signer that the key ring names; let one of them sign the policy", path)
	}
	return fmt.Errorf("%s: was changed after it was signed; take the signed file, or let a signer look at the change and "+
		"sign it", f.Source)
}

// parse returns the signature of each public key.
func parse(data []byte) (map[string][]byte, bool) {
	text, ok := strings.CutPrefix(string(data), head)
	lines := strings.Split(text, "\n")
	last := len(lines) - 1
	if !ok || lines[last] != "" || last < 1 || last > most {
		return nil, false
	}
	pairs := map[string][]byte{}
	for _, one := range lines[:last] {
		parts := line.FindStringSubmatch(one)
		if parts == nil || pairs[parts[1]] != nil {
			return nil, false
		}
		pairs[parts[1]], _ = hex.DecodeString(parts[2])
	}
	return pairs, true
}
