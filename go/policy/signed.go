// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tallystick/tallystick/go/internal/signed"
)

// LoadSigned is Load from the bytes of a policy's file and of the file of its signatures, which a key ring may
// demand; nil is none. source begins the messages.
func LoadSigned(file, signatures []byte, source string) (*Policy, error) {
	made, err := Parse(string(file), source)
	if err != nil {
		return nil, err
	}
	made.signed = signed.New(file, signatures, source)
	return made, nil
}

// CheckSigned returns ErrPolicy unless one of the signers, public keys in hexadecimal, signed the policy as it is.
// Open calls it with the signers of a ring. Without signers, no signature is needed. ring begins the message about
// a policy that was read from no file.
func (p *Policy) CheckSigned(signers []string, ring string) error {
	if err := p.signed.Check(signers, ring, "Load"); err != nil {
		return fmt.Errorf("%w: %w", ErrPolicy, err)
	}
	if len(signers) == 0 {
		return nil
	}
	origin, err := Parse(string(p.signed.Policy), p.signed.Source)
	if err != nil {
		return err
	}
	if err := p.changedFrom(origin); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrPolicy, p.signed.Source, err)
	}
	return nil
}

// changedFrom refuses rules that a signed policy does not have, more that passes in clear, and another dialect of CSV.
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
	csv := p.CSV
	csv.Encoding = origin.CSV.Encoding // as in Python, whose --encoding changes it
	if csv != origin.CSV {
		return fmt.Errorf("[csv] is not as it was signed; let a signer sign the changed policy, and pass that file")
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
