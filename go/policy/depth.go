// SPDX-License-Identifier: Apache-2.0

package policy

import "strings"

// maxDepth is how deep a policy may be nested, in brackets or by the dots of one key. Four levels have a
// meaning; reading thousands takes time and stack that grow with their square.
const maxDepth = 16

// tooDeep looks at TOML before it is parsed. It need not know whether the text is valid: a parser stops
// where it is not.
func tooDeep(text string) bool {
	brackets, dots := 0, 0
	for len(text) > 0 {
		switch text[0] {
		case '#':
			text = text[lineEnd(text):]
			continue
		case '"', '\'':
			text = text[quotedEnd(text):]
			continue
		case '[', '{':
			brackets, dots = brackets+1, 0
		case ']', '}':
			brackets, dots = max(brackets-1, 0), 0
		case '.':
			dots++
		case '\n', '=', ',':
			dots = 0
		}
		if brackets > maxDepth || dots >= maxDepth {
			return true
		}
		text = text[1:]
	}
	return false
}

func lineEnd(text string) int {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end
	}
	return len(text)
}

// quotedEnd returns where the string ends that a text begins with.
func quotedEnd(text string) int {
	quote, delimiter := text[0], text[:1]
	many := strings.HasPrefix(text, strings.Repeat(delimiter, 3))
	if many {
		delimiter = text[:3]
	}
	for at := len(delimiter); at < len(text); at++ {
		switch {
		case strings.HasPrefix(text[at:], delimiter):
			at += len(delimiter)
			for more := 0; many && more < 2 && at < len(text) && text[at] == quote; more++ {
				at++ // the last quotes of what is quoted
			}
			return at
		case text[at] == '\\' && quote == '"':
			at++
		case text[at] == '\n' && !many:
			return at
		}
	}
	return len(text)
}
