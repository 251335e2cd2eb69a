// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/policy"
	"github.com/tallystick/tallystick/go/reveals"
)

// The exit codes; docs/reference/errors.md explains them.
const (
	internal     = 1
	usage        = 2
	byPolicy     = 3
	byKeyring    = 4
	invalidValue = 5
	file         = 6
	stopped      = 128 // and the number of the signal
	outputClosed = 141
)

// failure is how a run fails: an exit code, the name of the error in Python, and its text.
type failure struct {
	code       int
	name, text string
}

func (f *failure) Error() string { return f.text }

func fail(code int, name, format string, arguments ...any) error {
	return &failure{code, name, fmt.Sprintf(format, arguments...)}
}

func fileError(format string, arguments ...any) error {
	return fail(file, "FileError", format, arguments...)
}

func parameterError(format string, arguments ...any) error {
	return fail(usage, "ParameterError", format, arguments...)
}

func policyError(format string, arguments ...any) error {
	return fail(byPolicy, "PolicyError", format, arguments...)
}

// kinds are the errors of the libraries, the narrow ones first.
var kinds = []struct {
	is   error
	code int
	name string
}{
	{keyring.ErrRootLost, byKeyring, "RootKeyLostError"},
	{keyring.ErrRootDenied, byKeyring, "RootKeyDeniedError"},
	{keyring.ErrRootKey, byKeyring, "RootKeyError"},
	{keyring.ErrReference, usage, "ParameterError"},
	{keyring.ErrSameKey, usage, "ParameterError"},
	{keyring.ErrSigners, usage, "ParameterError"},
	{keyring.ErrKeyring, byKeyring, "KeyringError"},
	{keyring.ErrNoKey, byKeyring, "KeyringError"},
	{keyring.ErrRights, byKeyring, "KeyringError"},
	{fast.ErrProtectOnly, byKeyring, "KeyringError"},
	{fast.ErrRevealOnly, byKeyring, "KeyringError"},
	{fast.ErrInvalidValue, invalidValue, "InvalidValueError"},
	{policy.ErrPolicy, byPolicy, "PolicyError"},
	{fast.ErrFormat, byPolicy, "FormatError"},
	{fast.ErrReadOnly, byPolicy, "FormatError"},
	{reveals.ErrLog, file, "FileError"},
}

// classify makes an error of a library or of the system a failure.
func classify(err error) *failure {
	var known *failure
	if errors.As(err, &known) {
		return known
	}
	for _, kind := range kinds {
		if errors.Is(err, kind.is) {
			return &failure{kind.code, kind.name, bare(err)}
		}
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return classify(withPath(path.Path, err))
	}
	return &failure{internal, "Error", "unexpected error: this is a bug in tallystick, or the memory is full: " + bare(err)}
}

// bare returns a text without the names that the libraries' errors begin with.
func bare(err error) string {
	text := err.Error()
	for _, name := range []string{"key ring", "root key: lost", "root key: denied", "root key", "policy", "no such key", "same key", "no right", "log of reveals", "invalid format", "signers"} {
		text = strings.ReplaceAll(text, "tallystick: "+name+": ", "")
	}
	return strings.ReplaceAll(text, "tallystick: ", "")
}

// strerror returns the system's words as other programs show them.
func strerror(err error) string {
	var number syscall.Errno
	text := err.Error()
	if errors.As(err, &number) {
		text = number.Error()
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// withPath names a file in an error of the system.
func withPath(path string, err error) error {
	if err == nil {
		return nil
	}
	var known *failure
	if errors.As(err, &known) || errors.Is(err, errClosed) {
		return err
	}
	mend := ""
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		mend = "; free some space, or choose another disk"
	}
	return fileError("%s: %s%s", path, strerror(err), mend)
}

// report says what went wrong, and returns the exit code.
func report(err error, asJSON bool) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errClosed) || errors.Is(err, syscall.EPIPE):
		return outputClosed
	}
	failed := classify(err)
	if !asJSON || printJSON(object{{"error", failed.name}, {"message", failed.text}}) != nil {
		fmt.Fprintln(os.Stderr, "error: "+plain(failed.text))
	}
	return failed.code
}
