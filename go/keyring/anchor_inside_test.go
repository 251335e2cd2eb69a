// SPDX-License-Identifier: Apache-2.0

//go:build unix

package keyring

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/internal/core"
)

// TestAnchorAfterChange changes a ring whose anchor is behind a link, and one whose anchor is gone once the ring is in place.
func TestAnchorAfterChange(t *testing.T) {
	folder := t.TempDir()
	file, disk, link := filepath.Join(folder, "ring"), filepath.Join(folder, "disk"), filepath.Join(folder, "link")
	anchor := filepath.Join(disk, "anchor")
	if err := errors.Join(GenerateRoot(filepath.Join(folder, "root")), os.Mkdir(disk, 0o700)); err != nil {
		t.Fatal(err)
	}
	root, err := ParseRoot("file:" + filepath.Join(folder, "root"))
	if err != nil {
		t.Fatal(err)
	}
	if err := Create(context.Background(), file, root); err != nil {
		t.Fatal(err)
	}
	ring, err := Open(file, root)
	if err != nil {
		t.Fatal(err)
	}
	defer ring.Close()
	if err := errors.Join(ring.MakeAnchor(anchor, false), os.Symlink(anchor, link), ring.MakeAnchor(link, true)); err != nil {
		t.Fatal(err)
	}
	// Links to nothing are written through.
	for name, make := range map[string]func(string) error{
		"new anchor": func(link string) error { return ring.MakeAnchor(link, false) },
		"new ring":   func(link string) error { return Create(context.Background(), link, root) },
	} {
		link := filepath.Join(folder, name)
		if err := errors.Join(os.Symlink("middle of "+name, link), os.Symlink("disk/../disk/"+name, filepath.Join(folder, "middle of "+name)), make(link)); err != nil {
			t.Fatal(err)
		}
		if status, err := os.Lstat(filepath.Join(disk, name)); err != nil || !status.Mode().IsRegular() {
			t.Errorf("%s is not behind its link: %v", name, err)
		}
		if err := make(link); err == nil {
			t.Errorf("%s is made twice", name)
		}
	}
	editor, err := Edit(context.Background(), file, root)
	if err != nil {
		t.Fatal(err)
	}
	defer editor.Close()
	before, _ := os.ReadFile(anchor)
	editor.FollowAnchor(link)
	if _, err := editor.Add("people", 16); err != nil {
		t.Fatal(err)
	}
	status, err := os.Lstat(link)
	if after, also := os.ReadFile(anchor); err != nil || also != nil || status.Mode()&os.ModeSymlink == 0 || string(after) == string(before) {
		t.Fatalf("the anchor behind the link is %s: %v", after, errors.Join(err, also))
	}
	err = editor.change(func(*core.Ring, *written, *subkeys) error { return os.Rename(disk, disk+"s") })
	if !errors.Is(err, ErrKeyring) || !strings.Contains(err.Error(), "the new key ring is in place, but the anchor was not updated") {
		t.Fatal(err)
	}
	if err := os.Rename(disk+"s", disk); err != nil {
		t.Fatal(err)
	}
	if made, err := editor.Add("people", 16); err != nil || made != "people:2" {
		t.Fatalf("%s: %v", made, err)
	}
}
