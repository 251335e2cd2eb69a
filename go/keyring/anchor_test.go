// SPDX-License-Identifier: Apache-2.0

//go:build unix

package keyring_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/keyring"
)

// TestAnchor compares a ring with anchors that know other states of it.
func TestAnchor(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(vectors.Root(), "vectors", "keyrings.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text, Result, Ring string
		RootKey            string `json:"root_key"`
		Revision           uint32
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	folder, tried := t.TempDir(), 0
	for _, c := range cases {
		if c.Revision < 2 || c.Ring == "" {
			continue
		}
		file, anchor := filepath.Join(folder, "ring"), filepath.Join(folder, "anchor")
		root, _ := hex.DecodeString(c.RootKey)
		if err := os.WriteFile(file, []byte(c.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		ring, err := keyring.OpenWithKey(file, root)
		if err != nil {
			t.Fatal(err)
		}
		tried++
		var said struct{ MAC string }
		if err := json.Unmarshal([]byte(c.Text), &said); err != nil {
			t.Fatal(err)
		}
		form := "{\"anchor\":\"tallystick keyring 1\",\"ring\":\"%s\",\"revision\":%d,\"mac\":\"%s\"}\n"
		same, zeros := fmt.Sprintf(form, c.Ring, c.Revision, said.MAC), strings.Repeat("0", 64)
		for _, one := range []struct{ has, says string }{
			{same, ""},
			{fmt.Sprintf(form, c.Ring, c.Revision-1, zeros), ""},
			{fmt.Sprintf(form, c.Ring, c.Revision, zeros), "but other content"},
			{fmt.Sprintf(form, c.Ring, int64(c.Revision)+1, zeros), "is an older copy"},
			{fmt.Sprintf(form, zeros[:32], 1, zeros), "is another key ring"},
			{same + "\n", "not the anchor"}, {"", "not the anchor"}, {strings.Repeat("x", 5000), "can't use the anchor"},
		} {
			if err := os.WriteFile(anchor, []byte(one.has), 0o600); err != nil {
				t.Fatal(err)
			}
			err := ring.FollowAnchor(anchor)
			if one.says == "" && err != nil || one.says != "" && (!errors.Is(err, keyring.ErrKeyring) || !strings.Contains(err.Error(), one.says)) {
				t.Errorf("%s: %v", one.has, err)
			}
			want := one.has
			if one.says == "" {
				want = same
			}
			if now, err := os.ReadFile(anchor); err != nil || string(now) != want {
				t.Errorf("the anchor is %s", now)
			}
		}
		if err := errors.Join(os.Remove(anchor), ring.FollowAnchor(anchor)); !errors.Is(err, keyring.ErrKeyring) {
			t.Error(err)
		}
		ring.Close()
	}
	if tried == 0 {
		t.Error("no ring has a revision")
	}
}
