// SPDX-License-Identifier: Apache-2.0

package pkcs11_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tallystick/tallystick/go/internal/homes"
	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/roots/pkcs11"
)

func TestHome(t *testing.T) { homes.Test(t, "pkcs11", pkcs11.New, true) }

func TestNames(t *testing.T) {
	homes.Refuse(t, pkcs11.New, "", "token=a", "object=a;token=b", "token=a b;object=c", "token=;object=c", "token=a;object=b?pin-value=1", "token=%zz;object=b")
}

// A library that never answers ends no call, and holds up none for ever.
func TestHangingLibrary(t *testing.T) {
	library := filepath.Join(t.TempDir(), "hangs.so")
	source := filepath.Join(vectors.Root(), "python", "tests", "keyring", "hanging_token.c")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", library, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv("TALLYSTICK_PKCS11_MODULE", library)
	t.Setenv("TALLYSTICK_PKCS11_PIN", "1234")
	os.Unsetenv("TALLYSTICK_PKCS11_PIN_FILE")
	made, err := pkcs11.New("token=a;object=b")
	if err != nil {
		t.Fatal(err)
	}
	pkcs11.Wait = 200 * time.Millisecond
	for range 2 { // the second waits for the first one's login
		_, err := made.Unwrap(context.Background(), make([]byte, 60), nil)
		if !errors.Is(err, keyring.ErrRootKey) || !strings.Contains(err.Error(), "has not answered for 200ms") {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := made.Wrap(ctx, make([]byte, 32), nil); !errors.Is(err, keyring.ErrRootKey) {
		t.Error(err)
	}
}
