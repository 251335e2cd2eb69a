// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tallystick/tallystick/go/internal/core"
)

// Format is a set of values that are replaced by values of the same set: a [TextFormat], an
// [IntegerFormat] or a [DateFormat].
type Format interface {
	// check says what is wrong with the format: an error that matches ErrFormat.
	check() error
	// identity is what tokens depend on; docs/reference/tokens.md has the bytes.
	identity() []any
	// radix is that of the cipher it works with.
	radix() uint32
	// fault returns the byte of a value at which the character at fault begins, or -1.
	fault(value string, reason Reason) int
	// layers is the work of a word of so many symbols; of a range the number does not matter.
	layers(symbols int) int64
	// transform encrypts or decrypts a column of texts that was checked. Invalid rows have
	// their reason in status, and keep their value.
	transform(pool *core.Pool, decrypt bool, column core.Strings, tweak []byte,
		tweaks *core.Strings, status []byte) (core.Strings, error)
}

// smallestDomain is the number of values below which a domain is refused unless that is allowed.
const smallestDomain = 100

// smallDomain is the number of values below which a row counts as small; the core wants it.
const smallDomain = 1_000_000

func wrong(label, format string, arguments ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrFormat, label, fmt.Sprintf(format, arguments...))
}

// tweakOf encodes what the tokens of a column depend on: docs/reference/tokens.md, "The tweak".
func tweakOf(format Format, namespace string, rows bool) ([]byte, error) {
	identity, err := identityText(format)
	if err != nil {
		return nil, err
	}
	kind := "column"
	if rows {
		kind = "rows"
	}
	parts := []string{"tallystick 1", namespace, identity, kind}
	out := appendU32(nil, len(parts))
	for _, part := range parts {
		out = append(appendU32(out, len(part)), part...)
	}
	return out, nil
}

func appendU32(b []byte, n int) []byte {
	return append(b, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

// SameTokens reports whether equal values have equal tokens in both formats, under one key and namespace. The
// formats are of CheckFormat's good ones.
func SameTokens(one, other Format) bool {
	first, err := identityText(one)
	second, failed := identityText(other)
	return err == nil && failed == nil && first == second
}

// identityText is what Python's json writes of an identity.
func identityText(format Format) (string, error) {
	var identity bytes.Buffer
	encoder := json.NewEncoder(&identity)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(format.identity())
	return strings.TrimSuffix(identity.String(), "\n"), err
}

// CheckFormat returns an error that matches ErrFormat and says what is wrong with a format, or nil.
func CheckFormat(format Format) error {
	absent := format == nil
	switch f := format.(type) {
	case *TextFormat:
		absent = f == nil
	case *IntegerFormat:
		absent = f == nil
	case *DateFormat:
		absent = f == nil
	}
	if absent {
		return fmt.Errorf("%w: nil", ErrFormat)
	}
	return format.check()
}
