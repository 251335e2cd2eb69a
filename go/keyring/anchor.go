// SPDX-License-Identifier: Apache-2.0

package keyring

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/tallystick/tallystick/go/internal/private"
)

var anchorPattern = regexp.MustCompile(
	`^\{"anchor":"tallystick keyring 1","ring":"([0-9a-f]{32})","revision":(0|[1-9][0-9]{0,9}),"mac":"([0-9a-f]{64})"\}\n$`)

// MakeAnchor writes a file (mode 0600) that remembers this state of the ring as the oldest that FollowAnchor takes. It returns
// ErrKeyring if the file exists, unless it is an anchor and overwrite accepts the ring as it is: an older copy on purpose.
func (k *Keyring) MakeAnchor(path string, overwrite bool) error {
	real, lock, err := lockAnchor(path)
	if err != nil {
		return anchorFailed(path, err)
	}
	defer lock.Close()
	if _, err := os.Lstat(real); err == nil {
		if _, err := readAnchor(path); err != nil { // so that no other file is replaced
			return err
		}
		if !overwrite {
			return fmt.Errorf("%w: %s: exists already; pass --overwrite to accept the key ring as it is", ErrKeyring, path)
		}
	}
	if err := replace(real, k.anchor()); err != nil {
		return anchorFailed(path, err)
	}
	return nil
}

func (k *Keyring) anchor() string {
	return fmt.Sprintf("{\"anchor\":\"tallystick keyring 1\",\"ring\":\"%s\",\"revision\":%d,\"mac\":\"%s\"}\n",
		k.said.Ring, k.said.Revision, k.said.MAC)
}

// lockAnchor locks the file that an anchor really is, behind links, and returns its path.
func lockAnchor(path string) (real string, lock *os.File, err error) {
	if real, err = behindLinks(path); err == nil {
		lock, err = private.OpenOwn(filepath.Join(filepath.Dir(real), "."+filepath.Base(real)+".lock"), os.O_RDWR, "lock")
	}
	if err == nil {
		if err = private.Lock(context.Background(), lock); err != nil {
			lock.Close()
		}
	}
	return real, lock, err
}

// FollowAnchor compares the ring with a file that remembers its newest state, which `tallystick keyring anchor` makes.
// It returns ErrKeyring if the ring is older, or another one: an older copy was put back. If the ring is newer, the
// file is written. It is worth something where whoever can replace the ring can't replace it too.
func (k *Keyring) FollowAnchor(path string) error {
	real, lock, err := lockAnchor(path)
	if err != nil {
		return anchorFailed(path, err)
	}
	defer lock.Close()
	found, err := readAnchor(path)
	if err != nil {
		return err
	}
	known, _ := strconv.ParseInt(found[2], 10, 64)
	now := int64(k.said.Revision)
	switch {
	case found[1] != k.said.Ring:
		return fmt.Errorf("%w: %s: is another key ring than the one of the anchor %s; restore the right one, or pass the "+
			"anchor of this one", ErrKeyring, k.path, path)
	case now < known:
		return fmt.Errorf("%w: %s: is an older copy: it has revision %d, and the anchor %s knows %d; restore the newest copy",
			ErrKeyring, k.path, now, path, known)
	case now == known && found[3] != k.said.MAC:
		return fmt.Errorf("%w: %s: has the revision %d of the anchor %s, but other content: somebody changed an older copy; "+
			"restore the newest copy", ErrKeyring, k.path, now, path)
	case now > known:
		if err := replace(real, k.anchor()); err != nil {
			return anchorFailed(path, err)
		}
	}
	return nil
}

// readAnchor returns the parts of an anchor that anchorPattern names.
func readAnchor(path string) ([]string, error) {
	text, err := private.Read(path, 4096)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s: no such anchor; check the path, or make one with `tallystick keyring anchor`", ErrKeyring, path)
	}
	if err != nil {
		return nil, anchorFailed(path, err)
	}
	found := anchorPattern.FindStringSubmatch(string(text))
	if found == nil {
		return nil, fmt.Errorf("%w: %s: not the anchor of a key ring; check the path", ErrKeyring, path)
	}
	return found, nil
}

func anchorFailed(path string, err error) error {
	var where *fs.PathError
	if errors.As(err, &where) {
		err = where.Err
	}
	return fmt.Errorf("%w: %s: can't use the anchor: %w; check its directory and the disk", ErrKeyring, path, err)
}

// replace puts a new file (mode 0600) in the place of another; the caller holds the lock.
func replace(path, text string) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".tallystick-anchor-*")
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err == nil {
		err = file.Sync()
	}
	if also := file.Close(); err == nil {
		err = also
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		os.Remove(file.Name()) //nolint:errcheck // it may be in place
		return err
	}
	return private.SyncName(path)
}
