// SPDX-License-Identifier: Apache-2.0

package keyring

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tallystick/tallystick/go/internal/core"
	"github.com/tallystick/tallystick/go/internal/private"
)

// Create makes an empty ring (mode 0600). Each root opens it alone; at most one is a root key itself, file: or env:, and
// the others wrap it. It returns ErrKeyring if the file exists.
func Create(ctx context.Context, path string, roots ...Root) error {
	if _, err := os.Stat(path); err == nil {
		return exists(path)
	}
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	made := &written{Format: "tallystick-keyring", Version: 2, Ring: hex.EncodeToString(id[:]), Created: now()}
	key, records, err := establish(ctx, made.Ring, roots)
	if err != nil {
		return err
	}
	defer clear(key)
	made.Roots = records
	keys, err := derive(key, made.Ring)
	if err != nil {
		return err
	}
	defer keys.wipe()
	made.Check = keys.check
	return changing(path, func(real string) error {
		if _, err := os.Lstat(real); err == nil {
			return exists(path)
		}
		_, err := save(path, real, made, keys, key)
		return err
	})
}

// establish returns the root key that sources lead to, and the records of them. The caller clears the key.
func establish(ctx context.Context, ringID string, roots []Root) (key []byte, records []json.RawMessage, err error) {
	if len(roots) < 1 || len(roots) > core.MaxRoots {
		return nil, nil, fmt.Errorf("%w: a key ring has 1 to %d root keys", ErrRootKey, core.MaxRoots)
	}
	for _, root := range roots {
		if err := given(root); err != nil {
			return nil, nil, err
		}
	}
	defer func() {
		if err != nil {
			clear(key)
		}
	}()
	// The root key itself comes first: the others wrap it.
	roots = slices.Clone(roots)
	slices.SortStableFunc(roots, func(a, b Root) int { return kind(a) - kind(b) })
	for i, root := range roots {
		if slices.ContainsFunc(roots[:i], func(other Root) bool { return other.String() == root.String() }) {
			return key, nil, fmt.Errorf("%w: %v is given twice", ErrRootKey, root)
		}
		had, record, err := root.establish(ctx, ringID, key)
		if err != nil {
			return key, nil, err
		}
		key = had
		text, err := json.Marshal(record)
		if err != nil {
			return key, nil, err
		}
		records = append(records, text)
	}
	return key, records, nil
}

func kind(root Root) int {
	if _, wraps := root.(wrappedRoot); wraps {
		return 1
	}
	return 0
}

func exists(path string) error {
	return fmt.Errorf("%w: %s: exists already, and is not overwritten; open it, or choose another path", ErrKeyring, path)
}

func now() string { return time.Now().UTC().Format("2006-01-02T15:04:05Z") }

// Editor changes the file of a ring. Each change takes the lock of the file, reads and verifies it again, and puts a
// complete new file in its place.
type Editor struct {
	path, id string
	revision uint32
	keys     []writtenKey // of the last file that the editor read or wrote
	root     []byte
	anchor   string
}

// FollowAnchor is Keyring.FollowAnchor for each change: the anchor refuses an older copy before it, and knows the new
// file after it. If only the anchor can't be written, the error says that the new key ring is in place.
func (e *Editor) FollowAnchor(path string) { e.anchor = path }

func (e *Editor) follow(data []byte) error {
	if e.anchor == "" {
		return nil
	}
	said, err := decode(data)
	if err != nil {
		return err
	}
	return (&Keyring{path: e.path, said: said}).FollowAnchor(e.anchor)
}

// Edit opens a ring to change it; the root must have all rights. Close wipes the root key.
func Edit(ctx context.Context, path string, source Root) (*Editor, error) {
	if err := given(source); err != nil {
		return nil, err
	}
	ring, said, err := read(path)
	if err != nil {
		return nil, err
	}
	defer ring.Close()
	key, rights, err := source.recover(ctx, path, said)
	if err != nil {
		return nil, err
	}
	if err := ring.Unlock((*[rootSize]byte)(key)); err != nil {
		clear(key)
		return nil, wrapped(path, err)
	}
	if rights != AllRights {
		clear(key)
		return nil, fmt.Errorf("%w: %s: the root that opened the key ring may only %v; to change the ring, open it with a "+
			"root that has all rights", ErrKeyring, path, rights)
	}
	made := &Editor{path: path, id: said.Ring, revision: said.Revision, root: key}
	for _, entry := range said.Keys {
		made.keys = append(made.keys, writtenKey(entry))
	}
	return made, nil
}

