// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"strings"
	"testing"
)

func TestTooDeep(t *testing.T) {
	brackets, closed := strings.Repeat("[", 100), strings.Repeat("]", 100)
	for text, want := range map[string]bool{
		"a = " + brackets + closed: true,
		"a = " + brackets:          true,
		"a = " + strings.Repeat("{a=", 100) + strings.Repeat("}", 9): true,
		strings.Repeat("a.", 100) + "a = 1":                          true,
		"[" + strings.Repeat("a . ", 100) + "a]":                     true,
		"[" + strings.Repeat("'a'.", 100) + "a]":                     true,
		// What a string or a comment closes is not closed.
		"a = [" + strings.Repeat("[']',", 100):      true,
		"a = [" + strings.Repeat(`["\"]",`, 100):    true,
		"a = [" + strings.Repeat("[#]\n", 100):      true,
		"a = [" + strings.Repeat("['''\n]''',", 99): true,
		// And a string ends where the parser says.
		`a = 'x\'` + brackets:                  true,
		`a = ""` + brackets:                    true,
		`a = """x"""""` + brackets:             true,
		`a = '''x''''` + brackets:              true,
		`a = """"""` + brackets:                true,
		`a = ''''''` + brackets:                true,
		"a = 'x\n" + brackets:                  true,
		"":                                     false,
		"# " + brackets:                        false,
		"a = '" + brackets + "'":               false,
		`a = "` + brackets + `\"` + brackets:   false,
		"a = '''\n" + brackets + "''" + closed: false,
		`a = """` + brackets + `""` + closed:   false,
		strings.Repeat("a = [[1.5, 2.5], {b.c = 1}]\n", 100): false,
		strings.Repeat("[[a.b]]\n", 100):                     false,
		"'" + strings.Repeat("a.", 100) + "' = 1":            false,
		"a = [" + strings.Repeat("1.5,", 100) + "]":          false,
	} {
		if got := tooDeep(text); got != want {
			t.Errorf("%v for %.60s", got, text)
		}
	}
}

// Each of these would take minutes, or more stack than there is.
func TestDeepPolicies(t *testing.T) {
	for _, text := range []string{
		"a = " + strings.Repeat("[", 1_000_000), strings.Repeat("a.", 500_000) + "a = 1",
		"[" + strings.Repeat("a.", 500_000) + "a]", "a = " + strings.Repeat("{a=", 300_000),
	} {
		if _, err := Parse(text, "the file"); !errors.Is(err, ErrPolicy) || !strings.Contains(err.Error(), "the file: nested too deep") {
			t.Errorf("%.10s: %v", text, err)
		}
	}
	if _, err := Parse(strings.Repeat("#", maxFile+1), "the file"); !errors.Is(err, ErrPolicy) || !strings.Contains(err.Error(), "the file: too large") {
		t.Errorf("too large: %v", err)
	}
}
