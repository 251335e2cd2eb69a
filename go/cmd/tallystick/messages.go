// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// say prints a line for people to standard error.
func say(format string, arguments ...any) {
	fmt.Fprintln(os.Stderr, plain(fmt.Sprintf(format, arguments...)))
}

// printLine prints a line of the result.
func printLine(text string) error { return printRaw(append([]byte(plain(text)), '\n')) }

var errClosed = errors.New("nobody reads standard output")

func printRaw(text []byte) error {
	_, err := os.Stdout.Write(text)
	if errors.Is(err, syscall.EPIPE) {
		return errClosed
	}
	if err != nil {
		return fail(file, "FileError", "standard output: %s", strerror(err))
	}
	return nil
}

// field is one of a JSON object, whose order stays.
type field struct {
	name  string
	value any
}

type object []field

// printJSON prints a result as Python's json.dumps does: on a line, in ASCII.
func printJSON(result object) error {
	var out bytes.Buffer
	writeJSON(&out, result)
	return printRaw(append(out.Bytes(), '\n'))
}

func writeJSON(out *bytes.Buffer, value any) {
	switch value := value.(type) {
	case object:
		out.WriteByte('{')
		for i, one := range value {
			if i > 0 {
				out.WriteString(", ")
			}
			writeJSON(out, one.name)
			out.WriteString(": ")
			writeJSON(out, one.value)
		}
		out.WriteByte('}')
	case []object:
		writeList(out, value)
	case []string:
		writeList(out, value)
	case string:
		writeText(out, value)
	case nil:
		out.WriteString("null")
	default:
		text, _ := json.Marshal(value) // a number or a boolean
		out.Write(text)
	}
}

func writeList[T any](out *bytes.Buffer, list []T) {
	out.WriteByte('[')
	for i, one := range list {
		if i > 0 {
			out.WriteString(", ")
		}
		writeJSON(out, one)
	}
	out.WriteByte(']')
}

func writeText(out *bytes.Buffer, text string) {
	out.WriteByte('"')
	for len(text) > 0 {
		r, size := decode(text)
		switch escape := strings.IndexRune("\"\\\n\r\t\b\f", r); {
		case r < 0: // as Python has bytes that are no text
			fmt.Fprintf(out, `\udc%02x`, text[0])
		case escape >= 0:
			out.WriteString(`\` + `"\nrtbf`[escape:escape+1])
		case r >= ' ' && r < 0x7f || r == 0x7f:
			out.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(out, `\u%04x`, r)
		}
		text = text[size:]
	}
	out.WriteByte('"')
}

// decode returns the first character of a text, and its size. A half of a surrogate pair counts as one, as JSON has it; -1: the
// byte is no part of any.
func decode(text string) (rune, int) {
	if len(text) >= 3 && text[0] == 0xed && text[1]&0xe0 == 0xa0 && text[2]&0xc0 == 0x80 {
		return 0xd000 | rune(text[1]&0x3f)<<6 | rune(text[2]&0x3f), 3
	}
	r, size := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && size == 1 {
		r = -1
	}
	return r, size
}

// plain escapes what is not printable: a name or a path must not speak to a terminal or a reader.
func plain(text string) string {
	var made strings.Builder
	for len(text) > 0 {
		r, size := decode(text)
		if r < 0 {
			fmt.Fprintf(&made, `\x%02x`, text[0])
		} else {
			made.WriteString(escaped(r))
		}
		text = text[size:]
	}
	return made.String()
}

func escaped(r rune) string {
	switch {
	case unicode.IsPrint(r):
		return string(r)
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x100:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// quoted writes a name as Python's repr does.
func quoted(name string) string {
	quote := "'"
	if strings.Contains(name, "'") && !strings.Contains(name, `"`) {
		quote = `"`
	}
	name = strings.ReplaceAll(name, `\`, `\\`)
	return quote + plain(strings.ReplaceAll(name, quote, `\`+quote)) + quote
}

func quotedAll(names []string) string {
	made := make([]string, len(names))
	for i, name := range names {
		made[i] = quoted(name)
	}
	return strings.Join(made, ", ")
}

// counted writes how many there are of something, such as 1 row and 1,000 rows.
func counted(number int, what string) string {
	if number == 1 {
		return "1 " + what
	}
	return grouped(number) + " " + what + "s"
}

func grouped(number int) string {
	text := strconv.Itoa(number)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// countedNames lists names for a message, and says how many there are.
func countedNames(names []string) string {
	const most = 40
	shown, more := names, ""
	if len(names) > most {
		shown, more = names[:most], ", ..."
	}
	return fmt.Sprintf("%s%s (%s)", quotedAll(shown), more, counted(len(names), "column"))
}
