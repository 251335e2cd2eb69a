// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/policy"
)

// TestVectors reads the policies that every language reads.
func TestVectors(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(vectors.Root(), "vectors", "policies.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		TOML, Result, Place, Message, Unlisted string
		Columns, Names, Keys, Namespaces       []string
		Tweaks, Keep                           []string
		OnInvalid                              []string `json:"on_invalid"`
		MixedFormats                           []string `json:"mixed_formats"`
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) < 500 {
		t.Fatal(err)
	}
	all := strings.Join(fast.FormatNames(), ", ")
	for _, c := range cases {
		p, err := policy.Parse(c.TOML, "SOURCE")
		// Go's TOML has no larger numbers, and a Rule no tweak without a name.
		if err != nil && (strings.Contains(err.Error(), "out of range for int64") || slices.Contains(c.Tweaks, "=")) {
			continue
		}
		if c.Result == "refused" {
			message := strings.ReplaceAll(c.Message, "{formats}", all)
			place := ": SOURCE: "
			if c.Place != "" {
				place += c.Place
			}
			if !errors.Is(err, policy.ErrPolicy) || !strings.HasSuffix(err.Error(), ": "+message) ||
				!strings.Contains(err.Error(), place) {
				t.Errorf("%s\ngives %v, not %s: %s", c.TOML, err, c.Place, message)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s\ngives %v", c.TOML, err)
			continue
		}
		var columns, names, keys, namespaces, tweaks, onInvalid []string
		for _, rule := range p.Rules {
			columns, names = append(columns, rule.Column), append(names, rule.Format.String())
			keys, namespaces = append(keys, rule.Key), append(namespaces, rule.Namespace)
			tweak := "-"
			if rule.Tweak != "" {
				tweak = "=" + rule.Tweak
			}
			tweaks, onInvalid = append(tweaks, tweak), append(onInvalid, string(rule.OnInvalid))
		}
		for _, pair := range [][2][]string{
			{columns, c.Columns}, {names, c.Names}, {keys, c.Keys}, {namespaces, c.Namespaces},
			{tweaks, c.Tweaks}, {onInvalid, c.OnInvalid}, {p.Keep, c.Keep}, {p.MixedFormats, c.MixedFormats},
			{{string(p.Unlisted)}, {c.Unlisted}},
		} {
			if !slices.Equal(pair[0], pair[1]) {
				t.Errorf("%s\nhas %q, not %q", c.TOML, pair[0], pair[1])
			}
		}
	}
}
