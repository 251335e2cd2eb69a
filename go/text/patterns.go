// SPDX-License-Identifier: Apache-2.0

package text

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// search calls found for each part of a text.
type search func(text string, found func(start, end int))

// The classes of Python's re, which know all of Unicode; those of regexp know ASCII.
const (
	wordClass  = `\p{L}\p{N}_`
	spaceClass = `\t-\r\x{1c}-\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`
)

// newPattern returns what finds a regular expression of Python. Go's regexp takes linear time, so it lacks look-around
// and back-references. Whatever would find less here than in Python is refused.
func newPattern(pattern string, anyCase bool) (search, error) {
	translated, err := translate(pattern)
	if err != nil {
		return nil, err
	}
	if anyCase {
		translated = "(?i:" + translated + ")"
	}
	made, err := compile(translated)
	if err != nil {
		return nil, err
	}
	group := 2 * max(0, made.SubexpIndex("value"))
	return func(text string, found func(start, end int)) {
		for _, at := range made.FindAllStringSubmatchIndex(text, -1) {
			start, end := at[group], at[group+1]
			if start < 0 { // the group took no part in the match
				start, end = at[0], at[1]
			}
			if end > start {
				found(start, end)
			}
		}
	}, nil
}

func compile(pattern string) (*regexp.Regexp, error) {
	made, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("not a regular expression that Go has: %w", err)
	}
	return made, nil
}

// translate writes a pattern of Python's re for regexp.
func translate(pattern string) (string, error) {
	var out strings.Builder
	class := false // within [ ]
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i:]
		switch {
		case rest[0] == '\\' && len(rest) > 1:
			made, err := escape(rest[1], class)
			if err != nil {
				return "", err
			}
			if size := map[byte]int{'u': 4, 'U': 8}[rest[1]]; size > 0 {
				if len(rest) < 2+size {
					return "", errors.New("an escape \\u or \\U is not complete")
				}
				made = `\x{` + rest[2:2+size] + "}"
				i += size
			}
			out.WriteString(made)
			i++
			continue
		case class && strings.HasPrefix(rest, "[:"):
			return "", errors.New("classes such as [:alpha:] are not Python's; write \\[ for a bracket")
		case class:
			class = rest[0] != ']'
		case rest[0] == '[':
			class = true
			for _, first := range []string{"[^]", "[]", "[^"} { // a ] that comes first is a character
				if strings.HasPrefix(rest, first) {
					out.WriteString(first[:len(first)-1])
					i += len(first) - 1
					rest = rest[len(first)-1:]
					break
				}
			}
		case rest[0] == '$':
			return "", errors.New("$ means another place in Go; write \\Z for the end of the text")
		case strings.HasPrefix(rest, "{,"):
			return "", errors.New("{,n} means other text in Go; write {0,n}")
		}
		out.WriteByte(rest[0])
	}
	return out.String(), nil
}

// escape returns what stands in regexp for a backslash and a character.
func escape(letter byte, class bool) (string, error) {
	brackets := func(inside string) string {
		if class {
			return inside
		}
		return "[" + inside + "]"
	}
	switch letter {
	case 'w':
		return brackets(wordClass), nil
	case 's':
		return brackets(spaceClass), nil
	case 'd':
		return `\p{Nd}`, nil
	case 'D':
		return `\P{Nd}`, nil
	case 'Z':
		return `\z`, nil
	case 'W', 'S':
		if class {
			return "", fmt.Errorf("\\%c within [ ] is not possible in Go; write what it stands for", letter)
		}
		return "[^" + map[byte]string{'W': wordClass, 'S': spaceClass}[letter] + "]", nil
	case 'b', 'B':
		if !class {
			return "", fmt.Errorf(`\%c knows ASCII alone in Go; use words, or (?:\A|\W)(?P<value>...)(?:\W|\Z)`, letter)
		}
		return `\x08`, nil
	}
	return `\` + string(rune(letter)), nil
}

// newWords returns what finds texts as they are, between characters that are no letters and digits.
func newWords(words []string, anyCase bool) (search, error) {
	longest := slices.Clone(words)
	slices.SortStableFunc(longest, func(a, b string) int { return utf8.RuneCountInString(b) - utf8.RuneCountInString(a) })
	for i, word := range longest {
		longest[i] = regexp.QuoteMeta(word)
	}
	all := strings.Join(longest, "|")
	if anyCase {
		all = "(?i:" + all + ")"
	}
	behind := "(" + all + ")(?:[^" + wordClass + `]|\z)`
	first, err := compile(`(?:\A|[^` + wordClass + "])" + behind)
	if err != nil {
		return nil, err
	}
	later, err := compile("[^" + wordClass + "]" + behind)
	if err != nil {
		return nil, err
	}
	return func(text string, found func(start, end int)) {
		from, look := 0, first
		for {
			at := look.FindStringSubmatchIndex(text[from:])
			if at == nil {
				return
			}
			found(from+at[2], from+at[3])
			// The next word may begin here: the character before is needed, and may be of this word.
			end := from + at[3]
			_, size := utf8.DecodeLastRuneInString(text[:end])
			from, look = end-size, later
		}
	}, nil
}
