// SPDX-License-Identifier: Apache-2.0

package text

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tallystick/tallystick/go/internal/policytoml"
	"github.com/tallystick/tallystick/go/internal/signed"
	"github.com/tallystick/tallystick/go/internal/textcore"
	"github.com/tallystick/tallystick/go/keyring"
)

// ErrPolicy: a text policy can't be read, or is refused. Errors that match it say where and why.
var ErrPolicy = errors.New("tallystick: text policy")

// Policy is a text policy: the kinds of values in text, their keys, and how they are found. It never changes, and any
// number of goroutines may share it. docs/reference/text-tokens.md has the language.
type Policy struct {
	frame     Frame
	checkBits int
	kinds     []policyKind
	rules     *textcore.Rules // nil: no kind has a scan
	scanned   map[uint32]string
	signed    *signed.File // nil: it was read from no file
}

type policyKind struct {
	name, key, namespace string
	searches             []search
}

const maxPolicy = 1 << 20 // of which the core says that it is too large

// LoadPolicy reads a policy from a TOML file, and its signatures, if there are some, from the file beside it.
func LoadPolicy(path string) (*Policy, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPolicy, err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxPolicy+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPolicy, err)
	}
	made, err := ParsePolicy(string(data), path)
	if err != nil {
		return nil, err
	}
	made.signed = signed.New(data, signed.Beside(path), path)
	return made, nil
}

// ParsePolicy reads a policy from TOML text of at most 1 MiB; source begins the messages.
func ParsePolicy(given, source string) (*Policy, error) {
	p, err := parsePolicy(given)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrPolicy, source, err)
	}
	return p, nil
}

func parsePolicy(given string) (*Policy, error) {
	_, about, description, err := policytoml.Read(given)
	if err != nil {
		return nil, err
	}
	if err := textcore.CheckPolicy(description); err != nil {
		return nil, err
	}
	var read policyJSON // what the policy does not say is 0, for which New has the default
	if err := json.Unmarshal(description, &read); err != nil {
		return nil, err
	}
	frames := map[string]Frame{"unicode": Unicode, "ascii": ASCII, "email": Email}
	p := &Policy{frame: frames[read.Frame], checkBits: read.CheckBits, scanned: map[uint32]string{}}
	var scans []string
	for _, name := range policytoml.Keys(about, "kinds") {
		kind := read.Kinds[name]
		if err := p.add(name, kind); err != nil {
			return nil, fmt.Errorf("kinds.%s.%w", name, err)
		}
		scans = append(scans, kind.Scan...)
	}
	if len(scans) == 0 {
		return p, nil
	}
	description, err = json.Marshal(map[string][]string{"kinds": scans})
	if err == nil {
		p.rules, err = textcore.NewRules(description)
	}
	return p, err
}

// policyJSON is a policy that the core has checked.
type policyJSON struct {
	Frame     string
	CheckBits int `json:"check_bits"`
	Kinds     map[string]kindJSON
}

type kindJSON struct {
	Key, Namespace        string
	Scan, Patterns, Words []string
	IgnoreCase            bool `json:"ignore_case"`
}

// add compiles what finds the values of a kind. An error begins with the key at fault.
func (p *Policy) add(name string, given kindJSON) error {
	kind := policyKind{name: name, key: given.Key, namespace: given.Namespace}
	for _, one := range given.Scan {
		p.scanned[uint32(slices.Index(textcore.ScanKinds, one))] = name
	}
	for _, one := range given.Patterns {
		made, err := newPattern(one, given.IgnoreCase)
		if err != nil {
			return fmt.Errorf("patterns: %w", err)
		}
		kind.searches = append(kind.searches, made)
	}
	if len(given.Words) > 0 {
		made, err := newWords(given.Words, given.IgnoreCase)
		if err != nil {
			return fmt.Errorf("words: %w", err)
		}
		kind.searches = append(kind.searches, made)
	}
	p.kinds = append(p.kinds, kind)
	return nil
}

// Kinds returns the names of the kinds, in the order of the policy.
func (p *Policy) Kinds() []string {
	names := make([]string, len(p.kinds))
	for i, kind := range p.kinds {
		names[i] = kind.name
	}
	return names
}

// Find returns what the scanner, patterns and words find in a text. Spans may overlap.
func (p *Policy) Find(text string) ([]Span, error) {
	var found []Span
	if p.rules != nil {
		scanned, err := p.rules.Scan([]byte(text))
		if err != nil {
			return nil, described(err)
		}
		for _, one := range scanned {
			found = append(found, Span{one.Start, one.End, p.scanned[one.Kind]})
		}
	}
	for _, kind := range p.kinds {
		for _, search := range kind.searches {
			search(text, func(start, end int) { found = append(found, Span{start, end, kind.name}) })
		}
	}
	return found, nil
}

// OpenOptions are options of Policy.Open. The zero value has the defaults.
type OpenOptions struct {
	// Scope is a tenant, a user or a conversation: tokens of another scope are not revealed.
	Scope string
	// ProtectOnly makes a protector that never reveals.
	ProtectOnly bool
}

// Open returns a protector for the kinds of the policy, with keys of a ring and its rights. The ring may be closed
// afterwards. It returns ErrPolicy if the ring demands signed policies, and none of its signers signed this one.
func (p *Policy) Open(ring *keyring.Keyring, options OpenOptions) (*Protector, error) {
	if ring == nil {
		return nil, fmt.Errorf("%w: no key ring is given; pass an open one", keyring.ErrKeyring)
	}
	if err := p.signed.Check(ring.Signers(), ring.Path(), "LoadPolicy"); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPolicy, err)
	}
	var kinds []Kind
	defer func() {
		for _, kind := range kinds {
			clear(kind.Key)
		}
	}()
	rights := map[string]keyring.Rights{}
	for _, kind := range p.kinds {
		key, err := ring.TokenizerKey(kind.key)
		if err != nil {
			return nil, fmt.Errorf("kinds.%s: its key in the policy, %s: %w", kind.name, kind.key, err)
		}
		kinds = append(kinds, Kind{kind.name, key, kind.namespace})
		rights[kind.name] = ring.Rights(kind.key)
		if options.ProtectOnly {
			rights[kind.name] &^= keyring.MayReveal
		}
	}
	made, err := newProtector(kinds, Options{Frame: p.frame, CheckBits: p.checkBits, Scope: options.Scope}, rights)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPolicy, err)
	}
	made.policy = p
	return made, nil
}
