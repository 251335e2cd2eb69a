// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/keyring"
)

// ErrPolicy: a policy can't be read, or says something that is not a policy. The error names the key.
var ErrPolicy = errors.New("tallystick: policy")

// OnInvalid says what becomes of values that do not match their format.
type OnInvalid string

// An invalid value is an error, becomes null, or stays as it is, in clear.
const (
	OnInvalidError OnInvalid = "error"
	OnInvalidNull  OnInvalid = "null"
	OnInvalidKeep  OnInvalid = "keep"
)

// Rule says what happens to the values of one column.
type Rule struct {
	Column    string
	Format    fast.Format
	Key       string // a data key with its version, such as people:1
	Namespace string // what the values are
	Tweak     string // the column whose values make tokens of different rows incomparable, or empty
	OnInvalid OnInvalid
}

// Unlisted says what becomes of fields that a policy does not name: neither as a column, nor in keep, nor as a
// tweak.
type Unlisted string

// Fields that are not named pass in clear, or are an error. A policy that does not say is UnlistedUnsaid: for
// tables that means keep, and for services, ProtectRecords among them, it means error.
const (
	UnlistedUnsaid Unlisted = ""
	UnlistedKeep   Unlisted = "keep"
	UnlistedError  Unlisted = "error"
)

// Policy is the rules of a policy file, in their order, and its rule for all other fields.
type Policy struct {
	Rules        []Rule
	Unlisted     Unlisted
	Keep         []string // fields that pass in clear on purpose
	MixedFormats []string // namespaces in which one key may serve several formats
}

const maxFile = 1 << 20 // bytes

// Load reads a policy from a file; the error matches ErrPolicy.
func Load(path string) (*Policy, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: can't be read: %w", ErrPolicy, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%w: can't be read: %w", ErrPolicy, err)
	}
	return Parse(string(text), path)
}

// Parse reads a policy from TOML text of at most 1 MiB; source begins the messages. See Load.
func Parse(text, source string) (*Policy, error) {
	if len(text) > maxFile {
		return nil, fmt.Errorf("%w: %s: too large; the limit for a policy is %d bytes", ErrPolicy, source, maxFile)
	}
	if tooDeep(text) {
		return nil, fmt.Errorf("%w: %s: nested too deep; the limit is %d levels of tables or lists",
			ErrPolicy, source, maxDepth)
	}
	text = strings.TrimPrefix(text, "\ufeff")
	var document map[string]any
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("%w: %s: is not UTF-8; save it as UTF-8", ErrPolicy, source)
	}
	about, err := toml.Decode(text, &document)
	if err != nil {
		// The first line alone: others quote the text.
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, fmt.Errorf("%w: %s: not valid TOML: %s", ErrPolicy, source, first)
	}
	top := table{source, nil, document}
	if err := top.only("columns", "version", "csv", "unlisted", "keep", "mixed_formats"); err != nil {
		return nil, err
	}
	if version, ok := document["version"]; ok && version != int64(1) {
		return nil, top.wrong("version", "must be 1, the only version")
	}
	if err := checkCSV(top); err != nil {
		return nil, err
	}
	columns, err := top.table("columns")
	if err != nil {
		return nil, err
	}
	p, seen := &Policy{}, map[string]bool{}
	if err := p.readTop(top); err != nil {
		return nil, err
	}
	for _, key := range about.Keys() {
		if len(key) >= 2 && key[0] == "columns" && !seen[key[1]] {
			seen[key[1]] = true
			rule, err := readRule(columns, key[1])
			if err != nil {
				return nil, err
			}
			p.Rules = append(p.Rules, *rule)
		}
	}
	if len(p.Rules) == 0 {
		return nil, top.wrong("columns", "no column is protected; name at least one")
	}
	for _, rule := range p.Rules {
		if rule.Tweak != "" && seen[rule.Tweak] {
			return nil, columns.at(rule.Column).wrong("tweak", "column %q is protected too, so its values would "+
				"not be available to reveal this column; use a column that is not protected", rule.Tweak)
		}
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrPolicy, source, err)
	}
	return p, nil
}

