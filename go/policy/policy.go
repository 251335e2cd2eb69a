// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/internal/core"
	"github.com/tallystick/tallystick/go/internal/policytoml"
	"github.com/tallystick/tallystick/go/internal/signed"
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
	Format    *fast.Format
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
	CSV          CSV      // how files of CSV are written

	signed *signed.File // nil: it was read from no file
}

// CSV is the dialect of a policy's table [csv].
type CSV struct {
	Delimiter        byte // 0: a tab in a .tsv file, else a comma
	Quote            byte // 0: there are no quotes
	SkipInitialSpace bool // spaces before a field are not part of it
	NoHeader         bool // the columns are f0, f1, ...
	Encoding         string
}

// csvOf reads the table [csv], which the core has checked.
func csvOf(table map[string]any) CSV {
	made := CSV{Quote: '"'}
	if text, ok := table["delimiter"].(string); ok {
		made.Delimiter = text[0]
	}
	if text, ok := table["quote"].(string); ok {
		made.Quote = append([]byte(text), 0)[0]
	}
	made.SkipInitialSpace, _ = table["skip_initial_space"].(bool)
	header, ok := table["header"].(bool)
	made.NoHeader = ok && !header
	made.Encoding, _ = table["encoding"].(string)
	return made
}

const maxFile = 1 << 20 // bytes, which the core checks

// Load reads a policy from a file, and its signatures, if there are any, from the file beside it with .sig behind
// its name. The error matches ErrPolicy.
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
	return LoadSigned(text, signed.Beside(path), path)
}

// Parse reads a policy from TOML text of at most 1 MiB; source begins the messages. See Load.
func Parse(text, source string) (*Policy, error) {
	document, about, description, err := policytoml.Read(text)
	if err == nil {
		err = core.CheckPolicy(description)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrPolicy, source, err)
	}
	return policyOf(document, policytoml.Keys(about, "columns"))
}

// ParseJSON is Parse for a policy that is written in JSON, as the core reads it. A date is {"$date": "2026-01-31"}.
func ParseJSON(text, source string) (*Policy, error) {
	if len(text) > maxFile {
		return nil, fmt.Errorf("%w: %s: larger than %d bytes; check what is passed", ErrPolicy, source, maxFile)
	}
	if err := core.CheckPolicy([]byte(text)); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrPolicy, source, err)
	}
	var document map[string]any
	var columns struct{ Columns orderedKeys }
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	err := decoder.Decode(&document)
	if err == nil {
		err = json.Unmarshal([]byte(text), &columns)
	}
	if err != nil { // its texts may quote the policy
		return nil, fmt.Errorf("%w: %s: not valid JSON", ErrPolicy, source)
	}
	return policyOf(document, columns.Columns)
}

// orderedKeys are the keys of a JSON object, in their order.
type orderedKeys []string

// UnmarshalJSON reads an object.
func (o *orderedKeys) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		*o = append(*o, name)
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
	}
	return nil
}

// policyOf makes the policy of a document that the core has checked.
func policyOf(document map[string]any, order []string) (*Policy, error) {
	p, columns := &Policy{}, document["columns"].(map[string]any)
	unlisted, _ := document["unlisted"].(string)
	p.Unlisted = Unlisted(unlisted)
	dialect, _ := document["csv"].(map[string]any)
	p.CSV = csvOf(dialect)
	p.Keep, p.MixedFormats = texts(document["keep"]), texts(document["mixed_formats"])
	for _, column := range order {
		cipher, _ := document["cipher"].(string)
		rule, err := ruleOf(column, columns[column].(map[string]any), cipher)
		if err != nil {
			return nil, err
		}
		p.Rules = append(p.Rules, rule)
	}
	return p, nil
}

// ruleOf makes a rule; cipher is that of the policy, or empty.
func ruleOf(column string, table map[string]any, cipher string) (Rule, error) {
	rule := Rule{Column: column, OnInvalid: OnInvalidError}
	rule.Key, _ = table["key"].(string)
	rule.Namespace, _ = table["namespace"].(string)
	tweak, tweaked := table["tweak"].(string)
	if tweaked && tweak == "" { // for a Rule, that would be none
		return rule, fmt.Errorf("%w: columns.%q.tweak: a column without a name can't be a tweak in Go; name it", ErrPolicy, column)
	}
	rule.Tweak = tweak
	if given, ok := table["on_invalid"].(string); ok {
		rule.OnInvalid = OnInvalid(given)
	}
	name, options := "", map[string]any{}
	switch given := table["format"].(type) {
	case string:
		name = given
	case map[string]any:
		for option, value := range given {
			options[option] = value
		}
		name, _ = given["type"].(string)
		delete(options, "type")
	}
	for _, option := range []string{"cipher", "tweak_hex"} { // of the format too
		if value, ok := table[option]; ok {
			options[option] = value
		}
	}
	_, own := options["cipher"]
	_, plain := options["tweak_hex"] // which needs one
	if plain && !own && cipher != "" {
		options["cipher"] = cipher
	}
	format, err := fast.NewFormat(name, options)
	if err == nil && !plain && !own && cipher != "" && format.Cipher() != "" {
		options["cipher"] = cipher
		format, err = fast.NewFormat(name, options)
	}
	rule.Format = format
	return rule, err
}

func texts(list any) (found []string) {
	items, _ := list.([]any)
	for _, item := range items {
		text, _ := item.(string)
		found = append(found, text)
	}
	return found
}

// check refuses what contradicts itself in a policy that a program made.
func (p *Policy) check() error {
	document := map[string]any{}
	if p.Unlisted != UnlistedUnsaid {
		document["unlisted"] = p.Unlisted
	}
	if p.Keep != nil {
		document["keep"] = p.Keep
	}
	if p.MixedFormats != nil {
		document["mixed_formats"] = p.MixedFormats
	}
	columns := map[string]any{}
	for _, rule := range p.Rules {
		if columns[rule.Column] != nil {
			return fmt.Errorf("column %q has two rules; remove one of them", rule.Column)
		}
		made := map[string]any{"format": rule.Format, "on_invalid": rule.OnInvalid}
		for name, value := range map[string]string{"key": rule.Key, "namespace": rule.Namespace, "tweak": rule.Tweak} {
			if value != "" {
				made[name] = value
			}
		}
		columns[rule.Column] = made
	}
	document["columns"] = columns
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	return core.CheckPolicy(text)
}
