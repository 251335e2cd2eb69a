// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/keyring"
)

// ErrPolicy: a policy can't be read, or says something that is not a policy. The error names the key.
var ErrPolicy = errors.New("tallystick: policy")

// Unfit says what becomes of values that do not fit their format.
type Unfit string

// A value that does not fit is an error, becomes null, or stays as it is, in clear.
const (
	UnfitError Unfit = "error"
	UnfitNull  Unfit = "null"
	UnfitKeep  Unfit = "keep"
)

// Rule says what happens to the values of one column.
type Rule struct {
	Column string
	Format fast.Format
	Key    string // a data key with its version, such as people:1
	Domain string // what the values are
	Tweak  string // the column whose values make tokens of different rows incomparable, or empty
	Unfit  Unfit
}

// Policy is rules, in the order of the file.
type Policy struct {
	Rules []Rule
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
		return nil, fmt.Errorf("%w: %s: too large; a policy has at most %d bytes", ErrPolicy, source, maxFile)
	}
	if tooDeep(text) {
		return nil, fmt.Errorf("%w: %s: nested too deep; at most %d tables or lists lie in each other",
			ErrPolicy, source, maxDepth)
	}
	text = strings.TrimPrefix(text, "\ufeff")
	var document map[string]any
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("%w: %s: is not UTF-8", ErrPolicy, source)
	}
	about, err := toml.Decode(text, &document)
	if err != nil {
		// The first line alone: others quote the text.
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, fmt.Errorf("%w: %s: not TOML: %s", ErrPolicy, source, first)
	}
	top := table{source, nil, document}
	if err := top.only("columns", "version", "csv"); err != nil {
		return nil, err
	}
	if version, ok := document["version"]; ok && version != int64(1) {
		return nil, top.wrong("version", "must be 1, the only one there is")
	}
	if err := checkCSV(top); err != nil {
		return nil, err
	}
	columns, err := top.table("columns")
	if err != nil {
		return nil, err
	}
	p, seen := &Policy{}, map[string]bool{}
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
		return nil, top.wrong("columns", "no column is protected; name one at least")
	}
	for _, rule := range p.Rules {
		if rule.Tweak != "" && seen[rule.Tweak] {
			return nil, columns.at(rule.Column).wrong("tweak", "column %q is protected as well, so its values would "+
				"not be at hand to reveal this one; use a column that stays as it is", rule.Tweak)
		}
	}
	return p, nil
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
	if err := column.only("format", "key", "domain", "tweak", "unfit"); err != nil {
		return nil, err
	}
	rule := &Rule{Column: name, Unfit: UnfitError}
	for key, field := range map[string]*string{"key": &rule.Key, "domain": &rule.Domain} {
		if *field, err = column.text(key); err != nil {
			return nil, err
		}
	}
	if rule.Domain == "" || len(rule.Domain) > 256 {
		return nil, column.wrong("domain", "has 1 to 256 bytes; say what the values are")
	}
	if err := keyring.CheckReference(rule.Key); err != nil {
		return nil, column.wrong("key", "is referred to as name:version, for example people:1")
	}
	if _, ok := column.values["tweak"]; ok {
		if rule.Tweak, err = column.text("tweak"); err != nil {
			return nil, err
		}
		if rule.Tweak == name || rule.Tweak == "" {
			return nil, column.wrong("tweak", "must be another column's name")
		}
	}
	if _, ok := column.values["unfit"]; ok {
		unfit, err := column.choice("unfit", "error", "null", "keep")
		if err != nil {
			return nil, err
		}
		rule.Unfit = Unfit(unfit)
	}
	if rule.Format, err = readFormat(column); err != nil {
		return nil, err
	}
	if text, ok := rule.Format.(*fast.TextFormat); ok && text.Luhn == fast.LuhnInvalid && rule.Unfit == UnfitKeep {
		return nil, column.wrong("unfit", "'keep' can't go with luhn = \"invalid\": a value kept because its check "+
			"digit is wrong could be taken for a token; use 'error' or 'null'")
	}
	return rule, nil
}
