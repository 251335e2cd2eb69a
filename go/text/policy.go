// SPDX-License-Identifier: Apache-2.0

package text

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
	"github.com/tallystick/tallystick/go/internal/core"
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

const maxPolicy = 1 << 20

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
	p, err := parsePolicy(strings.TrimPrefix(given, "\ufeff"))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrPolicy, source, err)
	}
	return p, nil
}

func parsePolicy(given string) (*Policy, error) {
	if len(given) > maxPolicy {
		return nil, errors.New("a text policy has at most 1 MiB")
	}
	if err := core.CheckPolicyText(given); err != nil { // nested too deep
		return nil, err
	}
	if !utf8.ValidString(given) {
		return nil, errors.New("is not UTF-8; save it as UTF-8")
	}
	var top table
	about, err := toml.Decode(given, &top)
	if err != nil {
		var at toml.ParseError // its texts quote the file
		errors.As(err, &at)
		return nil, fmt.Errorf("not valid TOML at line %d, column %d", at.Position.Line, at.Position.Col)
	}
	if _, tables := top["columns"]; tables {
		return nil, errors.New("columns: this is a policy for tables; a text policy has [kinds]")
	}
	r := members{table: top}
	r.known("version", "frame", "check_bits", "kinds")
	version := read(&r, "version", int64(1), "a whole number")
	frame := read(&r, "frame", "unicode", "text")
	bits := read(&r, "check_bits", int64(64), "a whole number")
	kinds := read(&r, "kinds", table(nil), "a table")
	p := &Policy{checkBits: int(bits), scanned: map[uint32]string{}}
	number, known := map[string]Frame{"unicode": Unicode, "ascii": ASCII, "email": Email}[frame]
	p.frame = number
	switch {
	case r.err != nil:
		return nil, r.err
	case version != 1:
		return nil, errors.New("version must be 1: use a newer Tallystick for later ones")
	case !known:
		return nil, errors.New("frame must be 'unicode', 'ascii' or 'email'")
	case bits < 40 || bits > 128 || bits%8 != 0:
		return nil, errors.New("check_bits must be 40 to 128, in steps of 8")
	case len(kinds) == 0:
		return nil, errors.New("a text policy needs a kind: add [kinds.email] or the like")
	}
	var scans []string
	for _, key := range about.Keys() { // in the order of the text
		if len(key) < 2 || key[0] != "kinds" || slices.ContainsFunc(p.kinds, func(k policyKind) bool { return k.name == key[1] }) {
			continue
		}
		if err := p.add(key[1], kinds[key[1]], &scans); err != nil {
			return nil, err
		}
	}
	if len(scans) == 0 {
		return p, nil
	}
	description, err := json.Marshal(map[string][]string{"kinds": scans})
	if err == nil {
		p.rules, err = textcore.NewRules(description)
	}
	return p, err
}

// add reads a kind.
func (p *Policy) add(name string, value any, scans *[]string) error {
	place := "kinds." + name
	given, ok := value.(table)
	if !ok {
		return fmt.Errorf("%s: must be a table with key and namespace", place)
	}
	r := members{table: given, place: place + "."}
	r.known("key", "namespace", "scan", "patterns", "words", "ignore_case")
	r.needs("key", "namespace")
	kind := policyKind{name: name, key: read(&r, "key", "", "text"), namespace: read(&r, "namespace", "", "text")}
	scan, patterns, words := r.texts("scan"), r.texts("patterns"), r.texts("words")
	anyCase := read(&r, "ignore_case", false, "true or false")
	if r.err != nil {
		return r.err
	}
	if err := keyring.CheckReference(kind.key); err != nil {
		return fmt.Errorf("%s.key: %w", place, err)
	}
	for _, one := range scan {
		number := slices.Index(textcore.ScanKinds, one)
		if number < 0 {
			return fmt.Errorf("%s.scan: no such kind; known are: %s", place, strings.Join(textcore.ScanKinds, ", "))
		}
		if other, twice := p.scanned[uint32(number)]; twice {
			return fmt.Errorf("%s.scan: %s is of kinds.%s too", place, one, other)
		}
		p.scanned[uint32(number)] = name
		*scans = append(*scans, one)
	}
	for _, one := range patterns {
		made, err := newPattern(one, anyCase)
		if err != nil {
			return fmt.Errorf("%s.patterns: %w", place, err)
		}
		kind.searches = append(kind.searches, made)
	}
	if len(words) > 0 {
		made, err := newWords(words, anyCase)
		if err != nil {
			return fmt.Errorf("%s.words: %w", place, err)
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

type table = map[string]any

// members reads the members of a table, and keeps the first error.
type members struct {
	table table
	place string
	err   error
}

func (r *members) fail(format string, arguments ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(r.place+format, arguments...)
	}
}

func (r *members) known(names ...string) {
	slices.Sort(names)
	for name := range r.table {
		if !slices.Contains(names, name) {
			r.fail("%s: no such key; known are: %s", name, strings.Join(names, ", "))
		}
	}
}

func (r *members) needs(names ...string) {
	for _, name := range names {
		if _, there := r.table[name]; !there {
			r.fail("%s: is missing", name)
		}
	}
}

func read[T any](r *members, name string, otherwise T, wanted string) T {
	value, there := r.table[name]
	if !there {
		return otherwise
	}
	made, ok := value.(T)
	if !ok {
		r.fail("%s: must be %s", name, wanted)
	}
	return made
}

func (r *members) texts(name string) []string {
	var made []string
	for _, one := range read(r, name, []any(nil), "a list of texts that are not empty") {
		text, ok := one.(string)
		if !ok || text == "" {
			r.fail("%s: must be a list of texts that are not empty", name)
		}
		made = append(made, text)
	}
	return made
}
