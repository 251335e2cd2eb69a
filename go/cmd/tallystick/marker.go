// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/tallystick/tallystick/go/policy"
)

// Markers are those of docs/reference/markers.md.
const (
	markerSuffix  = ".tallystick.json"
	markerVersion = 1
	markerSize    = 1 << 20
	fingerprint   = 8 // bytes
)

// entry says how a column was protected.
type entry struct {
	Format string  `json:"format"`
	Key    *string `json:"key"`
	Check  *string `json:"check"`
	Tweak  *string `json:"tweak"`
	OneWay bool    `json:"one_way"`
}

// named is an entry with its column; a layer keeps their order.
type named struct {
	column string
	entry  entry
}

type layer []named

// marker is what a file says about how it was protected: a layer for each policy.
type marker []layer

// entryOf returns the entry of a column that a rule protects.
func entryOf(rule policy.Rule, protector *policy.Protector) (entry, error) {
	format, key, err := protector.Fingerprints(rule.Column)
	made := entry{Format: hex.EncodeToString(format[:fingerprint]), OneWay: rule.Format.OneWay()}
	if rule.Tweak != "" {
		made.Tweak = &rule.Tweak
	}
	if rule.Format.Keyed() {
		check := hex.EncodeToString(key[:fingerprint])
		made.Key, made.Check = &rule.Key, &check
	}
	return made, err
}

// readMarker returns the bytes beside a text file, or nil.
func readMarker(of place) ([]byte, error) {
	if of.path == "" {
		return nil, nil
	}
	path, err := resolve(of.path)
	if err != nil {
		return nil, err
	}
	path += markerSuffix
	status, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || !status.Mode().IsRegular() {
		return nil, fileError("%s: can't be read as a marker; delete it, or ignore it (--ignore-marker)", path)
	}
	opened, err := os.Open(path)
	if err != nil {
		return nil, withPath(path, err)
	}
	defer opened.Close()
	data, err := io.ReadAll(io.LimitReader(opened, markerSize+1))
	if err == nil && len(data) > markerSize {
		return nil, fileError("%s: a marker has at most %d bytes; delete the file", path, markerSize)
	}
	return data, withPath(path, err)
}

// parseMarker reads the bytes of a marker.
func parseMarker(data []byte, source place) (marker, error) {
	damaged := fileError("%v: its marker is damaged, so it is unknown how the file was protected; restore the marker. If you "+
		"know how the file was protected, delete the marker, or ignore it (--ignore-marker)", source)
	var head struct{ Version *int }
	if json.Unmarshal(data, &head) != nil || head.Version == nil {
		return nil, damaged
	}
	if *head.Version != markerVersion {
		return nil, fileError("%v: its marker has version %d, but this program reads version %d; use a newer Tallystick, or "+
			"ignore the marker (--ignore-marker)", source, *head.Version, markerVersion)
	}
	var document struct {
		Version int
		Layers  []struct{ Columns *layer }
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&document) != nil || decoder.More() {
		return nil, damaged
	}
	var made marker
	seen := map[string]bool{}
	for _, one := range document.Layers {
		if one.Columns == nil {
			return nil, damaged
		}
		for _, column := range *one.Columns {
			if seen[column.column] {
				return nil, damaged
			}
			seen[column.column] = true
		}
		made = append(made, *one.Columns)
	}
	return made, nil
}

// UnmarshalJSON reads the columns of a layer, in their order.
func (l *layer) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return errors.New("not an object")
	}
	*l = layer{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		one := named{column: token.(string)}
		var read struct {
			entry
			Format *string `json:"format"`
		}
		if err := decoder.Decode(&read); err != nil {
			return err
		}
		if read.Format == nil {
			return errors.New("no format")
		}
		one.entry = read.entry
		one.entry.Format = *read.Format
		*l = append(*l, one)
	}
	return nil
}

// bytes returns what parseMarker reads; nil: there is nothing to say, and there should be no marker.
func (m marker) bytes() []byte {
	var layers []object
	for _, columns := range m {
		var described object
		for _, one := range columns {
			fields := object{{"format", one.entry.Format}}
			for _, more := range []struct {
				name  string
				value *string
			}{{"key", one.entry.Key}, {"check", one.entry.Check}, {"tweak", one.entry.Tweak}} {
				if more.value != nil {
					fields = append(fields, field{more.name, *more.value})
				}
			}
			if one.entry.OneWay {
				fields = append(fields, field{"one_way", true})
			}
			described = append(described, field{one.column, fields})
		}
		if len(described) > 0 {
			layers = append(layers, object{{"columns", described}})
		}
	}
	if layers == nil {
		return nil
	}
	var out bytes.Buffer
	writeJSON(&out, object{{"version", markerVersion}, {"layers", layers}})
	out.WriteByte('\n')
	return out.Bytes()
}

// find returns the layer of a column and its entry, or -1.
func (m marker) find(column string) (int, entry) {
	for number, columns := range m {
		for _, one := range columns {
			if one.column == column {
				return number, one.entry
			}
		}
	}
	return -1, entry{}
}

func under(m entry) string {
	if m.Key == nil {
		return ""
	}
	return " under key " + *m.Key
}

