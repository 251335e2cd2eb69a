// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/policy"
	"github.com/tallystick/tallystick/go/shamir"
)

// given has values for each column of every.toml; NULL stands for null.
var given = map[string][]string{
	"digits":             {"5304218", "53-042 18", "NULL", "000", "12345678901234567890123456789012345678901234567890"},
	"digits_options":     {"12/345_6 789", "123<4>5&67\"8\\9", "9999999"},
	"digits_apart":       {"1234567", "9934567"},
	"tiny":               {"12", "123"},
	"hex":                {"deadbeef", "00"},
	"hex_upper":          {"DEADBEEF"},
	"letters":            {"Anne O'Neill", "abc", "XYZ"},
	"letters_lower":      {"anne o'neill"},
	"letters_upper":      {"ANNE O'NEILL"},
	"letters_mixed":      {"Anne O'Neill"},
	"alphanumeric":       {"Unit 9B", "abc"},
	"alphanumeric_lower": {"unit 9b"},
	"alphanumeric_upper": {"UNIT9B"},
	"base64url":          {"dGFsbHk_c3RpY2s=", "AAAA"},
	"ascii":              {"Hello, world!", "\"'\\<>&"},
	"alphabet":           {"GATTACA", "<>&\"\\'"},
	"card":               {"4111 1111 1111 1111", "378282246310005"},
	"card_kept":          {"4111 1111 1111 1111", "378282246310005"},
	"card_none":          {"1234567890123"},
	"ssn":                {"078-05-1120", "078051120"},
	"phone":              {"+1 (202) 555-0143", "030/901820", "none", "NULL"},
	"email":              {"jane.doe+news@example.org", "abc@x"},
	"email_all":          {"Jane.Doe@Example.org", "nobody", "ab@c"},
	"uuid":               {"f81d4fae-7dec-41d0-a765-00a0c91e6bf6"},
	"uuid_upper":         {"F81D4FAE-7DEC-41D0-A765-00A0C91E6BF6"},
	"date":               {"2000-02-29", "1900-01-01", "2099-12-31", "NULL"},
	"date_options":       {"29.02.2000", "01.01.0001", "31.12.9999"},
	"integer":            {"-1000", "0", "100000", "-7"},
	"integer_tiny":       {"0", "1", "2", "3", "4", "5"},
	"a b.c":              {"1234567", "1234567", "NULL"},
	"date_row":           {"2000-02-29", "2000-02-29"},
	"integer_row":        {"7", "7", "999"},
}

var rows = []string{"first row", "Zeile 2 – ü", ""}

func python(t *testing.T) string {
	t.Helper()
	program := filepath.Join(vectors.Root(), ".venv", "bin", "python")
	if _, err := os.Stat(program); err != nil {
		t.Skip("there is no .venv with the Python package: run make setup")
	}
	return program
}

// TestEverythingIsAsInPython runs both on one policy and key ring, and each on the shares of the other.
func TestEverythingIsAsInPython(t *testing.T) {
	program := python(t)
	folder := t.TempDir()
	shared := bytes.Repeat([]byte("dispersed "), 20_000)
	share(t, folder, shared)
	columns := map[string][]any{}
	for name, values := range given {
		for _, value := range values {
			var one any = value
			if value == "NULL" {
				one = nil
			}
			columns[name] = append(columns[name], one)
		}
	}
	input, err := json.Marshal(map[string]any{"columns": columns, "row": rows, "disperse": hex.EncodeToString(shared)})
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "testdata/tokens.py", "testdata/every.toml", ringPath(), "env:TEST_ROOT_KEY", folder)
	command.Env = append(os.Environ(), "TEST_ROOT_KEY="+rootText)
	command.Stdin, command.Stderr = bytes.NewReader(input), os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var theirs struct {
		Columns map[string][]*string
		Words   vectors.Hex
		Secret  vectors.Hex
	}
	if err := json.Unmarshal(output, &theirs); err != nil {
		t.Fatal(err)
	}
	compareTokens(t, theirs.Columns)
	compareWords(t, theirs.Words)
	if string(theirs.Secret) != "made by Go" {
		t.Error("Python recovers another secret from Go's shares")
	}
	recovered, err := os.ReadFile(filepath.Join(folder, "recovered"))
	if err != nil || !bytes.Equal(recovered, shared) {
		t.Errorf("Python recovers other data from Go's shares: %v", err)
	}
	found, err := shamir.CombineAuthentic(files(t, folder, "py-secret-*")[2:])
	if err != nil || string(found.Secret) != "made by Python" || found.Share.Label != "py" {
		t.Errorf("Go recovers another secret from Python's shares: %v", err)
	}
	var back bytes.Buffer
	var readers []io.Reader
	for _, data := range files(t, folder, "py-file-*")[2:] {
		readers = append(readers, bytes.NewReader(data))
	}
	if _, err := shamir.Recover(&back, readers); err != nil || !bytes.Equal(back.Bytes(), shared) {
		t.Errorf("Go recovers other data from Python's shares: %v", err)
	}
}