// check refuses what contradicts itself, in a policy that was read as in one that a program made.
func (p *Policy) check() error {
	if !slices.Contains([]Unlisted{UnlistedUnsaid, UnlistedKeep, UnlistedError}, p.Unlisted) {
		return errors.New("unlisted: must be one of keep, error")
	}
	ruled := map[string]bool{}
	for _, rule := range p.Rules {
		if ruled[rule.Column] {
			return fmt.Errorf("column %q has two rules; remove one of them", rule.Column)
		}
		ruled[rule.Column] = true
		if slices.Contains(p.Keep, rule.Column) {
			return fmt.Errorf("keep: column %q has a rule in [columns] too; remove one of the two", rule.Column)
		}
	}
	return p.checkMixed()
}

// readTop reads what stands above the columns.
func (p *Policy) readTop(top table) (err error) {
	if _, ok := top.values["unlisted"]; ok {
		word, err := top.choice("unlisted", string(UnlistedKeep), string(UnlistedError))
		if err != nil {
			return err
		}
		p.Unlisted = Unlisted(word)
	}
	if p.Keep, err = top.texts("keep", "an array of column names"); err != nil {
		return err
	}
	p.MixedFormats, err = top.texts("mixed_formats", "an array of namespaces")
	return err
}

// checkMixed refuses two formats under one key and namespace, except in the namespaces that are allowed: equal
// values would have different tokens, and tables would no longer join.
func (p *Policy) checkMixed() error {
	first := map[[2]string]Rule{}
	for _, rule := range p.Rules {
		if slices.Contains(p.MixedFormats, rule.Namespace) {
			continue
		}
		place := [2]string{rule.Key, rule.Namespace}
		other, ok := first[place]
		if !ok {
			first[place] = rule
			continue
		}
		if !fast.SameTokens(other.Format, rule.Format) {
			return fmt.Errorf("columns %q and %q have two formats under key %s in namespace %q, so equal values get "+
				"different tokens and no longer join; give both columns one format, or one of them another namespace, "+
				"or allow it with mixed_formats = [%q]", other.Column, rule.Column, rule.Key, rule.Namespace, rule.Namespace)
		}
	}
	return nil
}

func checkCSV(top table) error {
	if _, ok := top.values["csv"]; !ok {
		return nil
	}
	csv, err := top.table("csv")
	if err != nil {
		return err
	}
	return csv.only("delimiter", "quote", "skip_initial_space", "header")
}

func readRule(columns table, name string) (*Rule, error) {
	column, err := columns.table(name)
	if err != nil {
		return nil, err
	}
	if err := column.only("format", "key", "namespace", "tweak", "on_invalid"); err != nil {
		return nil, err
	}
	rule := &Rule{Column: name, OnInvalid: OnInvalidError}
	for key, field := range map[string]*string{"key": &rule.Key, "namespace": &rule.Namespace} {
		if *field, err = column.text(key); err != nil {
			return nil, err
		}
	}
	if rule.Namespace == "" || len(rule.Namespace) > 256 {
		return nil, column.wrong("namespace", "must have 1 to 256 bytes; name the values")
	}
	if err := keyring.CheckReference(rule.Key); err != nil {
		return nil, column.wrong("key", "a key reference has the form name:version, for example people:1")
	}
	if _, ok := column.values["tweak"]; ok {
		if rule.Tweak, err = column.text("tweak"); err != nil {
			return nil, err
		}
		if rule.Tweak == name || rule.Tweak == "" {
			return nil, column.wrong("tweak", "must be another column's name")
		}
	}
	if _, ok := column.values["on_invalid"]; ok {
		fate, err := column.choice("on_invalid", "error", "null", "keep")
		if err != nil {
			return nil, err
		}
		rule.OnInvalid = OnInvalid(fate)
	}
	if rule.Format, err = readFormat(column); err != nil {
		return nil, err
	}
	if text, ok := rule.Format.(*fast.TextFormat); ok && text.Luhn == fast.LuhnInvalid && rule.OnInvalid == OnInvalidKeep {
		return nil, column.wrong("on_invalid", "'keep' can't go with luhn = \"invalid\": a value kept because its check "+
			"digit is wrong could be taken for a token; use 'error' or 'null'")
	}
	return rule, nil
}
