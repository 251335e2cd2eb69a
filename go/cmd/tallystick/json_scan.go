// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonKind is what a JSON value is.
type jsonKind uint8

const (
	jsonNull jsonKind = iota
	jsonText
	jsonNumber
	jsonTrue
	jsonFalse
	jsonObject
	jsonArray
)

// span is a value: what it is, and where it begins and ends in the text; zero stands for one that is missing.
type span struct {
	kind       jsonKind
	start, end int
}

// fields are the members of an object, in their order.
type fields struct {
	keys   []string
	values []span
	places map[string]int // of an object with many members
}

const few = 16

// place returns where a key is, or -1.
func (f *fields) place(key string) int {
	if f.places != nil {
		if at, there := f.places[key]; there {
			return at
		}
		return -1
	}
	return slices.Index(f.keys, key)
}

// get returns the value of a key.
func (f *fields) get(key string) span {
	if at := f.place(key); at >= 0 {
		return f.values[at]
	}
	return span{}
}

func (f *fields) add(key string, value span) {
	if f.places != nil {
		f.places[key] = len(f.keys)
	}
	f.keys, f.values = append(f.keys, key), append(f.values, value)
	if len(f.keys) == few {
		f.places = map[string]int{}
		for at, one := range f.keys {
			f.places[one] = at
		}
	}
}

var (
	errCut    = errors.New("the text ends within it")
	errNaN    = errors.New("not JSON: NaN or Infinity")
	errValue  = errors.New("not JSON: a value is malformed")
	errString = errors.New("not JSON: a value or key is malformed")
	errDeep   = errors.New("nested too deeply")
)

const deepest = 500

// objectScan reads one object of a text in place. The standard library's decoder does not tell where values are, and takes
// a key twice.
type objectScan struct {
	text []byte
	at   int
}

func (s *objectScan) space() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t' || s.text[s.at] == '\n' || s.text[s.at] == '\r') {
		s.at++
	}
}

// take steps over a character, or returns the error; errCut: the text ends before it.
func (s *objectScan) take(one byte, missing error) error {
	if s.at == len(s.text) {
		return errCut
	}
	if s.text[s.at] != one {
		return missing
	}
	s.at++
	return nil
}

var (
	errObject = errors.New("not a JSON object")
	errKey    = errors.New("not JSON: no key where one must be")
	errColon  = errors.New("not JSON: no colon after a key")
	errComma  = errors.New("not JSON: no comma between members")
)

// object reads the members of the object that begins here. Of a key that occurs twice the last value counts, in the place
// of the first, unless strict refuses it.
func (s *objectScan) object(strict bool) (*fields, error) {
	made := &fields{}
	if err := s.take('{', errObject); err != nil {
		return nil, err
	}
	s.space()
	if s.at < len(s.text) && s.text[s.at] == '}' {
		s.at++
		return made, nil
	}
	for {
		if s.at == len(s.text) {
			return nil, errCut
		}
		if s.text[s.at] != '"' {
			return nil, errKey
		}
		key, err := s.string(true)
		if err == nil {
			s.space()
			err = s.take(':', errColon)
		}
		if err != nil {
			return nil, err
		}
		s.space()
		one := span{start: s.at}
		if one.kind, err = s.value(0); err != nil {
			return nil, err
		}
		one.end = s.at
		switch at := made.place(key); {
		case at < 0:
			made.add(key, one)
		case strict:
			return nil, errors.New("the key " + quoted(key) + " occurs twice")
		default:
			made.values[at] = one
		}
		s.space()
		if s.at < len(s.text) && s.text[s.at] == '}' {
			s.at++
			return made, nil
		}
		if err := s.take(',', errComma); err != nil {
			return nil, err
		}
		s.space()
	}
}

// within returns the members of an object in a text that was read.
func (s span) within(text []byte, strict bool) (*fields, error) {
	return (&objectScan{text, s.start}).object(strict)
}

// items returns the items of an array in a text that was read.
func (s span) items(text []byte) (found []span, err error) {
	scan := objectScan{text, s.start + 1}
	for scan.space(); text[scan.at] != ']'; scan.space() {
		one := span{start: scan.at}
		if one.kind, err = scan.value(0); err != nil {
			return nil, err
		}
		one.end = scan.at
		found = append(found, one)
		if scan.space(); text[scan.at] == ',' {
			scan.at++
		}
	}
	return found, nil
}

// value steps over a value.
func (s *objectScan) value(depth int) (jsonKind, error) {
	if s.at == len(s.text) {
		return 0, errCut
	}
	switch one := s.text[s.at]; {
	case one == '"':
		_, err := s.string(false)
		return jsonText, err
	case one == '{' || one == '[':
		if depth == deepest {
			return 0, errDeep
		}
		kind := jsonObject
		if one == '[' {
			kind = jsonArray
		}
		return kind, s.nested(depth + 1)
	case one == '-' || one >= '0' && one <= '9':
		return jsonNumber, s.number()
	}
	for _, literal := range []struct {
		text string
		kind jsonKind
		err  error
	}{{"null", jsonNull, nil}, {"true", jsonTrue, nil}, {"false", jsonFalse, nil}, {"NaN", 0, errNaN}, {"Infinity", 0, errNaN}} {
		if err := s.literal(literal.text); err == nil {
			return literal.kind, literal.err
		} else if errors.Is(err, errCut) {
			return 0, err
		}
	}
	return 0, errValue
}

