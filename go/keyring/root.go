// SPDX-License-Identifier: Apache-2.0

package keyring

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/tallystick/tallystick/go/internal/private"
)

// Root is where a root key comes from. It reads nothing until a ring is opened.
type Root interface {
	// String returns the text that ParseRoot reads.
	String() string
	recover(ctx context.Context, path string, said *document) ([]byte, Rights, error)
	// establish returns the root key of a new ring, and the record that leads to it again. key is nil, or what another
	// source of the ring gave.
	establish(ctx context.Context, ringID string, key []byte) ([]byte, any, error)
}

// given returns ErrRootKey for no source.
func given(root Root) error {
	if wraps, ok := root.(wrappedRoot); root == nil || ok && wraps.Wrapper == nil {
		return fmt.Errorf("%w: no source is given; make one with ParseRoot, or with Wrapped of a wrapper", ErrRootKey)
	}
	return nil
}

// kept is what the sources share that have the 32 bytes themselves.
func kept(path string, said *document, source Root, fetch func() ([]byte, error)) ([]byte, Rights, error) {
	if !slices.ContainsFunc(said.Roots, func(r record) bool { return r.Kind == "key" }) {
		return nil, 0, said.refuse(path, source)
	}
	key, err := fetch()
	return key, AllRights, err
}

var (
	keyText     = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)
	environment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// ParseRoot reads a source from its text: file:PATH, a file of 64 hexadecimal digits that is ours and gives
// nobody else any right, or env:NAME, an environment variable of as many. It returns ErrRootKey for any
// other, and does not repeat the text, in case a key was pasted.
func ParseRoot(text string) (Root, error) {
	scheme, rest, _ := strings.Cut(text, ":")
	switch {
	case private.IsKey(rest):
	case scheme == "file" && rest != "" && !strings.Contains(rest, "\x00"):
		return fileRoot(rest), nil
	case scheme == "env" && environment.MatchString(rest):
		return environmentRoot(rest), nil
	}
	return nil, fmt.Errorf("%w: a source has the form file:PATH or env:NAME (the name of an environment "+
		"variable); never write the key itself", ErrRootKey)
}

// plainRecord is the record of a root key that is kept elsewhere.
var plainRecord any = struct {
	Kind string `json:"kind"`
}{"key"}

// establishKept is establish of a source that has the 32 bytes itself.
func establishKept(key []byte, source Root, fetch func() ([]byte, error)) ([]byte, any, error) {
	if key != nil {
		return nil, nil, fmt.Errorf("%w: %v can't wrap a root key; give a wrapping key", ErrRootKey, source)
	}
	key, err := fetch()
	return key, plainRecord, err
}

type fileRoot string

func (r fileRoot) String() string { return "file:" + string(r) }

func (r fileRoot) recover(_ context.Context, path string, said *document) ([]byte, Rights, error) {
	return kept(path, said, r, r.fetch)
}

func (r fileRoot) establish(_ context.Context, _ string, key []byte) ([]byte, any, error) {
	return establishKept(key, r, r.fetch)
}

func (r fileRoot) fetch() ([]byte, error) {
	data, err := private.ReadOwn(string(r), 4096, "root key")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRootKey, err)
	}
	defer clear(data)
	return keyOf(data, string(r))
}

type environmentRoot string

func (r environmentRoot) String() string { return "env:" + string(r) }

func (r environmentRoot) recover(_ context.Context, path string, said *document) ([]byte, Rights, error) {
	return kept(path, said, r, r.fetch)
}

func (r environmentRoot) establish(_ context.Context, _ string, key []byte) ([]byte, any, error) {
	return establishKept(key, r, r.fetch)
}

func (r environmentRoot) fetch() ([]byte, error) {
	text, set := os.LookupEnv(string(r))
	if !set {
		return nil, fmt.Errorf("%w: environment variable %s: not set; export it with the root key in it",
			ErrRootKey, string(r))
	}
	return keyOf([]byte(text), "environment variable "+string(r))
}

func keyOf(text []byte, where string) ([]byte, error) {
	text = bytes.TrimSuffix(text, []byte("\n"))
	if !keyText.Match(text) {
		return nil, fmt.Errorf("%w: %s: not a root key, which is 64 hexadecimal digits and at most one newline",
			ErrRootKey, where)
	}
	key := make([]byte, rootSize)
	_, err := hex.Decode(key, text)
	return key, err
}
