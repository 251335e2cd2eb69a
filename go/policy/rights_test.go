// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/policy"
)

// TestRights opens a ring whose people:1 may only protect, and people:2 only reveal.
func TestRights(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(vectors.Root(), "vectors", "keyrings.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Source, Text string
		RootKey      string `json:"root_key"`
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		signed := c.Source == "format 2: rights and signers"
		if c.Source != "format 2: rights" && !signed {
			continue
		}
		file := filepath.Join(t.TempDir(), "ring")
		if err := os.WriteFile(file, []byte(c.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		root, _ := hex.DecodeString(c.RootKey)
		ring, err := keyring.OpenWithKey(file, root)
		if err != nil {
			t.Fatal(err)
		}
		defer ring.Close()
		rules := &policy.Policy{Unlisted: policy.UnlistedKeep, Rules: []policy.Rule{
			{Column: "in", Format: fast.Digits(), Key: "people:1", Namespace: "in", OnInvalid: "error"},
			{Column: "out", Format: fast.Digits(), Key: "people:2", Namespace: "out", OnInvalid: "error"},
		}}
		heard := 0
		protector, err := rules.Open(ring, policy.OnReveal(func(context.Context, policy.Reveal) error { heard++; return nil }))
		if signed {
			if !errors.Is(err, policy.ErrPolicy) {
				t.Error(err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		defer protector.Close()
		values := []policy.Value{{Text: "12345678"}}
		tokens, err := protector.Protect("in", values, nil)
		if err != nil {
			t.Fatal(err)
		}
		if protector.Rights("in") != keyring.MayProtect || protector.Rights("out") != keyring.MayReveal || protector.Rights("none") != 0 {
			t.Error("rights of a column")
		}
		texts := policy.Texts{Column: fast.ColumnOf([]string{"12345678"})}
		for way, reveal := range map[string]func() error{
			"values": func() error { _, err := protector.Reveal("in", tokens, nil); return err },
			"texts":  func() error { _, err := protector.RevealTexts(t.Context(), "in", texts, nil); return err },
			"records": func() error {
				return protector.RevealRecords(t.Context(), []policy.Record{{"in": []byte(`"12345678"`), "out": []byte(`"12345678"`)}})
			},
		} {
			if err := reveal(); !errors.Is(err, fast.ErrProtectOnly) || heard != 0 {
				t.Errorf("%s: %v, and the hook heard of %d", way, err, heard)
			}
		}
		if _, err := protector.Reveal("out", values, nil); err != nil {
			t.Error(err)
		}
		if _, err := protector.Protect("out", values, nil); !errors.Is(err, fast.ErrRevealOnly) {
			t.Error(err)
		}
		if err := protector.ProtectRecords(t.Context(), []policy.Record{{"in": []byte(`"12345678"`), "out": []byte(`"12345678"`)}}); !errors.Is(err, fast.ErrRevealOnly) {
			t.Error(err)
		}
	}
	t.Fatal("there is no such case")
}
