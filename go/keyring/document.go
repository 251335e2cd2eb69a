// SPDX-License-Identifier: Apache-2.0

package keyring

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

const (
	maxFile = 1 << 20             // bytes: about 4000 keys
	tail    = 64 + len("\"\n}\n") // bytes after the authenticated part
	wrapped = 12 + 16             // bytes that wrapping adds: nonce and tag
)

// document is a key ring file. Only one text of it is valid: what encode gives.
type document struct {
	Format  string  `json:"format"`
	Version int     `json:"version"`
	Ring    string  `json:"ring"`
	Created string  `json:"created"`
	Root    root    `json:"root"`
	Check   string  `json:"check"`
	Keys    []entry `json:"keys"`
	MAC     string  `json:"mac"`
}

// root says where the root key comes from; which fields there are depends on the kind.
type root struct {
	Kind      string   `json:"kind"`
	Salt      string   `json:"salt"`
	N         int      `json:"n"`
	R         int      `json:"r"`
	P         int      `json:"p"`
	Set       string   `json:"set"`
	Threshold int      `json:"threshold"`
	Count     int      `json:"count"`
	Holders   []string `json:"holders"`
}

type entry struct {
	Name    string `json:"name"`
	Version uint32 `json:"version"`
	Created string `json:"created"`
	Size    int    `json:"size"`
	Wrapped []byte `json:"wrapped"`
}

var (
	hex16 = regexp.MustCompile(`^[0-9a-f]{32}$`)
	hex32 = regexp.MustCompile(`^[0-9a-f]{64}$`)
	name  = regexp.MustCompile(`^` + keyName + `$`)
)

// decode reads a file strictly. Nothing in the result is authenticated yet.
func decode(data []byte) (*document, error) {
	var header struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(data, &header); err != nil || header.Format != "tallystick-keyring" {
		return nil, fmt.Errorf("%w: not a Tallystick key ring; check the path", ErrKeyring)
	}
	if header.Version != 1 {
		return nil, fmt.Errorf("%w: key ring format %d, and this Tallystick reads format 1; use the Tallystick that wrote it, or a newer one",
			ErrKeyring, header.Version)
	}
	d := &document{}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if decoder.Decode(d) != nil {
		return nil, fmt.Errorf("%w: not a valid key ring; restore the file from a backup", ErrKeyring)
	}
	if _, err := decoder.Token(); err != io.EOF || !d.valid() {
		return nil, fmt.Errorf("%w: not a valid key ring; restore the file from a backup", ErrKeyring)
	}
	if !bytes.Equal(d.encode(), data) {
		return nil, fmt.Errorf("%w: the text is not as Tallystick writes it (a field twice, other spacing, "+
			"other order): it was edited or reformatted; restore the file from a backup", ErrKeyring)
	}
	return d, nil
}

func validTime(text string) bool {
	_, err := time.Parse("2006-01-02T15:04:05Z", text)
	return err == nil && len(text) == len("2006-01-02T15:04:05Z")
}

func (d *document) valid() bool {
	seen := map[string]bool{}
	for _, e := range d.Keys {
		id := e.id()
		if seen[id] || !name.MatchString(e.Name) || e.Version < 1 || !validTime(e.Created) ||
			e.Size != 16 && e.Size != 24 && e.Size != 32 || len(e.Wrapped) != e.Size+wrapped {
			return false
		}
		seen[id] = true
	}
	return d.Root.valid() && validTime(d.Created) && hex16.MatchString(d.Ring) &&
		hex16.MatchString(d.Check) && hex32.MatchString(d.MAC)
}

func (r *root) valid() bool {
	switch r.Kind {
	case "key":
		return true
	case "scrypt":
		return hex16.MatchString(r.Salt) && r.N >= 1<<14 && r.N <= 1<<18 && r.N&(r.N-1) == 0 &&
			r.R == 8 && r.P >= 1 && r.P <= 4
	case "shares":
		return hex16.MatchString(r.Set) && r.Threshold >= 2 && r.Threshold <= r.Count && r.Count <= 255 &&
			len(r.Holders) == r.Count
	}
	return false
}

func (e *entry) id() string { return fmt.Sprintf("%s:%d", e.Name, e.Version) }

// encode gives the one text of a document, as Python's json writes it with an indent of two.
func (d *document) encode() []byte {
	var b strings.Builder
	b.WriteString("{\n")
	field := func(indent int, name, value, end string) {
		b.WriteString(strings.Repeat(" ", indent) + quoted(name) + ": " + value + end)
	}
	text := func(indent int, name, value string) { field(indent, name, quoted(value), ",\n") }
	text(2, "format", d.Format)
	field(2, "version", strconv.Itoa(d.Version), ",\n")
	text(2, "ring", d.Ring)
	text(2, "created", d.Created)
	field(2, "root", "{\n", "")
	switch r := &d.Root; r.Kind {
	case "key":
		field(4, "kind", quoted(r.Kind), "\n")
	case "scrypt":
		text(4, "kind", r.Kind)
		text(4, "salt", r.Salt)
		field(4, "n", strconv.Itoa(r.N), ",\n")
		field(4, "r", strconv.Itoa(r.R), ",\n")
		field(4, "p", strconv.Itoa(r.P), "\n")
	case "shares":
		text(4, "kind", r.Kind)
		text(4, "set", r.Set)
		field(4, "threshold", strconv.Itoa(r.Threshold), ",\n")
		field(4, "count", strconv.Itoa(r.Count), ",\n")
		holders := make([]string, len(r.Holders))
		for i, holder := range r.Holders {
			holders[i] = "      " + quoted(holder)
		}
		field(4, "holders", "[\n"+strings.Join(holders, ",\n")+"\n    ]\n", "")
	}
	b.WriteString("  },\n")
	text(2, "check", d.Check)
	if len(d.Keys) == 0 {
		field(2, "keys", "[]", ",\n")
	} else {
		field(2, "keys", "[\n", "")
		for i, e := range d.Keys {
			b.WriteString("    {\n")
			text(6, "name", e.Name)
			field(6, "version", strconv.FormatUint(uint64(e.Version), 10), ",\n")
			text(6, "created", e.Created)
			field(6, "size", strconv.Itoa(e.Size), ",\n")
			field(6, "wrapped", quoted(base64.StdEncoding.EncodeToString(e.Wrapped)), "\n")
			b.WriteString("    }")
			if i+1 < len(d.Keys) {
				b.WriteString(",")
			}
			b.WriteString("\n")
		}
		b.WriteString("  ],\n")
	}
	field(2, "mac", quoted(d.MAC), "\n}\n")
	return []byte(b.String())
}

// quoted writes a string as Python's json does: ASCII alone.
func quoted(s string) string {
	short := map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case short[r] != "":
			b.WriteString(short[r])
		case r >= ' ' && r <= '~':
			b.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
	}
	b.WriteByte('"')
	return b.String()
}
