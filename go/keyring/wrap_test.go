// SPDX-License-Identifier: Apache-2.0

package keyring_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/keyring"
)

// TestOlderCopy puts an older copy of a ring back, to which another editor adds as many keys as it lacks.
func TestOlderCopy(t *testing.T) {
	folder := t.TempDir()
	ring, root := filepath.Join(folder, "ring"), environment(t)
	if err := keyring.Create(t.Context(), ring, root); err != nil {
		t.Fatal(err)
	}
	edit := func() *keyring.Editor {
		editor, err := keyring.Edit(t.Context(), ring, root)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(editor.Close)
		return editor
	}
	add := func(editor *keyring.Editor, name, want string) {
		t.Helper()
		if got, err := editor.Add(name, 32); err != nil || got != want {
			t.Fatalf("%s: %v", got, err)
		}
	}
	first := edit()
	add(first, "people", "people:1")
	old, err := os.ReadFile(ring)
	if err != nil {
		t.Fatal(err)
	}
	add(first, "people", "people:2")
	read := edit() // knows what it read alone
	if err := first.SetRights("people:1", keyring.MayReveal); err != nil {
		t.Fatal(err)
	}
	add(read, "other", "other:1")
	add(first, "people", "people:3")
	if err := os.WriteFile(ring, old, 0o600); err != nil {
		t.Fatal(err)
	}
	second := edit()
	for _, want := range []string{"more:1", "more:2", "more:3", "more:4", "more:5", "more:6"} {
		add(second, "more", want)
	}
	for _, editor := range []*keyring.Editor{first, read} {
		if got, err := editor.Add("people", 32); !errors.Is(err, keyring.ErrKeyring) || !strings.Contains(err.Error(), "an older copy has replaced it") {
			t.Errorf("%s: %v", got, err)
		}
	}
	add(second, "people", "people:2")
}

// TestWrap replaces a root key twice: the data keys stay, and nothing else opens the ring any more.
func TestWrap(t *testing.T) {
	folder := t.TempDir()
	ring, anchor := filepath.Join(folder, "ring"), filepath.Join(folder, "anchor")
	var roots []keyring.Root
	for _, name := range []string{"one", "two"} {
		path := filepath.Join(folder, name)
		if err := keyring.GenerateRoot(path); err != nil {
			t.Fatal(err)
		}
		root, err := keyring.ParseRoot("file:" + path)
		if err != nil {
			t.Fatal(err)
		}
		roots = append(roots, root)
	}
	if err := keyring.Create(context.Background(), ring, roots[0]); err != nil {
		t.Fatal(err)
	}
	editor, err := keyring.Edit(context.Background(), ring, roots[0])
	if err != nil {
		t.Fatal(err)
	}
	defer editor.Close()
	if _, err := editor.Add("people", 32); err != nil {
		t.Fatal(err)
	}
	key := func(root keyring.Root) []byte {
		opened, err := keyring.Open(ring, root)
		if err != nil {
			t.Fatal(err)
		}
		defer opened.Close()
		if err := opened.MakeAnchor(anchor, true); err != nil {
			t.Fatal(err)
		}
		if err := opened.MakeAnchor(anchor, false); !errors.Is(err, keyring.ErrKeyring) {
			t.Fatalf("an anchor is replaced: %v", err)
		}
		found, err := opened.Key("people:1")
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	before := key(roots[0])
	old, err := os.ReadFile(ring)
	if err != nil {
		t.Fatal(err)
	}
	if err := editor.Wrap(context.Background()); !errors.Is(err, keyring.ErrRootKey) {
		t.Fatalf("no roots: %v", err)
	}
	if err := editor.Wrap(context.Background(), roots[1], roots[0]); !errors.Is(err, keyring.ErrRootKey) {
		t.Fatalf("two root keys: %v", err)
	}
	if _, err := keyring.Limited(roots[1], keyring.MayProtect); !errors.Is(err, keyring.ErrRootKey) {
		t.Fatalf("a root key is limited: %v", err)
	}
	if now, err := os.ReadFile(ring); err != nil || !bytes.Equal(now, old) {
		t.Fatal("a refused change changed the ring")
	}
	editor.FollowAnchor(anchor)
	if err := editor.Wrap(context.Background(), roots[1]); err != nil {
		t.Fatal(err)
	}
	if _, err := keyring.Open(ring, roots[0]); !errors.Is(err, keyring.ErrKeyring) && !errors.Is(err, keyring.ErrRootKey) {
		t.Fatalf("the old root key still opens the ring: %v", err)
	}
	for _, name := range []string{"People", "a:1", ""} {
		if _, err := editor.Add(name, 16); !errors.Is(err, keyring.ErrReference) || !strings.Contains(err.Error(), "a key's name is") {
			t.Fatalf("%q: %v", name, err)
		}
	}
	if _, err := editor.Add("people", 17); err == nil || !strings.Contains(err.Error(), "16, 24 or 32 bytes") {
		t.Fatalf("a key of 17 bytes: %v", err)
	}
	if _, err := editor.Add("people", 16); err != nil { // under the new root key
		t.Fatal(err)
	}
	if !bytes.Equal(before, key(roots[1])) {
		t.Fatal("the data key is another one")
	}
	if err := os.WriteFile(ring, old, 0o600); err != nil {
		t.Fatal(err)
	}
	opened, err := keyring.Open(ring, roots[0])
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if err := opened.FollowAnchor(anchor); err == nil || !strings.Contains(err.Error(), "is an older copy") {
		t.Fatalf("an older copy is taken: %v", err)
	}
	if err := opened.FollowAnchor(anchor + "s"); err == nil || !strings.Contains(err.Error(), "no such anchor") {
		t.Fatalf("a missing anchor: %v", err)
	}
}
