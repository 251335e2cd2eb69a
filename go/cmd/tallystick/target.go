// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tallystick/tallystick/go/internal/private"
)

// target is where the result goes. A file appears only when it is complete: what is written lies beside its place until
// then, locked, so that the next run knows it from what a killed one left. Python's command does the same.
type target struct {
	io.Writer                // to the file itself, or what packs into it
	packer    io.WriteCloser // nil: nothing does
	raw       io.Writer
	count     int64 // bytes of the file
	files     []*unfinished
	stale     []string // removed right before the first file appears
	forget    func()
	once      sync.Once
}

// unfinished is a file that has no name yet.
type unfinished struct {
	file          *os.File
	beside, place string
	replaces      bool
}

// openTarget opens the target of a run, with a marker beside it if that is not nil.
func openTarget(to place, marker []byte, private, overwrite bool) (*target, error) {
	if to.path == "" {
		made := &target{raw: &standard{}}
		made.Writer = &sink{made}
		return made, nil
	}
	if strings.HasSuffix(to.path, markerSuffix) {
		return nil, fileError("%v: names that end in %s are for markers; choose another name", to, markerSuffix)
	}
	path, err := resolve(to.path)
	if err != nil {
		return nil, err
	}
	made := &target{}
	made.forget = onEnd(made.remove)
	beside := path + markerSuffix
	_, none := os.Lstat(beside) // looked at first: another run makes it after its file
	exists, err := checkTarget(to.String(), overwrite)
	if err != nil {
		return nil, err
	}
	if !exists && none == nil { // of a file that is not there
		if err := os.Remove(beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, withPath(beside, err)
		}
	}
	if overwrite {
		made.stale = []string{beside} // also of a file that another run makes until then
	}
	if err := made.add(path, private, overwrite); err != nil {
		return nil, err
	}
	made.raw = made.files[0].file
	made.Writer = &sink{made}
	if made.packer, err = pack(to.compression(), made.Writer); err != nil {
		made.remove()
		return nil, err
	}
	if made.packer != nil {
		made.Writer = made.packer
	}
	if marker != nil {
		err := made.add(beside, private, overwrite)
		if err == nil {
			_, err = made.files[1].file.Write(marker)
		}
		if err != nil {
			made.remove()
			return nil, withPath(beside, err)
		}
	}
	return made, nil
}

// openPrivate opens a file for its owner alone, by the path behind links.
func openPrivate(path string, overwrite bool) (*target, error) {
	made := &target{}
	made.forget = onEnd(made.remove)
	if err := made.add(path, true, overwrite); err != nil {
		return nil, err
	}
	made.raw = made.files[0].file
	made.Writer = &sink{made}
	return made, nil
}

// sink writes the bytes of a target's file.
type sink struct{ *target }

func (s *sink) Write(data []byte) (int, error) {
	count, err := s.raw.Write(data)
	s.count += int64(count)
	if err != nil && !errors.Is(err, errClosed) && len(s.files) > 0 {
		err = withPath(s.files[0].place, err)
	}
	return count, err
}

// finish writes what a packer holds back.
func (t *target) finish() error {
	if t.packer == nil {
		return nil
	}
	return t.packer.Close()
}

// standard writes to standard output, which can't be taken back.
type standard struct{}

func (*standard) Write(data []byte) (int, error) {
	if err := printRaw(data); err != nil {
		return 0, err
	}
	return len(data), nil
}

// checkTarget says whether a file is there that may be replaced.
func checkTarget(path string, overwrite bool) (exists bool, err error) {
	status, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, withPath(path, err)
	case !status.Mode().IsRegular():
		return false, fileError("%s is not a regular file; the output must be one", path)
	case !overwrite:
		return false, existing(path)
	}
	return true, nil
}

func existing(path string) error {
	return fileError("%s exists; give another output, or allow it to be replaced (--overwrite)", path)
}

func prefix(path string) string {
	name := []rune(filepath.Base(path))
	return "." + string(name[:min(200, len(name))]) + "."
}

// add opens a file beside a place.
func (t *target) add(path string, own, overwrite bool) error {
	removeDead(path)
	exists, err := checkTarget(path, overwrite)
	if err != nil {
		return err
	}
	mode := os.FileMode(0o666)
	if own {
		mode = 0o600
	}
	if status, err := os.Stat(path); exists && err == nil {
		mode &= status.Mode().Perm()
	}
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	one := &unfinished{beside: filepath.Join(filepath.Dir(path), prefix(path)+hex.EncodeToString(random[:])+".part"), place: path, replaces: exists}
	one.file, err = os.OpenFile(one.beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, mode)
	if err != nil {
		return fileError("%s: can't write to its folder: %s", path, strerror(err))
	}
	t.files = append(t.files, one)
	_ = unix.Flock(int(one.file.Fd()), unix.LOCK_EX|unix.LOCK_NB) // a file system without locks is no error
	if exists {
		_ = one.file.Chmod(mode) // the umask may have taken too much
	}
	return nil
}

// commit puts all on the disk, and gives the files their names.
func (t *target) commit(overwrite bool) error {
	if len(t.files) == 0 {
		return nil
	}
	for _, one := range t.files {
		if err := one.file.Sync(); err != nil {
			t.remove()
			return withPath(one.place, err)
		}
	}
	release := func() {}
	var err error
	if len(t.files)+len(t.stale) > 1 {
		release, err = sole(t.files[0].place)
	}
	if err != nil {
		t.remove()
	} else {
		ending.Lock() // no signal comes between the names
		err = t.name(overwrite)
		release()
		ending.Unlock()
	}
	t.forget()
	for _, one := range t.files {
		one.file.Close()
	}
	return err
}

