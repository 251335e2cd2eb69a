// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"slices"
	"strings"

	"github.com/tallystick/tallystick/go/fast"
)

// names are the formats of a policy.
var names = []string{
	"digits", "hex", "letters", "alphanumeric", "base64url", "ascii", "alphabet", "card", "ssn", "phone",
	"email", "uuid", "date", "integer",
}

// inPython are formats that only the Python package has.
var inPython = []string{
	"pattern", "iban", "national_id", "unicode", "decimal", "timestamp", "imei", "ipv4", "ipv6", "mask", "pseudonym",
}

// readFormat reads a column's format: a name, or a table of its type and options.
func readFormat(column table) (fast.Format, error) {
	options := column.at("format")
	var kind string
	switch given := column.values["format"].(type) {
	case string:
		kind = given
	case map[string]any:
		options.values = given
		name, err := options.text("type")
		if err != nil {
			return nil, err
		}
		kind = name
	default:
		return nil, column.wrong("format", "must be a format's name, such as \"digits\", or a table with its type")
	}
	if slices.Contains(inPython, kind) {
		return nil, column.wrong("format", "%q is a format that only the Python package has; protect and reveal this column with that", kind)
	}
	if !slices.Contains(names, kind) {
		return nil, column.wrong("format", "no format is called %q; there are: %s", kind, strings.Join(names, ", "))
	}
	format, err := makeFormat(kind, options)
	if err != nil {
		return nil, err
	}
	if err := fast.CheckFormat(format); err != nil {
		return nil, column.wrong("format", "%s", strings.TrimPrefix(err.Error(), fast.ErrFormat.Error()+": "))
	}
	return format, nil
}

func makeFormat(kind string, options table) (fast.Format, error) {
	switch kind {
	case "date":
		return makeDate(options)
	case "integer":
		return makeInteger(options)
	}
	made := map[string]func() *fast.TextFormat{
		"digits": fast.Digits, "hex": fast.Hex, "letters": fast.Letters, "alphanumeric": fast.Alphanumeric,
		"base64url": fast.Base64URL, "ascii": fast.ASCII, "card": fast.Card, "ssn": fast.SSN, "phone": fast.Phone,
		"email": fast.Email, "uuid": fast.UUID,
		"alphabet": func() *fast.TextFormat { return fast.Alphabet("") },
	}[kind]()
	own := map[string][]string{
		"hex": {"case"}, "letters": {"case"}, "alphanumeric": {"case"}, "alphabet": {"alphabet"},
		"card": {"luhn"}, "email": {"part", "case", "kept_as_tweak", "allow_tiny_domain"}, "uuid": {"case"},
	}[kind]
	if kind != "email" && kind != "uuid" {
		own = append(own, "separators", "keep_first", "keep_last", "kept_as_tweak", "min_length", "max_length",
			"allow_tiny_domain")
	}
	if _, ok := options.values["at"]; ok && kind == "email" {
		return nil, options.wrong("at", "is an option that only the Python package has; protect and reveal this column with that")
	}
	if err := options.only(append([]string{"type"}, own...)...); err != nil {
		return nil, err
	}
	if kind == "alphabet" {
		if _, ok := options.values["alphabet"]; !ok {
			return nil, options.wrong("alphabet", "is missing; it must be text")
		}
	}
	for _, key := range own {
		if _, ok := options.values[key]; ok {
			if err := setOption(made, kind, key, options); err != nil {
				return nil, err
			}
		}
	}
	return made, nil
}

// cases are those that a format can have.
var cases = map[string][]string{
	"hex": {"lower", "upper"}, "uuid": {"lower", "upper"}, "letters": {"keep", "lower", "upper", "mixed"},
	"alphanumeric": {"lower", "upper", "mixed"}, "email": {"lower", "mixed"},
}

func setOption(f *fast.TextFormat, kind, key string, options table) (err error) {
	var yes bool
	var word string
	switch key {
	case "separators":
		f.Separators, err = options.text(key)
	case "alphabet":
		f.Alphabet, err = options.text(key)
	case "keep_first":
		f.KeepFirst, err = options.count(key)
	case "keep_last":
		f.KeepLast, err = options.count(key)
	case "min_length":
		f.MinLength, err = options.count(key)
	case "max_length":
		if f.MaxLength, err = options.count(key); err == nil && f.MaxLength == 0 {
			err = options.wrong(key, "must be 1 or more")
		}
	case "kept_as_tweak":
		yes, err = options.boolean(key)
		f.IgnoreKept = !yes
	case "allow_tiny_domain":
		f.AllowTinyDomain, err = options.boolean(key)
	case "luhn":
		word, err = options.choice(key, "none", "valid", "invalid")
		f.Luhn = map[string]fast.Luhn{"valid": fast.LuhnValid, "invalid": fast.LuhnInvalid}[word]
	case "part":
		word, err = options.choice(key, "local", "all")
		f.KeepAfterDelimiter = word == "local"
	case "case":
		word, err = options.choice(key, cases[kind]...)
		setCase(f, kind, word)
	}
	return err
}

// setCase writes an alphabet anew from its digits and lower-case letters.
func setCase(f *fast.TextFormat, kind, word string) {
	letters := strings.TrimFunc(f.Alphabet, func(r rune) bool { return r < 'a' || r > 'z' })
	digits := f.Alphabet[:strings.Index(f.Alphabet, letters)]
	f.FoldCase = word == "keep"
	switch word {
	case "upper":
		letters = strings.ToUpper(letters)
	case "mixed":
		letters += strings.ToUpper(letters)
	}
	f.Alphabet = digits + letters
}

func makeDate(options table) (fast.Format, error) {
	if err := options.only("type", "first", "last", "notation", "allow_tiny_domain"); err != nil {
		return nil, err
	}
	f := fast.Date()
	var failures []error
	set := func(key string, read func() error) {
		if _, ok := options.values[key]; ok {
			failures = append(failures, read())
		}
	}
	set("first", func() (err error) { f.First, err = options.date("first"); return })
	set("last", func() (err error) { f.Last, err = options.date("last"); return })
	set("notation", func() (err error) { f.Notation, err = options.text("notation"); return })
	set("allow_tiny_domain", func() (err error) { f.AllowTinyDomain, err = options.boolean("allow_tiny_domain"); return })
	return f, errors.Join(failures...)
}

func makeInteger(options table) (fast.Format, error) {
	if err := options.only("type", "min", "max", "allow_tiny_domain"); err != nil {
		return nil, err
	}
	first, err := options.integer("min")
	if err != nil {
		return nil, err
	}
	last, err := options.integer("max")
	if err != nil {
		return nil, err
	}
	f := fast.Integer(first, last)
	if _, ok := options.values["allow_tiny_domain"]; ok {
		f.AllowTinyDomain, err = options.boolean("allow_tiny_domain")
	}
	return f, err
}
