// SPDX-License-Identifier: Apache-2.0

//go:build unix

package reveals_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tallystick/tallystick/go/fast"
	"github.com/tallystick/tallystick/go/internal/vectors"
	"github.com/tallystick/tallystick/go/keyring"
	"github.com/tallystick/tallystick/go/policy"
	"github.com/tallystick/tallystick/go/reveals"
)

func write(t *testing.T, path string, rows int) {
	t.Helper()
	event := policy.Reveal{Columns: []string{"id", "ü<"}, Rows: rows, Ring: strings.Repeat("0", 32), Revision: 3}
	if err := reveals.New(path, "ann").Hook(t.Context(), event); err != nil {
		t.Fatal(err)
	}
}

func lines(t *testing.T, path string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.SplitAfter(text, []byte("\n"))
}

// TestVector reads a log that Python reads too.
func TestVector(t *testing.T) {
	head, err := reveals.Verify(filepath.Join(vectors.Root(), "vectors", "reveal_log.ndjson"))
	if err != nil || head.Lines != 3 || len(head.Hash) != 64 {
		t.Fatal(head, err)
	}
}

func TestBrokenLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.log")
	for rows := range 4 {
		write(t, path, rows)
	}
	if status, err := os.Stat(path); err != nil || status.Mode().Perm() != 0o600 {
		t.Fatal(err)
	}
	if head, err := reveals.Verify(path); err != nil || head.Lines != 4 {
		t.Fatal(err)
	}
	x := lines(t, path)[:4]
	for i, c := range []struct {
		lines [][]byte
		says  string
	}{
		{[][]byte{x[0], bytes.Replace(x[1], []byte(`"rows":1`), []byte(`"rows":9`), 1), x[2], x[3]}, "line 2: its hash is wrong"},
		{[][]byte{x[0], x[2], x[3]}, "line 2: has the number 3"},
		{[][]byte{x[1]}, "line 1: has the number 2"},
		{[][]byte{x[0], x[0]}, "line 2: has the number 1"},
		{[][]byte{x[0], x[1][:20]}, "line 2: is not complete"},
		{[][]byte{x[0], []byte("\n")}, "line 2: is not a line of a log"},
		{[][]byte{bytes.Repeat([]byte("x"), 2<<20)}, "line 1: is not complete"},
	} {
		if err := os.WriteFile(path, bytes.Join(c.lines, nil), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := reveals.Verify(path); !errors.Is(err, reveals.ErrLog) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestWritersAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.log")
	shared, group := reveals.New(path, "ann"), sync.WaitGroup{}
	for rows := range 64 {
		group.Go(func() {
			log := shared
			if rows%2 == 0 {
				log = reveals.New(path, "bob")
			}
			ctx := reveals.WithWho(t.Context(), fmt.Sprint("caller ", rows))
			if err := log.Hook(ctx, policy.Reveal{Columns: []string{"id"}, Rows: rows}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if head, err := reveals.Verify(path); err != nil || head.Lines != 64 {
		t.Fatal(head, err)
	}
	if text := bytes.Join(lines(t, path), nil); !bytes.Contains(text, []byte(`"who":"caller 63"`)) {
		t.Error("it does not say who")
	}
}

// Who waits for a log that others have waits no longer than its context, also behind another one that waits.
func TestWaitingEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.log")
	log := reveals.New(path, "ann")
	if err := log.Hook(t.Context(), policy.Reveal{}); err != nil {
		t.Fatal(err)
	}
	other, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := syscall.Flock(int(other.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	begin, group := time.Now(), sync.WaitGroup{}
	for range 4 {
		group.Go(func() {
			if err := log.Hook(ctx, policy.Reveal{}); !errors.Is(err, reveals.ErrLog) {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if took := time.Since(begin); took > 10*time.Second {
		t.Error(took)
	}
	other.Close()
	if err := log.Hook(t.Context(), policy.Reveal{}); err != nil {
		t.Error(err)
	}
	if head, err := reveals.Verify(path); err != nil || head.Lines != 2 {
		t.Error(head, err)
	}
}

// TestNothingIsRevealedWithoutIt makes the log unusable.
func TestNothingIsRevealedWithoutIt(t *testing.T) {
	folder := t.TempDir()
	root := make([]byte, 32)
	for i := range root {
		root[i] = byte(i)
	}
	ring, err := keyring.OpenWithKey(filepath.Join(vectors.Root(), "go", "keyring", "testdata", "people.keys"), root)
	if err != nil {
		t.Fatal(err)
	}
	defer ring.Close()
	rules, err := policy.Parse("[columns]\nid = { format = \"digits\", key = \"people:1\", namespace = \"n\" }\ncode = { format = \"mask\" }\n", "p")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "r.log")
	protector, err := rules.Open(ring, policy.OnReveal(reveals.New(path, "ann").Hook))
	if err != nil {
		t.Fatal(err)
	}
	defer protector.Close()
	tokens, err := protector.Protect("id", []policy.Value{{Text: "12345678"}, {Null: true}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("protecting was logged")
	}
	texts := policy.Texts{Column: fast.ColumnOf([]string{tokens[0].Text})}
	record := func() []policy.Record {
		return []policy.Record{{"id": []byte(`"` + tokens[0].Text + `"`), "code": []byte(`"1"`)}, {"code": []byte(`"2"`)}}
	}
	ways := []func() error{
		func() error { _, err := protector.Reveal("id", tokens, nil); return err },
		func() error { _, err := protector.RevealTexts(t.Context(), "id", texts, nil); return err },
		func() error { return protector.RevealRecords(t.Context(), record()) },
	}
	for _, way := range ways {
		if err := way(); err != nil {
			t.Error(err)
		}
	}
	for i, line := range lines(t, path)[:3] {
		want := fmt.Sprintf(`"event":"reveal","columns":["id"],"rows":%d,"ring":"%s","revision":0`, []int{2, 1, 2}[i], ring.ID())
		if !bytes.Contains(line, []byte(want)) || bytes.Contains(line, []byte("12345678")) {
			t.Errorf("%s", line)
		}
	}
	if head, err := reveals.Verify(path); err != nil || head.Lines != 3 {
		t.Error(head, err)
	}
	whole := bytes.Join(lines(t, path), nil)
	for name, spoil := range map[string]func() error{
		"others may read it": func() error { return os.Chmod(path, 0o640) },
		"cut short":          func() error { return os.WriteFile(path, whole[:len(whole)-9], 0o600) },
		"a directory":        func() error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"a link":             func() error { return errors.Join(os.Remove(path), os.Symlink(filepath.Join(folder, "x"), path)) },
	} {
		if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, whole, 0o600), spoil()); err != nil {
			t.Fatal(err)
		}
		for _, way := range ways {
			if err := way(); !errors.Is(err, reveals.ErrLog) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