// Close wipes the root key. Later changes return ErrKeyring.
func (e *Editor) Close() {
	clear(e.root)
	e.root = nil
}

// open returns ErrKeyring of an editor that is closed.
func (e *Editor) open() error {
	if e.root == nil {
		return fmt.Errorf("%w: %s: the editor is closed; call Edit again", ErrKeyring, e.path)
	}
	return nil
}

// Add adds a fresh key of 16, 24 or 32 bytes as the next version of a name, and returns its reference.
func (e *Editor) Add(name string, size int) (string, error) {
	if !sizeFits(size) {
		return "", core.KeySize
	}
	key := make([]byte, size)
	defer clear(key)
	_, _ = rand.Read(key) // never fails
	return e.grow(name, key, nil)
}

// Import is Add for a key that another program has. It returns ErrSameKey if the ring has it already: a key under two
// names would seem to be two.
func (e *Editor) Import(name string, key []byte) (string, error) {
	if !sizeFits(len(key)) {
		return "", core.KeySize
	}
	return e.grow(name, key, func(ring *core.Ring, file *written) error {
		for _, entry := range file.Keys {
			reference := fmt.Sprintf("%s:%d", entry.Name, entry.Version)
			known, err := ring.Key(reference)
			if err != nil {
				return wrapped(e.path, err)
			}
			same := subtle.ConstantTimeCompare(known, key) == 1
			clear(known)
			if same {
				return fmt.Errorf("%w: %s: the ring has this key already: %s", ErrSameKey, e.path, reference)
			}
		}
		return nil
	})
}

// Rotated is the new version of a key, and the newest before.
type Rotated struct{ New, Before KeyInfo }

// Rotate adds the next version of a key that is there. A size of 0 is the size of the newest version.
func (e *Editor) Rotate(name string, size int) (made Rotated, err error) {
	if size != 0 && !sizeFits(size) {
		return made, core.KeySize
	}
	if err := checkName(name); err != nil {
		return made, err
	}
	err = e.change(func(_ *core.Ring, file *written, keys *subkeys) error {
		newest := newestOf(file, name)
		if newest == nil {
			return fmt.Errorf("%w: %s: no key is called '%s'; the first version of a key is made by `add`", ErrNoKey, e.path, name)
		}
		made.Before = newest.info()
		if size == 0 {
			size = newest.Size
		}
		key := make([]byte, size)
		defer clear(key)
		_, _ = rand.Read(key) // never fails
		if err := appendKey(e.path, file, keys, name, key); err != nil {
			return err
		}
		made.New = file.Keys[len(file.Keys)-1].info()
		return nil
	})
	return made, err
}

// SetRights changes what a key may be used for.
func (e *Editor) SetRights(reference string, rights Rights) error {
	if err := CheckReference(reference); err != nil {
		return err
	}
	if rights&AllRights == 0 {
		return errors.New("tallystick: rights are to protect, to reveal, or both")
	}
	return e.change(func(_ *core.Ring, file *written, _ *subkeys) error {
		for i, entry := range file.Keys {
			if fmt.Sprintf("%s:%d", entry.Name, entry.Version) == reference {
				file.Keys[i].Rights = rights & AllRights
				return nil
			}
		}
		return fmt.Errorf("%w: %s: there is no key %s", ErrNoKey, e.path, reference)
	})
}

// ErrSigners: signers are too many, or one is no public key.
var ErrSigners = errors.New("tallystick: signers")

var signer = regexp.MustCompile(`^[0-9a-f]{64}$`)

// SetSigners demands that one of these public keys of Ed25519, each of 64 lower-case hexadecimal digits, has signed each
// policy. Without any, no signature is demanded. Programs that use the libraries obey. ErrSigners: more than 16, one twice, or
// of another form.
func (e *Editor) SetSigners(signers []string) error {
	seen := map[string]bool{}
	for _, one := range signers {
		if !signer.MatchString(one) {
			return fmt.Errorf("%w: a signer is a public key of 64 lower-case hexadecimal digits; `tallystick policy key` prints it",
				ErrSigners)
		}
		seen[one] = true
	}
	if len(signers) > core.MaxSigners || len(seen) < len(signers) {
		return fmt.Errorf("%w: a key ring has at most %d different signers", ErrSigners, core.MaxSigners)
	}
	return e.change(func(_ *core.Ring, file *written, _ *subkeys) error {
		file.Signers = append([]string{}, signers...)
		return nil
	})
}

