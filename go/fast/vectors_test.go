// SPDX-License-Identifier: Apache-2.0

package fast_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/internal/vectors"
)

// formatOf makes the format of a description.
func formatOf(description json.RawMessage) (*fast.Format, error) {
	format := new(fast.Format)
	return format, json.Unmarshal(description, format)
}

// A vector's text is given as it is, in hexadecimal, or as a text that is repeated.
type vectorText struct {
	Value, Hex, Repeat *string
	Times              int
}

// A vector's tweak may stand alone.
type vectorTweak struct{ vectorText }

func (v *vectorTweak) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &v.Value) == nil {
		return nil
	}
	v.Value = nil
	return json.Unmarshal(text, &v.vectorText)
}

func (v vectorText) text(t *testing.T) string {
	t.Helper()
	switch {
	case v.Value != nil:
		return *v.Value
	case v.Repeat != nil:
		return strings.Repeat(*v.Repeat, v.Times)
	}
	text, err := hex.DecodeString(*v.Hex)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A vector's token is given as it is, in hexadecimal, or by its SHA-256.
func isToken(got string, plain, inHex, digest *string) bool {
	switch {
	case plain != nil:
		return got == *plain
	case inHex != nil:
		return hex.EncodeToString([]byte(got)) == *inHex
	case digest != nil:
		sum := sha256.Sum256([]byte(got))
		return hex.EncodeToString(sum[:]) == *digest
	}
	return false
}

// Go has no domain of one value, no types of columns, no null tweaks, and of numbers int64 alone.
type formatVector struct {
	Format    json.RawMessage
	Identity  string
	OneWay    bool `json:"one_way"`
	Keyed     bool
	Smallest  *string `json:"smallest_domain"`
	Formula   bool    `json:"may_be_formula"`
	Examples  []string
	Key       vectors.Hex
	Namespace string
	Tweak     *vectorTweak
	Values    []struct {
		vectorText
		Token, Tweaked *string
		TokenHex       *string `json:"token_hex"`
		TokenSHA256    *string `json:"token_sha256"`
		TokenReason    *int    `json:"token_reason"`
		TweakedHex     *string `json:"tweaked_hex"`
		TweakedSHA256  *string `json:"tweaked_sha256"`
		TweakedReason  *int    `json:"tweaked_reason"`
		Tweak          *vectorTweak
	}
	Revealed []struct{ Token, Value string } // of a cipher that makes no tokens
	Columns  []struct {
		Type    string
		Values  []struct{ Value, Token string }
		Invalid []struct {
			Value  string
			Reason int
		}
	}
	Invalid []struct {
		vectorText
		Reason, Position int
		Class, Direction string
		Tweak            *vectorTweak
		NullTweak        bool `json:"null_tweak"`
	}
}

var classes = map[string]string{
	"": "", "letter": "a letter", "digit": "a digit", "space": "a space", "control": "a control character",
	"other": "another character",
}

// Every vector of every format and option: identities, domains, tokens in both directions, and faults.
func TestFormatVectors(t *testing.T) {
	for _, file := range []string{"text", "presets", "numbers", "grouped", "layouts", "plans", "scripts", "names", "one_way",
		"coarser", "ciphers"} {
		for i, v := range vectors.Load[formatVector](t, "formats_"+file) {
			format, err := formatOf(v.Format)
			if err != nil {
				t.Fatalf("%s %d: %v", file, i, err)
			}
			wanted := uint64(0)
			if v.Smallest != nil {
				if wanted, err = strconv.ParseUint(*v.Smallest, 10, 64); err != nil {
					wanted = math.MaxUint64
				}
			}
			if format.OneWay() != v.OneWay || format.Keyed() != v.Keyed || format.SmallestDomain() != wanted {
				t.Errorf("%s %d, %s: other facts", file, i, v.Format)
			}
			if format.MayBeFormula() != v.Formula {
				t.Errorf("%s %d, %s: formulas", file, i, v.Format)
			}
			if format.Identity() != v.Identity || !slices.Equal(format.Examples(), v.Examples) {
				t.Errorf("%s %d, %s: identity %s, examples %q", file, i, v.Format, format.Identity(), format.Examples())
			}
			tokens, err := fast.NewTokenizer(format, v.Key, v.Namespace)
			if err != nil {
				t.Fatalf("%s %d: %v", file, i, err)
			}
			checkVector(t, file, i, &v, tokens)
			if strings.Contains(string(v.Format), `"integer"`) {
				checkIntegers(t, file, i, &v, tokens)
			}
			tokens.Close()
		}
	}
}

func ptrTo[T any](value T) *T { return &value }

func hasReason(err error, reason int) bool {
	var invalid *fast.InvalidValueError
	return errors.As(err, &invalid) && int(invalid.Reason) == reason
}

func checkVector(t *testing.T, file string, i int, v *formatVector, tokens *fast.Tokenizer) {
	t.Helper()
	for _, row := range v.Values {
		value := row.text(t)
		token, err := tokens.Protect(value)
		if row.TokenReason != nil {
			if !hasReason(err, *row.TokenReason) {
				t.Errorf("%s %d, %s: %.40q: %v, not reason %d", file, i, v.Format, value, err, *row.TokenReason)
			}
		} else if err != nil || !isToken(token, row.Token, row.TokenHex, row.TokenSHA256) {
			t.Errorf("%s %d, %s: another token of %.40q: %v", file, i, v.Format, value, err)
		} else if !v.OneWay {
			if back, err := tokens.Reveal(token); err != nil || back != value {
				t.Errorf("%s %d, %s: %.40q does not come back: %v", file, i, v.Format, value, err)
			}
		}
		tweak := v.Tweak
		if row.Tweak != nil {
			tweak = row.Tweak
		}
		if tweak == nil || row.TokenHex != nil { // which stands without a tweak alone
			continue
		}
		tweaked, err := tokens.ProtectTweaked(value, tweak.text(t))
		if row.TweakedReason != nil {
			if !hasReason(err, *row.TweakedReason) {
				t.Errorf("%s %d, %s: %.40q under a tweak: %v, not reason %d", file, i, v.Format, value, err, *row.TweakedReason)
			}
		} else if err != nil || !isToken(tweaked, row.Tweaked, row.TweakedHex, row.TweakedSHA256) {
			t.Errorf("%s %d, %s: another token of %.40q under a tweak: %v", file, i, v.Format, value, err)
		} else if !v.OneWay {
			if back, err := tokens.RevealTweaked(tweaked, tweak.text(t)); err != nil || back != value {
				t.Errorf("%s %d, %s: %.40q does not come back under a tweak: %v", file, i, v.Format, value, err)
			}
		}
	}
	for _, row := range v.Revealed {
		if value, err := tokens.Reveal(row.Token); err != nil || value != row.Value {
			t.Errorf("%s %d, %s: %q became %q: %v", file, i, v.Format, row.Token, value, err)
		}
	}
	for _, row := range v.Invalid {
		value := row.text(t)
		if row.NullTweak {
			_, reasons, _, err := tokens.CountedColumn(t.Context(), row.Direction == "reveal", fast.ColumnOf([]string{value}),
				ptrTo(fast.ColumnOf([]string{""})), []bool{true})
			if err != nil || int(reasons[0]) != row.Reason {
				t.Errorf("%s %d, %s: %.40q without its tweak: %v, not reason %d: %v", file, i, v.Format, value, reasons, row.Reason, err)
			}
			continue
		}
		do, tweaked := tokens.Protect, tokens.ProtectTweaked
		if row.Direction == "reveal" {
			do, tweaked = tokens.Reveal, tokens.RevealTweaked
		}
		if row.Tweak != nil {
			do = func(value string) (string, error) { return tweaked(value, row.Tweak.text(t)) }
		}
		var invalid *fast.InvalidValueError
		_, err := do(value)
		if !errors.As(err, &invalid) || int(invalid.Reason) != row.Reason || invalid.Character != row.Position ||
			invalid.Class != classes[row.Class] {
			t.Errorf("%s %d, %s: %.40q: %v, not reason %d at %d (%s)", file, i, v.Format, value, err, row.Reason, row.Position, row.Class)
		}
	}
}

func checkIntegers(t *testing.T, file string, i int, v *formatVector, tokens *fast.Tokenizer) {
	t.Helper()
	number := func(text string) int64 {
		out, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, column := range v.Columns {
		if column.Type != "l" {
			continue
		}
		for _, row := range column.Values {
			value := number(row.Value)
			token, err := tokens.ProtectInt64(value)
			if err != nil || token != number(row.Token) {
				t.Errorf("%s %d, %s: %d became %d: %v", file, i, v.Format, value, token, err)
			} else if back, err := tokens.RevealInt64(token); err != nil || back != value {
				t.Errorf("%s %d, %s: %d does not come back: %v", file, i, v.Format, value, err)
			}
		}
		for _, row := range column.Invalid {
			if _, err := tokens.ProtectInt64(number(row.Value)); !hasReason(err, row.Reason) {
				t.Errorf("%s %d, %s: %s: %v, not reason %d", file, i, v.Format, row.Value, err, row.Reason)
			}
		}
	}
}

// What is refused is refused with the same words, and the same place.
func TestTextsOfReasons(t *testing.T) {
	type vector struct {
		Reason fast.Reason
		Text   string
	}
	found := vectors.Load[vector](t, "formats_reasons")
	for _, want := range found {
		if want.Reason.String() != want.Text {
			t.Errorf("reason %d: %q, want %q", want.Reason, want.Reason, want.Text)
		}
	}
	if int(fast.NotNormal) != len(found) {
		t.Errorf("%d reasons, want %d", fast.NotNormal, len(found))
	}
}

func TestRefusedFormats(t *testing.T) {
	for i, v := range vectors.Load[struct {
		Format         json.RawMessage
		Place, Message string
	}](t, "formats_refused") {
		_, err := formatOf(v.Format)
		place := strings.TrimPrefix(strings.TrimPrefix(v.Place, "format"), ".")
		if place != "" {
			place += ": "
		}
		// What there is grows.
		message, _, _ := strings.Cut(v.Message, "; there are:")
		message, _, _ = strings.Cut(message, "a format: digits")
		message, _, _ = strings.Cut(message, "must be 'any'")
		if !errors.Is(err, fast.ErrFormat) || !strings.Contains(err.Error(), ": "+place+message) {
			t.Errorf("%d, %s: %v, not %s%s", i, v.Format, err, place, v.Message)
		}
	}
}

// The older vectors, of the files that docs/reference/tokens.md names.
func TestTokenVectors(t *testing.T) {
	type row struct {
		Value, Token string
		Tweak        *string
	}
	for _, file := range []string{"tokens", "tokens_ciphers", "tokens_email", "tokens_mixed", "tokens_ranges", "tokens_unicode", "tokens_coarser"} {
		for i, v := range vectors.Load[struct {
			Format    json.RawMessage
			Key       vectors.Hex
			Namespace string
			Tokens    []row
			row
		}](t, file) {
			description := v.Format
			if file == "tokens_unicode" {
				description = json.RawMessage(strings.Replace(string(v.Format), "{", `{"type": "unicode", `, 1))
			}
			format, err := formatOf(description)
			if err != nil {
				t.Fatalf("%s %d: %v", file, i, err)
			}
			tokens, err := fast.NewTokenizer(format, v.Key, v.Namespace)
			if err != nil {
				t.Fatalf("%s %d: %v", file, i, err)
			}
			rows := v.Tokens
			if v.Token != "" {
				rows = append(rows, v.row)
			}
			for _, one := range rows {
				protect, reveal := tokens.Protect, tokens.Reveal
				if one.Tweak != nil {
					protect = func(value string) (string, error) { return tokens.ProtectTweaked(value, *one.Tweak) }
					reveal = func(token string) (string, error) { return tokens.RevealTweaked(token, *one.Tweak) }
				}
				if token, err := protect(one.Value); token != one.Token || err != nil {
					t.Errorf("%s %d: %q became %q, %v, not %q", file, i, one.Value, token, err, one.Token)
				}
				if format.OneWay() {
					continue
				}
				if value, err := reveal(one.Token); value != one.Value || err != nil {
					t.Errorf("%s %d: %q became %q, %v, not %q", file, i, one.Token, value, err, one.Value)
				}
			}
			tokens.Close()
		}
	}
}
