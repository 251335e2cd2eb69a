// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"
	"testing"
	"time"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/internal/vectors"
)

// ofTOML makes of a table in JSON what the same table is in a policy.
func ofTOML(t *testing.T, options map[string]any) map[string]any {
	for key, value := range options {
		switch value := value.(type) {
		case float64: // the only numbers of JSON
			options[key] = int64(value)
		case string:
			if key != "first" && key != "last" {
				break
			}
			day, err := time.ParseInLocation(time.DateOnly, value, time.FixedZone("date-local", 0))
			if err != nil {
				t.Fatal(err)
			}
			options[key] = day
		}
	}
	return options
}

func TestTokenVectors(t *testing.T) {
	var met []string
	for i, v := range vectors.Load[struct {
		Format    map[string]any
		Key       vectors.Hex
		Namespace string
		Tokens    []struct {
			Value, Token string
			Tweak        *string
		}
	}](t, "tokens") {
		met = append(met, v.Format["type"].(string))
		format, err := readFormat(table{"vector", nil, map[string]any{"format": ofTOML(t, v.Format)}})
		if err != nil {
			t.Fatalf("vector %d: %v", i, err)
		}
		tokenizer, err := fast.NewTokenizer(format, v.Key, v.Namespace)
		if err != nil {
			t.Fatalf("vector %d: %v", i, err)
		}
		for _, row := range v.Tokens {
			protect, reveal := tokenizer.Protect, tokenizer.Reveal
			if row.Tweak != nil {
				protect = func(value string) (string, error) { return tokenizer.ProtectTweaked(value, *row.Tweak) }
				reveal = func(token string) (string, error) { return tokenizer.RevealTweaked(token, *row.Tweak) }
			}
			if token, err := protect(row.Value); token != row.Token || err != nil {
				t.Errorf("vector %d: %q became %q, %v, not %q", i, row.Value, token, err, row.Token)
			}
			if value, err := reveal(row.Token); value != row.Value || err != nil {
				t.Errorf("vector %d: %q became %q, %v, not %q", i, row.Token, value, err, row.Value)
			}
		}
		tokenizer.Close()
	}
	for _, name := range names {
		if !slices.Contains(met, name) {
			t.Errorf("no vector is of format %q", name)
		}
	}
}