// Wrap replaces the root key by one that these roots lead to, as of Create. What opened the ring before opens it no more;
// older copies of its file still open with that.
func (e *Editor) Wrap(ctx context.Context, roots ...Root) error {
	if err := e.open(); err != nil {
		return err
	}
	key, records, err := establish(ctx, e.id, roots)
	if err != nil {
		return err
	}
	before := e.root
	err = e.changeTo(key, func(ring *core.Ring, file *written, keys *subkeys) error {
		for i := range file.Keys {
			entry := &file.Keys[i]
			data, err := ring.Key(entry.info().Reference())
			if err != nil {
				return wrapped(e.path, err)
			}
			entry.Wrapped, err = keys.wrap(data, entry.Name, entry.Version)
			clear(data)
			if err != nil {
				return err
			}
		}
		file.Roots, file.Check = records, keys.check
		return nil
	})
	if &e.root[0] == &key[0] {
		clear(before)
	} else {
		clear(key)
	}
	return err
}

func sizeFits(size int) bool { return size == 16 || size == 24 || size == 32 }

// checkName returns ErrReference unless a text can be the name of a key.
func checkName(name string) error {
	if strings.Contains(name, ":") {
		name = ""
	}
	return CheckReference(name + ":1")
}

func newestOf(file *written, name string) (newest *writtenKey) {
	for i, entry := range file.Keys {
		if entry.Name == name && (newest == nil || entry.Version > newest.Version) {
			newest = &file.Keys[i]
		}
	}
	return newest
}

func (e *Editor) grow(name string, key []byte, check func(*core.Ring, *written) error) (made string, err error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	err = e.change(func(ring *core.Ring, file *written, keys *subkeys) error {
		if check != nil {
			if err := check(ring, file); err != nil {
				return err
			}
		}
		if err := appendKey(e.path, file, keys, name, key); err != nil {
			return err
		}
		made = file.Keys[len(file.Keys)-1].info().Reference()
		return nil
	})
	return made, err
}

func appendKey(path string, file *written, keys *subkeys, name string, key []byte) error {
	version := uint32(1)
	if newest := newestOf(file, name); newest != nil {
		if newest.Version == math.MaxUint32 {
			return fmt.Errorf("%w: %s: %s has no version left; use another name", ErrKeyring, path, name)
		}
		version = newest.Version + 1
	}
	wrapped, err := keys.wrap(key, name, version)
	if err != nil {
		return err
	}
	file.Keys = append(file.Keys, writtenKey{name, version, now(), len(key), wrapped, AllRights})
	return nil
}

// change changes the file under its lock.
func (e *Editor) change(act func(*core.Ring, *written, *subkeys) error) error {
	return e.changeTo(e.root, act)
}

// changeTo is change to a file under another root key, which is the editor's from then on. act gets its subkeys.
func (e *Editor) changeTo(root []byte, act func(*core.Ring, *written, *subkeys) error) error {
	if err := e.open(); err != nil {
		return err
	}
	return changing(e.path, func(real string) error {
		data, err := private.Read(real, core.MaxRing)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrKeyring, err)
		}
		ring, err := core.ReadRing(data)
		if err != nil {
			return wrapped(e.path, err)
		}
		defer ring.Close()
		if err := ring.Unlock((*[rootSize]byte)(e.root)); err != nil {
			return wrapped(e.path, err)
		}
		if err := e.follow(data); err != nil {
			return err
		}
		file, err := rewrite(data)
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrKeyring, e.path, err)
		}
		if file.Revision < e.revision || !begins(file.Keys, e.keys) { // with it, add would give a version out twice
			return fmt.Errorf("%w: %s: an older copy has replaced it, and some keys are missing; restore the newest copy, or "+
				"open the key ring again to continue with the older one", ErrKeyring, e.path)
		}
		keys, err := derive(root, file.Ring)
		if err != nil {
			return err
		}
		defer keys.wipe()
		if err := act(ring, file, keys); err != nil {
			return err
		}
		if data, err = save(e.path, real, file, keys, root); err != nil {
			return err
		}
		e.revision, e.keys, e.root = file.Revision, file.Keys, root
		if err := e.follow(data); err != nil {
			return fmt.Errorf("%w: %s: the new key ring is in place, but the anchor was not updated: %s. Do not repeat the change: "+
				"the next command that opens the key ring updates the anchor", ErrKeyring, e.path,
				strings.TrimPrefix(err.Error(), ErrKeyring.Error()+": "))
		}
		return nil
	})
}

// begins says whether the same keys come first; their rights may have changed.
func begins(longer, shorter []writtenKey) bool {
	return len(longer) >= len(shorter) && slices.EqualFunc(longer[:len(shorter)], shorter, func(a, b writtenKey) bool {
		return a.Name == b.Name && a.Version == b.Version && bytes.Equal(a.Wrapped, b.Wrapped)
	})
}