func compareTokens(t *testing.T, theirs map[string][]*string) {
	p, err := policy.Load("testdata/every.toml")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Rules) != len(given) || len(theirs) != len(given) {
		t.Fatalf("%d rules, %d columns here and %d there", len(p.Rules), len(given), len(theirs))
	}
	made := protector(t, p)
	for _, rule := range p.Rules {
		values := texts(given[rule.Column]...)
		var tweaks []policy.Value
		if rule.Tweak != "" {
			tweaks = texts(rows[:len(values)]...)
		}
		tokens, err := made.Protect(rule.Column, values, tweaks)
		if err != nil {
			t.Errorf("%s: %v", rule.Column, err)
			continue
		}
		changed := false
		for row, token := range tokens {
			their := theirs[rule.Column][row]
			if (their == nil) != token.Null || their != nil && *their != token.Text {
				t.Errorf("%s, row %d: another token than Python's", rule.Column, row)
			}
			changed = changed || token != values[row]
		}
		if !changed {
			t.Errorf("%s: nothing is protected", rule.Column)
		}
		back, err := made.Reveal(rule.Column, tokens, tweaks)
		if err != nil || rule.OnInvalid == policy.OnInvalidError && fmt.Sprint(back) != fmt.Sprint(values) {
			t.Errorf("%s: values do not come back: %v", rule.Column, err)
		}
	}
}

func compareWords(t *testing.T, theirs []byte) {
	key := make([]byte, 32)
	for i := range key {
		key[i] = byte(i)
	}
	c, err := fast.New(key, 62)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	words := make([]byte, 200*17)
	for i := range words {
		words[i] = byte(i % 62)
	}
	if err := c.EncryptWords(words, words, 17, []byte("tweak")); err != nil || !bytes.Equal(words, theirs) {
		t.Errorf("other words than Python's: %v", err)
	}
}

// share writes authentic shares of a secret, and of data, for Python.
func share(t *testing.T, folder string, data []byte) {
	t.Helper()
	secrets, err := shamir.SplitAuthentic([]byte("made by Go"), 3, 2, "go – ü")
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range secrets[1:] {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("go-secret-%d", i)), one, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var writers []io.Writer
	for i := range 3 {
		file, err := os.Create(filepath.Join(folder, fmt.Sprintf("go-file-%d", i)))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		writers = append(writers, file)
	}
	if _, err := shamir.Disperse(bytes.NewReader(data), writers, 2, "go"); err != nil {
		t.Fatal(err)
	}
}

func files(t *testing.T, folder, pattern string) (list [][]byte) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, data)
	}
	return list
}

// TestMessagesAreAsInPython has each column's invalid values explained by both.
func TestMessagesAreAsInPython(t *testing.T) {
	program := python(t)
	loaded, err := policy.Load("testdata/every.toml")
	if err != nil {
		t.Fatal(err)
	}
	columns := map[string][]string{}
	for name, values := range given {
		columns[name] = []string{"", "é", "x 1\t", "☃12345678", "1234567٣", strings.Repeat("1", 1100)}
		for _, value := range values {
			half := len(value) / 2
			for _, strange := range []string{"\t", "ж", "٣", "\u2003", "☃", "@", "-", "+", "7", "x", "X"} {
				columns[name] = append(columns[name], value[:half]+strange+value[half:], strange+value, value+strange)
			}
		}
	}
	input, err := json.Marshal(columns)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "testdata/faults.py", "testdata/every.toml")
	command.Stdin, command.Stderr = bytes.NewReader(input), os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var said map[string][]*string
	if err := json.Unmarshal(output, &said); err != nil {
		t.Fatal(err)
	}
	placed := 0
	for _, rule := range loaded.Rules {
		tokens, err := fast.NewTokenizer(rule.Format, make([]byte, 32), rule.Namespace)
		if err != nil {
			t.Fatal(err)
		}
		for i, value := range columns[rule.Column] {
			var invalid *fast.InvalidValueError
			_, err := tokens.Protect(value)
			theirs := said[rule.Column][i]
			switch {
			case errors.As(err, &invalid) != (theirs != nil):
				t.Errorf("%s %q: %v, and Python: %v", rule.Column, value, err, theirs)
			case theirs == nil:
			case invalid.Why() != *theirs:
				t.Errorf("%s %q: %s, and Python: %s", rule.Column, value, invalid.Why(), *theirs)
			case invalid.Character > 0:
				placed++
			}
		}
		tokens.Close()
	}
	if placed < 500 {
		t.Errorf("%d messages alone have a place", placed)
	}
}