func refuseMarker(source place, says, mend string) error {
	return policyError("%v: its marker says that %s; %s. If the marker is wrong, ignore it (--ignore-marker, in Python "+
		"ignore_marker=True)", source, says, mend)
}

// protected returns what a marker becomes when more columns are protected.
func (m marker) protected(source place, entries layer) (marker, error) {
	for _, one := range entries {
		if at, found := m.find(one.column); at >= 0 {
			return nil, refuseMarker(source, "column "+quoted(one.column)+" is protected already"+under(found),
				"protecting it again would make tokens of tokens; to change its key, rotate it")
		}
	}
	return append(slices.Clone(m), entries), nil
}

const otherPolicy = "pass the policy that protected the file"

// revealed returns what a marker becomes when columns are revealed.
func (m marker) revealed(source place, entries layer) (marker, error) {
	if err := m.check(source, entries); err != nil {
		return nil, err
	}
	first := func(first, then string) error {
		return refuseMarker(source, "column "+quoted(first)+" was protected after "+quoted(then)+", and one is the tweak of the "+
			"other", "reveal "+quoted(first)+" first")
	}
	ours := map[string]bool{}
	for _, one := range entries {
		ours[one.column] = true
	}
	for _, one := range entries {
		own, _ := m.find(one.column)
		if one.entry.Tweak == nil {
			continue
		}
		if above, _ := m.find(*one.entry.Tweak); above > own {
			return nil, first(*one.entry.Tweak, one.column)
		}
	}
	for number, columns := range m {
		for _, one := range columns {
			if one.entry.Tweak == nil || !ours[*one.entry.Tweak] || one.entry.OneWay || ours[one.column] {
				continue
			}
			if below, _ := m.find(*one.entry.Tweak); below >= 0 && below < number {
				return nil, first(one.column, *one.entry.Tweak)
			}
		}
	}
	var made marker
	for _, columns := range m {
		made = append(made, slices.DeleteFunc(slices.Clone(columns), func(one named) bool { return ours[one.column] }))
	}
	return made, nil
}

// check refuses columns that were protected in another way.
func (m marker) check(source place, entries layer) error {
	same := func(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
	for _, wanted := range entries {
		column := "column " + quoted(wanted.column)
		at, found := m.find(wanted.column)
		switch {
		case at < 0:
			return refuseMarker(source, column+" is not protected", otherPolicy+"; if the file lacks the column, pass "+
				"--ignore-missing")
		case !same(found.Key, wanted.entry.Key):
			return refuseMarker(source, column+" is protected"+under(found)+", not"+under(wanted.entry), otherPolicy)
		case found.Check != nil && wanted.entry.Check != nil && *found.Check != *wanted.entry.Check:
			return refuseMarker(source, column+" is protected with another key that is also called "+*found.Key,
				"pass the key ring that protected the file")
		case !same(found.Tweak, wanted.entry.Tweak):
			return refuseMarker(source, column+" is protected with another tweak", otherPolicy)
		case found.Format != wanted.entry.Format:
			return refuseMarker(source, column+" is protected with another format or namespace", otherPolicy)
		}
	}
	return nil
}

// untouched are the columns of a table that pass in clear, in its order.
type untouched struct{ unlisted, kept, twice []string }

// untouchedBy returns the columns that a policy leaves in clear; protected are those of the source's marker.
func untouchedBy(rules *policy.Policy, columns []string, protected marker) (found untouched) {
	ruled, named, counts := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, rule := range rules.Rules {
		ruled[rule.Column] = true
		if rule.Tweak != "" {
			named[rule.Tweak] = true
		}
	}
	for _, columns := range protected {
		for _, one := range columns {
			ruled[one.column] = true
		}
	}
	for _, name := range rules.Keep {
		named[name] = true
	}
	for _, column := range columns {
		counts[column]++
	}
	// A column with others inside is not among the columns itself, so what begins like one that is there is not inside it:
	// user.email beside user.
	outer := slices.DeleteFunc(slices.Clone(rules.Keep), func(name string) bool { return counts[name] > 0 })
	seen := map[string]bool{}
	for _, column := range columns {
		if ruled[column] || seen[column] {
			continue
		}
		seen[column] = true
		switch listed := named[column] || within(column, outer); {
		case listed && counts[column] == 1:
			found.kept = append(found.kept, column)
		case listed:
			found.twice = append(found.twice, column)
			fallthrough
		default:
			found.unlisted = append(found.unlisted, column)
		}
	}
	return found
}

func within(column string, outer []string) bool {
	return isPath(column) && slices.ContainsFunc(outer, func(one string) bool { return isInside(column, one) })
}

// isPath says whether a name may be the path of a column inside another.
func isPath(name string) bool { return strings.ContainsAny(name, `.[]{}"`) }

// refuseUnlisted refuses columns that a policy does not name, if it says so.
func refuseUnlisted(rules *policy.Policy, columns untouched, source place) error {
	switch {
	case rules.Unlisted != policy.UnlistedError || columns.unlisted == nil:
		return nil
	case columns.twice != nil:
		return policyError("%v: several columns are called %s, so keep is ambiguous; give each column its own name", source,
			countedNames(columns.twice))
	}
	return policyError("%v: the policy says unlisted = \"error\" and does not name %s; protect each column, or add it to keep to "+
		"let it pass in clear", source, countedNames(columns.unlisted))
}
