// SPDX-License-Identifier: Apache-2.0

package keyring

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
)

// The errors of this package; those returned say more, and match these with errors.Is.
var (
	// ErrKeyring: there is no key ring, or it is malformed, damaged or edited.
	ErrKeyring = errors.New("tallystick: key ring")
	// ErrRootKey: the root key can't be had, or is not the ring's.
	ErrRootKey = errors.New("tallystick: root key")
	// ErrNoKey: the ring has no such key.
	ErrNoKey = errors.New("tallystick: no such key")
	// ErrReference: a key reference does not have the form name:version, such as people:1.
	ErrReference = errors.New("tallystick: a key reference has the form name:version, for example people:1")
)

// rootSize is the bytes of a root key.
const rootSize = 32

// keyName is what the name of a data key may be.
const keyName = `[a-z0-9][a-z0-9_.-]{0,63}`

var reference = regexp.MustCompile(`^(` + keyName + `):([1-9][0-9]{0,9})$`)

// CheckReference returns ErrReference if a text does not name a key and its version.
func CheckReference(text string) error {
	_, _, err := parseReference(text)
	return err
}

func parseReference(text string) (string, uint32, error) {
	match := reference.FindStringSubmatch(text)
	if match == nil {
		return "", 0, ErrReference
	}
	version, err := strconv.ParseUint(match[2], 10, 32)
	if err != nil {
		return "", 0, ErrReference
	}
	return match[1], uint32(version), nil
}

// Keyring is an open key ring, with the contents that its file had when it was opened. It is safe
// for concurrent use, except Close.
type Keyring struct {
	path     string
	document *document
	wrapping []byte
}

// Open reads a ring, gets its root key from a source of ParseRoot, and verifies the whole file. It
// unwraps no data key yet. It returns ErrKeyring or ErrRootKey.
func Open(path string, source Root) (*Keyring, error) {
	data, d, err := read(path)
	if err != nil {
		return nil, err
	}
	if d.Root.Kind != "key" {
		return nil, fmt.Errorf("%w: %s: the root key comes from %s, not from %v; pass its 32 bytes to OpenWithKey",
			ErrRootKey, path, map[string]string{"scrypt": "a passphrase", "shares": "shares"}[d.Root.Kind], source)
	}
	if source == nil {
		return nil, fmt.Errorf("%w: no source is given; make one with ParseRoot", ErrRootKey)
	}
	key, err := source.fetch()
	if err != nil {
		return nil, err
	}
	defer clear(key)
	return open(path, data, d, key)
}

// OpenWithKey is Open with the 32 bytes of the root key, from any source. They may be overwritten
// afterwards.
func OpenWithKey(path string, key []byte) (*Keyring, error) {
	if len(key) != rootSize {
		return nil, fmt.Errorf("%w: it must have 32 bytes, not %d", ErrRootKey, len(key))
	}
	data, d, err := read(path)
	if err != nil {
		return nil, err
	}
	return open(path, data, d, key)
}

func read(path string) ([]byte, *document, error) {
	data, err := readFile(path, maxFile, func(*os.File) error { return nil })
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrKeyring, err)
	}
	d, err := decode(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, d, nil
}

// readFile reads a regular file of at most so many bytes, if a check of it passes.
func readFile(path string, limit int64, check func(*os.File) error) ([]byte, error) {
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

func open(path string, data []byte, d *document, key []byte) (*Keyring, error) {
	keys, err := derive(d.Ring, key)
	if err != nil {
		return nil, err
	}
	return keys.open(path, data, d)
}

// subkeys are made from a root key.
type subkeys struct {
	wrapping, authentication, check []byte
}

func derive(ring string, root []byte) (*subkeys, error) {
	salt, err := hex.DecodeString(ring)
	if err != nil {
		return nil, err
	}
	keys := &subkeys{}
	for _, one := range []struct {
		key     *[]byte
		purpose string
		size    int
	}{
		{&keys.wrapping, "wrapping", 32}, {&keys.authentication, "authentication", 32}, {&keys.check, "check", 16},
	} {
		*one.key, err = hkdf.Key(sha256.New, root, salt, "tallystick keyring 1 "+one.purpose, one.size)
		if err != nil {
			keys.wipe()
			return nil, err
		}
	}
	return keys, nil
}

func (s *subkeys) wipe() {
	clear(s.wrapping)
	clear(s.authentication)
	clear(s.check)
}

// open verifies a file and returns its ring, which has the wrapping key. It wipes the other keys.
func (s *subkeys) open(path string, data []byte, d *document) (*Keyring, error) {
	defer s.wipe()
	if !hmac.Equal([]byte(hex.EncodeToString(s.check)), []byte(d.Check)) {
		return nil, fmt.Errorf("%w: %s: not the one this key ring was made with; give the right one (or, if it "+
			"is the right one, the head of the file is damaged: restore it from a backup)", ErrRootKey, path)
	}
	mac := hmac.New(sha256.New, s.authentication)
	mac.Write(data[:len(data)-tail])
	if !hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(d.MAC)) {
		return nil, fmt.Errorf("%w: %s: damaged or edited: the root key is right, but the file is not as it was "+
			"written; restore it from a backup", ErrKeyring, path)
	}
	ring := &Keyring{path, d, s.wrapping}
	s.wrapping = nil // now the ring's to wipe
	return ring, nil
}

// Close wipes the key that wraps the data keys; Key returns ErrKeyring from then on.
func (k *Keyring) Close() {
	clear(k.wrapping)
	k.wrapping = nil
}

// ID returns the ring's id: 32 hexadecimal digits.
func (k *Keyring) ID() string { return k.document.Ring }

// Keys returns the references of the data keys, such as people:1, in the order they were added.
func (k *Keyring) Keys() []string {
	list := make([]string, len(k.document.Keys))
	for i := range list {
		list[i] = k.document.Keys[i].id()
	}
	return list
}

// Key unwraps a data key of 16, 24 or 32 bytes, which should be overwritten when it is no longer needed. It
// returns ErrReference or ErrNoKey, or ErrKeyring if it was wrapped for another place.
func (k *Keyring) Key(reference string) ([]byte, error) {
	name, version, err := parseReference(reference)
	if err != nil {
		return nil, err
	}
	if k.wrapping == nil {
		return nil, fmt.Errorf("%w: %s: the ring is closed; open it again", ErrKeyring, k.path)
	}
	at := slices.IndexFunc(k.document.Keys, func(e entry) bool { return e.Name == name && e.Version == version })
	if at < 0 {
		return nil, fmt.Errorf("%w: %s has no key %s", ErrNoKey, k.path, reference)
	}
	key, err := k.unwrap(&k.document.Keys[at])
	if err != nil {
		return nil, fmt.Errorf("%w: %s: key %s was wrapped for another place than it is in; restore the file "+
			"from a backup", ErrKeyring, k.path, reference)
	}
	return key, nil
}

// unwrap decrypts with AES-256-GCM; what belongs to it is the ring's id, the version in 4 bytes, the size in
// 2, and the name.
func (k *Keyring) unwrap(e *entry) ([]byte, error) {
	block, err := aes.NewCipher(k.wrapping)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	belongs, err := hex.DecodeString(k.document.Ring)
	if err != nil {
		return nil, err
	}
	belongs = binary.BigEndian.AppendUint32(belongs, e.Version)
	belongs = binary.BigEndian.AppendUint16(belongs, uint16(e.Size))
	return gcm.Open(nil, e.Wrapped[:12], e.Wrapped[12:], append(belongs, e.Name...))
}
