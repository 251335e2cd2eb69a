// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

const (
	signatureSuffix  = ".sig"
	signatureContext = "tallystick policy 1\n"
	signatureHead    = "tallystick policy signature 1\n"
	maxSignatures    = 16
	maxSignatureFile = int64(len(signatureHead) + maxSignatures*194)
)

var signatureLine = regexp.MustCompile(`^([0-9a-f]{64}) ([0-9a-f]{128})$`)

// signed is the file that a policy was read from, and the file of its signatures, or nil.
type signed struct {
	policy, signatures []byte
	source             string
}

// LoadSigned is Load from the bytes of a policy's file and of the file of its signatures, which a key ring may
// demand; nil is none. source begins the messages.
func LoadSigned(file, signatures []byte, source string) (*Policy, error) {
	made, err := Parse(string(file), source)
	if err != nil {
		return nil, err
	}
	made.signed = &signed{bytes.Clone(file), bytes.Clone(signatures), source}
	return made, nil
}

// beside reads the signatures of a policy's file, and returns nil if there are none that can be read.
func beside(path string) []byte {
	path += signatureSuffix
	if status, err := os.Stat(path); err != nil || !status.Mode().IsRegular() {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxSignatureFile+1))
	if err != nil || data == nil || int64(len(data)) > maxSignatureFile {
		return nil
	}
	return data
}

// CheckSigned returns ErrPolicy unless one of the signers, public keys in hexadecimal, signed the policy as it is.
// Open calls it with the signers of a ring. Without signers, no signature is needed. ring begins the message about
// a policy that was read from no file.
func (p *Policy) CheckSigned(signers []string, ring string) error {
	if len(signers) == 0 {
		return nil
	}
	if p.signed == nil {
		return fmt.Errorf("%w: %s: the key ring demands signed policies, and this one was read from no file; read the "+
			"signed file with Load", ErrPolicy, ring)
	}
	if err := p.signed.check(signers); err != nil {
		return fmt.Errorf("%w: %w", ErrPolicy, err)
	}
	origin, err := Parse(string(p.signed.policy), p.signed.source)
	if err != nil {
		return err
	}
	if err := p.changedFrom(origin); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrPolicy, p.signed.source, err)
	}
	return nil
}

func (s *signed) check(signers []string) error {
	path := s.source + signatureSuffix
	if s.signatures == nil {
		return fmt.Errorf("%s: the key ring demands signed policies, and %s can't be read; `tallystick policy sign` makes it",
			s.source, path)
	}
	pairs, ok := parseSignatures(s.signatures)
	if !ok {
		return fmt.Errorf("%s: not a file of signatures; `tallystick policy sign` makes it anew", path)
	}
	theirs := false
	for _, signer := range signers {
		signature, found := pairs[signer]
		theirs = theirs || found
		key, err := hex.DecodeString(signer)
		if found && err == nil && len(key) == ed25519.PublicKeySize &&
			ed25519.Verify(key, append([]byte(signatureContext), s.policy...), signature) {
			return nil
		}
	}
	if !theirs {
		return fmt.Errorf("%s: no signature is of a signer that the key ring names; let one of them sign the policy", path)
	}
	return fmt.Errorf("%s: was changed after it was signed; take the signed file, or let a signer look at the change and "+
		"sign it", s.source)
}

// parseSignatures returns the signature of each public key.
func parseSignatures(data []byte) (map[string][]byte, bool) {
	text, ok := strings.CutPrefix(string(data), signatureHead)
	lines := strings.Split(text, "\n")
	last := len(lines) - 1
	if !ok || lines[last] != "" || last < 1 || last > maxSignatures {
		return nil, false
	}
	pairs := map[string][]byte{}
	for _, line := range lines[:last] {
		parts := signatureLine.FindStringSubmatch(line)
		if parts == nil || pairs[parts[1]] != nil {
			return nil, false
		}
		pairs[parts[1]], _ = hex.DecodeString(parts[2])
	}
	return pairs, true
}

// changedFrom refuses rules that a signed policy does not have, and more that passes in clear.
func (p *Policy) changedFrom(origin *Policy) error {
	for _, rule := range p.Rules {
		if !slices.ContainsFunc(origin.Rules, rule.same) {
			return fmt.Errorf("the rule of column %q is not the signed one; let a signer sign the changed policy, and pass "+
				"that file", rule.Column)
		}
	}
	within := func(ours, theirs []string) bool {
		return !slices.ContainsFunc(ours, func(one string) bool { return !slices.Contains(theirs, one) })
	}
	if p.Unlisted != UnlistedError && p.Unlisted != origin.Unlisted || !within(p.Keep, origin.Keep) ||
		!within(p.MixedFormats, origin.MixedFormats) {
		return fmt.Errorf("what passes in clear is not as it was signed; let a signer sign the changed policy, and pass that file")
	}
	return nil
}

// same says whether two rules are equal.
func (r Rule) same(other Rule) bool {
	ours, err := json.Marshal(r.Format)
	theirs, also := json.Marshal(other.Format)
	r.Format, other.Format = nil, nil
	return err == nil && also == nil && bytes.Equal(ours, theirs) && r == other
}
