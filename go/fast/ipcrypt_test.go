// SPDX-License-Identifier: Apache-2.0

package fast_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/fast"
)

// Addresses have the tokens of draft-denis-ipcrypt.
func TestIPcrypt(t *testing.T) {
	var rows []struct{ Mode, Key, Value, Tweak, Token string }
	text, err := os.ReadFile("../../vectors/ipcrypt.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &rows); err != nil || len(rows) == 0 {
		t.Fatalf("%d vectors: %v", len(rows), err)
	}
	for _, row := range rows {
		key, _ := hex.DecodeString(row.Key)
		tweak, _ := hex.DecodeString(row.Tweak)
		tokens, err := fast.NewTokenizer(fast.IPcrypt(fast.Set("mode", row.Mode)), key, "x")
		if err != nil {
			t.Fatal(err)
		}
		protect := func(value string) (string, error) { return tokens.Protect(value) }
		if row.Tweak != "" {
			protect = func(value string) (string, error) { return tokens.ProtectTweaked(value, string(tweak)) }
		}
		if token, err := protect(row.Value); err != nil || token != row.Token {
			t.Errorf("%s of %s: %s %v", row.Mode, row.Value, token, err)
		}
		if value, err := tokens.Reveal(row.Token); err != nil || value != row.Value {
			t.Errorf("%s, back to %s: %s %v", row.Mode, row.Value, value, err)
		}
		if other, err := tokens.Protect(row.Value); err != nil || (other == row.Token) == (row.Tweak != "") {
			t.Errorf("%s of %s, without a tweak: %s %v", row.Mode, row.Value, other, err)
		}
	}
	_, err = fast.NewTokenizer(fast.IPcrypt(fast.Set("mode", "pfx")), make([]byte, 16), "x")
	if err == nil || !strings.Contains(err.Error(), "needs a key of 32 bytes") {
		t.Errorf("a short key: %v", err)
	}
}