const soleWait = 30 * time.Second // that another run may take to give files their names

// sole lets no other run, of Python's command either, give the target's files their names, so that they go together,
// until the function is called that it returns.
func sole(place string) (func(), error) {
	path := filepath.Join(filepath.Dir(place), prefix(place)+"0000000000000000.part") // removed like others if we die
	const flags = os.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK
	for end := time.Now().Add(soleWait); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		file, err := os.OpenFile(path, flags, 0) // in /tmp, another user's can't be opened to be made
		if errors.Is(err, fs.ErrNotExist) {
			file, err = os.OpenFile(path, flags|os.O_CREATE, 0o600)
		}
		if errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			return nil, withPath(path, err)
		}
		release := func() {
			os.Remove(path) //nolint:errcheck // the next run does
			file.Close()
		}
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err != nil && !errors.Is(err, unix.EWOULDBLOCK) {
			return release, nil // no locks here
		}
		ours, _ := file.Stat()
		if now, gone := os.Lstat(path); err == nil && gone == nil && os.SameFile(ours, now) {
			return release, nil
		}
		file.Close()
	}
	return nil, fileError("%s: another run holds it for more than %v seconds, so nothing was written; end that run; if there "+
		"is none, delete the file", path, soleWait.Seconds())
}

func (t *target) name(overwrite bool) error {
	for _, path := range t.stale {
		if err := os.Remove(path); err == nil {
			_ = private.SyncName(path) // that after the renames tells
		} else if !errors.Is(err, fs.ErrNotExist) {
			t.remove()
			return withPath(path, err)
		}
	}
	for i, one := range t.files {
		if err := one.rename(overwrite); err != nil {
			t.remove()
			for _, done := range t.files[:i] {
				if !done.replaces {
					os.Remove(done.place) //nolint:errcheck // the first error tells more
				}
			}
			return err
		}
	}
	if err := private.SyncName(t.files[0].place); err != nil && !errors.Is(err, fs.ErrPermission) {
		return fileError("%s: what was written is complete and in place, but may not outlast a power cut: %s; check the disk",
			filepath.Dir(t.files[0].place), strerror(err))
	}
	return nil
}

// rename gives a file its name. A link, unlike a rename, refuses a name that has come into use.
func (u *unfinished) rename(overwrite bool) error {
	if !overwrite {
		err := os.Link(u.beside, u.place)
		if err == nil {
			return os.Remove(u.beside)
		}
		if _, there := os.Lstat(u.place); errors.Is(err, fs.ErrExist) || there == nil {
			return existing(u.place)
		}
	}
	return withPath(u.place, os.Rename(u.beside, u.place))
}

// remove takes away what is not complete.
func (t *target) remove() {
	t.once.Do(func() {
		for _, one := range t.files {
			os.Remove(one.beside) //nolint:errcheck // it may have its name
			one.file.Close()
		}
	})
}

// removeDead removes what killed runs of this user left beside a place.
func removeDead(path string) {
	folder := filepath.Dir(path)
	wanted := regexp.MustCompile("^" + regexp.QuoteMeta(prefix(path)) + `[0-9a-f]{16}\.part$`)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if one := filepath.Join(folder, entry.Name()); wanted.MatchString(entry.Name()) && removed(one) {
			say("removed %s, which a run that was killed had left", quoted(one))
		}
	}
}

func removed(path string) bool {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	status, err := file.Stat()
	if err != nil || !status.Mode().IsRegular() || !isOwn(status) || unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return false
	}
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(status, now) && os.Remove(path) == nil // it may have got its name meanwhile
}

func isOwn(status os.FileInfo) bool {
	system, ok := status.Sys().(*syscall.Stat_t)
	return ok && int(system.Uid) == os.Geteuid()
}

const mostLinks = 40

// resolve returns a path without links, for what is to be written. A link in a sticky folder that anybody may write to,
// such as /tmp, is not followed unless it is this user's or the folder's owner's, as Linux does by fs.protected_symlinks.
func resolve(path string) (string, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", withPath(path, err)
	}
	here, left, followed := "/", parts(whole), 0
	for len(left) > 0 {
		part := left[0]
		left = left[1:]
		if part == ".." {
			here = filepath.Dir(here)
			continue
		}
		next := filepath.Join(here, part)
		status, err := os.Lstat(next)
		if err != nil || status.Mode()&os.ModeSymlink == 0 { // opening it fails with the reason
			here = next
			continue
		}
		folder, err := os.Stat(here)
		if err != nil {
			return "", withPath(path, err)
		}
		owner, ok := folder.Sys().(*syscall.Stat_t)
		link, also := status.Sys().(*syscall.Stat_t)
		if folder.Mode()&os.ModeSticky != 0 && folder.Mode().Perm()&0o002 != 0 && !isOwn(status) &&
			!(ok && also && link.Uid == owner.Uid) {
			return "", fileError("%s: %s is another user's link in a folder that anybody may write to, and is not followed; "+
				"remove the link, or give another target", path, next)
		}
		if followed++; followed > mostLinks {
			return "", fileError("%s: links lead in a circle", path)
		}
		to, err := os.Readlink(next)
		if err != nil {
			return "", withPath(path, err)
		}
		if filepath.IsAbs(to) {
			here = "/"
		}
		left = append(parts(to), left...)
	}
	return here, nil
}

func parts(path string) (made []string) {
	for _, part := range strings.Split(path, "/") {
		if part != "" && part != "." {
			made = append(made, part)
		}
	}
	return made
}

func isTerminal(file *os.File) bool {
	_, err := unix.IoctlGetTermios(int(file.Fd()), termiosRequest)
	return err == nil
}