// save authenticates a file, reads it as everybody does, puts it in its place, and returns it.
func save(path, real string, file *written, keys *subkeys, root []byte) ([]byte, error) {
	if file.Revision == math.MaxUint32 {
		return nil, fmt.Errorf("%w: %s: has no revision left; begin another key ring", ErrKeyring, path)
	}
	file.Revision++
	file.MAC = ""
	data, err := file.encode()
	if err != nil {
		return nil, err
	}
	file.MAC = keys.mac(data[:len(data)-macTail])
	if data, err = file.encode(); err != nil {
		return nil, err
	}
	if len(data) > core.MaxRing {
		return nil, fmt.Errorf("%w: %s: the key ring is full; begin another one", ErrKeyring, path)
	}
	ring, err := core.ReadRing(data)
	if err != nil {
		return nil, wrapped(path, err)
	}
	defer ring.Close()
	if err := ring.Unlock((*[rootSize]byte)(root)); err != nil {
		return nil, wrapped(path, err)
	}
	for _, entry := range file.Keys { // the file with the other wrappings is about to go
		key, err := ring.Key(fmt.Sprintf("%s:%d", entry.Name, entry.Version))
		if err != nil {
			return nil, wrapped(path, err)
		}
		clear(key)
	}
	return data, putInPlace(real, data)
}

// putInPlace replaces a file whose lock is held; the names of what is not complete are those of Python's package, which
// removes what a killed process left.
func putInPlace(path string, data []byte) error {
	sum := sha256.Sum256([]byte(filepath.Base(path)))
	begin := filepath.Join(filepath.Dir(path), ".tallystick-keyring-"+hex.EncodeToString(sum[:8])+"-")
	left, _ := filepath.Glob(escapeGlob(begin) + "*")
	for _, one := range left {
		os.Remove(one) //nolint:errcheck // another user's, in a shared directory
	}
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	temporary := begin + hex.EncodeToString(random[:]) + ".tmp"
	if err := private.WriteNew(temporary, data); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		os.Remove(temporary) //nolint:errcheck // it may be in place
		return err
	}
	if err := private.SyncName(path); err != nil {
		return fmt.Errorf("%w: %s: the new key ring is in place, but may not outlast a power cut: %w; check the disk, then "+
			"open the ring again", ErrKeyring, path, err)
	}
	return nil
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// behindLinks returns where a path leads, even if no file is there yet.
func behindLinks(path string) (string, error) {
	for {
		found, err := filepath.EvalSymlinks(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return found, err // a circle is an error of its own
		}
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil
		}
		if !filepath.IsAbs(to) {
			folder, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			to = filepath.Join(folder, to)
		}
		path = to
	}
}

// changing holds the lock for a change of the ring's file, behind links.
func changing(path string, act func(real string) error) error {
	real, err := behindLinks(path)
	if err != nil {
		return unwritable(path, err)
	}
	if own, err := private.IsOwn(real); err == nil && !own {
		return fmt.Errorf("%w: %s: the key ring belongs to another user; run as its owner", ErrKeyring, path)
	}
	lock, err := private.Locked(filepath.Join(filepath.Dir(real), "."+filepath.Base(real)+".lock"))
	if err != nil {
		return unwritable(path, err)
	}
	defer lock.Close()
	err = act(real)
	var path1 *fs.PathError
	var link *os.LinkError
	if errors.As(err, &path1) || errors.As(err, &link) {
		return unwritable(path, err)
	}
	return err
}

func unwritable(path string, err error) error {
	if errors.Is(err, ErrKeyring) {
		return err
	}
	return fmt.Errorf("%w: %s: can't write the key ring: %w; an existing key ring is unchanged; check the directory and the "+
		"disk", ErrKeyring, path, err)
}

// GenerateRoot makes a file with a fresh root key (mode 0600), for file:PATH. It returns ErrRootKey if it exists.
func GenerateRoot(path string) error {
	key := make([]byte, rootSize)
	_, _ = rand.Read(key) // never fails
	text := append(hex.AppendEncode(make([]byte, 0, 2*rootSize+1), key), '\n')
	clear(key)
	defer clear(text)
	err := private.WriteNew(path, text)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: %s: exists already, and is not overwritten because key rings may need it; choose another path",
			ErrRootKey, path)
	}
	if err == nil {
		err = private.SyncName(path)
	}
	if err != nil {
		return fmt.Errorf("%w: %s: can't make the root key file: %w", ErrRootKey, path, err)
	}
	return nil
}