func (s *objectScan) literal(text string) error {
	left := s.text[s.at:]
	if len(left) < len(text) && string(left) == text[:len(left)] {
		return errCut
	}
	if len(left) < len(text) || string(left[:len(text)]) != text {
		return errValue
	}
	s.at += len(text)
	return nil
}

// nested steps over an object or an array.
func (s *objectScan) nested(depth int) error {
	open := s.text[s.at]
	closing := map[byte]byte{'{': '}', '[': ']'}[open]
	s.at++
	s.space()
	if s.at < len(s.text) && s.text[s.at] == closing {
		s.at++
		return nil
	}
	for {
		if open == '{' {
			if s.at < len(s.text) && s.text[s.at] != '"' {
				return errString
			}
			if s.at == len(s.text) {
				return errCut
			}
			if _, err := s.string(false); err != nil {
				return err
			}
			s.space()
			if err := s.take(':', errString); err != nil {
				return err
			}
			s.space()
		}
		if _, err := s.value(depth); err != nil {
			return err
		}
		s.space()
		if s.at < len(s.text) && s.text[s.at] == closing {
			s.at++
			return nil
		}
		if err := s.take(',', errString); err != nil {
			return err
		}
		s.space()
	}
}

// number steps over a number; one that ends with the text may go on.
func (s *objectScan) number() error {
	digits := func() (count int) {
		for s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
			s.at, count = s.at+1, count+1
		}
		return count
	}
	if s.text[s.at] == '-' {
		s.at++
		if err := s.literal("Infinity"); err == nil {
			return errNaN
		} else if errors.Is(err, errCut) {
			return err
		}
	}
	if s.at < len(s.text) && s.text[s.at] == '0' {
		s.at++
	} else if digits() == 0 {
		if s.at == len(s.text) {
			return errCut
		}
		return errValue
	}
	// A point or an exponent without digits is no part of the number, as the standard library of Python has it.
	for _, part := range []string{".", "eE"} {
		begin := s.at
		if s.at == len(s.text) {
			return errCut
		}
		if s.text[s.at] != part[0] && s.text[s.at] != part[len(part)-1] {
			continue
		}
		s.at++
		if part != "." && s.at < len(s.text) && (s.text[s.at] == '+' || s.text[s.at] == '-') {
			s.at++
		}
		if s.at == len(s.text) {
			return errCut
		}
		if digits() == 0 {
			s.at = begin
			return nil
		}
	}
	if s.at == len(s.text) {
		return errCut
	}
	return nil
}

// string steps over a string, and returns its text if that is asked for.
func (s *objectScan) string(wanted bool) (string, error) {
	begin, plain := s.at, true
	for s.at++; s.at < len(s.text); s.at++ {
		switch one := s.text[s.at]; {
		case one == '"':
			s.at++
			if !wanted {
				return "", s.escapes(begin, plain)
			}
			if plain {
				return string(s.text[begin+1 : s.at-1]), nil
			}
			text, _, err := unescape(s.text[begin:s.at])
			return text, err
		case one < ' ':
			return "", errString
		case one == '\\':
			plain = false
			s.at++
		}
	}
	return "", errCut
}

func (s *objectScan) escapes(begin int, plain bool) error {
	if plain {
		return nil
	}
	_, _, err := unescape(s.text[begin:s.at])
	return err
}

// unescape returns the text of a string with its quotes, and whether it has half of a surrogate pair, which becomes three
// bytes that are not UTF-8.
func unescape(given []byte) (text string, halved bool, err error) {
	given = given[1 : len(given)-1]
	made := make([]byte, 0, len(given))
	for at := 0; at < len(given); at++ {
		if given[at] != '\\' {
			made = append(made, given[at])
			continue
		}
		if at++; at == len(given) {
			return "", false, errString
		}
		switch one := given[at]; one {
		case '"', '\\', '/':
			made = append(made, one)
		case 'b', 'f', 'n', 'r', 't':
			made = append(made, map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}[one])
		case 'u':
			unit, ok := unitAt(given, at+1)
			if !ok {
				return "", false, errString
			}
			at += 4
			r := rune(unit)
			if utf16.IsSurrogate(r) {
				low, ok := rune(0), false
				if at+2 < len(given) && given[at+1] == '\\' && given[at+2] == 'u' {
					var second uint16
					second, ok = unitAt(given, at+3)
					low = rune(second)
				}
				if whole := utf16.DecodeRune(r, low); ok && whole != utf8.RuneError {
					r, at = whole, at+6
				} else {
					halved = true
					made = append(made, 0xe0|byte(r>>12), 0x80|byte(r>>6&0x3f), 0x80|byte(r&0x3f))
					continue
				}
			}
			made = utf8.AppendRune(made, r)
		default:
			return "", false, errString
		}
	}
	return string(made), halved, nil
}

func unitAt(text []byte, at int) (uint16, bool) {
	if at+4 > len(text) {
		return 0, false
	}
	for _, one := range text[at : at+4] {
		if one == '+' || one == '_' {
			return 0, false
		}
	}
	unit, err := strconv.ParseUint(string(text[at:at+4]), 16, 16)
	return uint16(unit), err == nil
}
