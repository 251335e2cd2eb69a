// SPDX-License-Identifier: Apache-2.0

package core

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// IsText says whether valid JSON is UTF-8 and has no half of a surrogate pair. encoding/json would replace both by U+FFFD, so
// that different texts become one.
func IsText(valid []byte) bool {
	for at := 0; at < len(valid); at++ {
		if valid[at] != '\\' {
			continue
		}
		if at++; valid[at] != 'u' {
			continue
		}
		if r := unit(valid[at+1:]); utf16.IsSurrogate(r) {
			if !bytes.HasPrefix(valid[at+5:], []byte(`\u`)) || utf16.DecodeRune(r, unit(valid[at+7:])) == utf8.RuneError {
				return false
			}
			at += 6
		}
		at += 4
	}
	return utf8.Valid(valid)
}

// unit reads the four digits of an escape.
func unit(digits []byte) rune {
	found, _ := strconv.ParseUint(string(digits[:4]), 16, 16)
	return rune(found)
}
