// SPDX-License-Identifier: Apache-2.0

// Package private reads keys and credentials: from files that are ours and give nobody else any right, and from
// the environment.
package private

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Read reads a regular file of at most so many bytes.
func Read(path string, limit int64) ([]byte, error) {
	return read(path, limit, func(*os.File) error { return nil })
}

// ReadOwn is Read for a file that is ours and gives nobody else any right; what it has is named in errors.
func ReadOwn(path string, limit int64, what string) ([]byte, error) {
	return read(path, limit, func(file *os.File) error { return checkOwner(file, what, false) })
}

// ReadOwnOrRoot is ReadOwn that also takes a file of root's that a group may read, as systems keep keys of TLS.
func ReadOwnOrRoot(path string, limit int64, what string) ([]byte, error) {
	return read(path, limit, func(file *os.File) error { return checkOwner(file, what, true) })
}

func read(path string, limit int64, check func(*os.File) error) ([]byte, error) {
	// Opening a pipe that nobody writes to would wait for ever.
	if status, err := os.Stat(path); err != nil {
		return nil, err
	} else if !status.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file; check the path", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := check(file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s: larger than %d bytes; check the path", path, limit)
	}
	return data, err
}

// ErrUnset: no variable has the secret.
var ErrUnset = errors.New("is not set")

// Secret returns the first secret that is set: in a variable, or in the file that NAME_FILE names. Newlines at
// its end are dropped. It returns ErrUnset if none is.
func Secret(what string, names ...string) (string, error) {
	for _, name := range names {
		if text := os.Getenv(name); text != "" {
			return strings.TrimRight(text, "\r\n"), nil
		}
		if path := os.Getenv(name + "_FILE"); path != "" {
			data, err := ReadOwn(path, 1<<16, what)
			return strings.TrimRight(string(data), "\r\n"), err
		}
	}
	return "", fmt.Errorf("the %s %w: put it into %s, or its file's path (mode 0600) into %s_FILE",
		what, ErrUnset, strings.Join(names, " or "), names[0])
}

// Pasted says whether a text is a root key, or more digits than one, and no name of a file.
func Pasted(text string) bool {
	digits := strings.TrimPrefix(strings.ToLower(strings.Join(strings.Fields(text), "")), "0x")
	return len(digits) >= 64 && strings.Trim(digits, "0123456789abcdef") == ""
}

// IsKey says whether a text is a root key, or has an identity of age, whole or not.
func IsKey(text string) bool {
	return Pasted(text) || strings.Contains(strings.ToLower(text), "age-secret-key-1")
}
