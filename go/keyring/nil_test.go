// SPDX-License-Identifier: Apache-2.0

package keyring_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tallystick/tallystick/go/keyring"
)

// No source of a root key, and a closed editor, are errors that say so.
func TestNoRoot(t *testing.T) {
	ctx, folder := context.Background(), t.TempDir()
	path, file := filepath.Join(folder, "people.keys"), filepath.Join(folder, "root.key")
	if err := keyring.GenerateRoot(file); err != nil {
		t.Fatal(err)
	}
	root, err := keyring.ParseRoot("file:" + file)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(err error) {
		t.Helper()
		if !errors.Is(err, keyring.ErrRootKey) || !strings.Contains(err.Error(), "no source is given") {
			t.Error(err)
		}
	}
	for _, none := range []keyring.Root{nil, keyring.Wrapped(nil)} {
		refused(keyring.Create(ctx, path, none))
		refused(keyring.Create(ctx, path, root, none))
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Error(left, err)
	}
	if err := keyring.Create(ctx, path, root); err != nil {
		t.Fatal(err)
	}
	editor, err := keyring.Edit(ctx, path, root)
	if err != nil {
		t.Fatal(err)
	}
	for _, none := range []keyring.Root{nil, keyring.Wrapped(nil)} {
		_, err = keyring.Open(path, none)
		refused(err)
		_, err = keyring.Edit(ctx, path, none)
		refused(err)
		_, err = keyring.Limited(none, keyring.MayReveal)
		refused(err)
		refused(editor.Wrap(ctx, none))
	}
	editor.Close()
	editor.Close()
	for _, change := range []func() error{
		func() error { _, err := editor.Add("people", 32); return err },
		func() error { return editor.SetSigners(nil) },
		func() error { return editor.Wrap(ctx, root) },
	} {
		if err := change(); !errors.Is(err, keyring.ErrKeyring) || !strings.Contains(err.Error(), "the editor is closed") {
			t.Error(err)
		}
	}
}
