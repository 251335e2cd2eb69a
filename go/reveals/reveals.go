// SPDX-License-Identifier: Apache-2.0

// Package reveals writes and verifies logs of reveals: lines of JSON in a chain of hashes
// (docs/reference/reveal-log.md). Pass Log.Hook to policy.OnReveal: without the log, nothing is revealed then.
package reveals

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"time"

	"github.com/tallystick/tallystick/go/internal/private"
	"github.com/tallystick/tallystick/go/policy"
)

// ErrLog: a log can't be read or written, or a line of it is broken.
var ErrLog = errors.New("tallystick: log of reveals")

const (
	start   = "tallystick reveals 1"
	maxLine = 1 << 20
)

var pattern = regexp.MustCompile(`^(\{"line":([1-9][0-9]{0,15}),.*),"hash":"([0-9a-f]{64})"\}\n$`)

// Head is the end of a log: how many lines it has, and the hash of the last one.
type Head struct {
	Lines int64
	Hash  string
}

// Log is a log of reveals in a file. It is safe for concurrent use, by several processes too.
type Log struct {
	path, who string
	turn      chan struct{} // whose writer has the log, among those of this process
}

// New returns the log of a file, which is made with the first line if there is none (mode 0600). It must be a regular
// file, ours, and give nobody else any right. who reveals, unless WithWho says otherwise.
func New(path, who string) *Log { return &Log{path, who, make(chan struct{}, 1)} }

type whoKey struct{}

// WithWho returns a context that says who reveals, such as the caller of a server.
func WithWho(ctx context.Context, who string) context.Context {
	return context.WithValue(ctx, whoKey{}, who)
}

type entry struct {
	Line     int64    `json:"line"`
	Time     string   `json:"time"`
	Who      string   `json:"who"`
	Event    string   `json:"event"`
	Columns  []string `json:"columns"`
	Rows     *int     `json:"rows"` // nil: not known yet
	Ring     string   `json:"ring"`
	Revision uint32   `json:"revision"`
	Source   string   `json:"source,omitempty"`
	Target   string   `json:"target,omitempty"`
}

// Hook writes that values are about to be revealed, and returns when the line is on the disk. It returns ErrLog if it
// can't be, or if others have the log until the context is done: nothing may be revealed then.
func (l *Log) Hook(ctx context.Context, reveal policy.Reveal) error {
	who, ok := ctx.Value(whoKey{}).(string)
	if !ok {
		who = l.who
	}
	return l.add(ctx, entry{
		Who: who, Event: "reveal", Columns: reveal.Columns, Rows: &reveal.Rows, Ring: reveal.Ring, Revision: reveal.Revision,
	})
}

// Event is what happens to a file whose values are revealed.
type Event string

// Before a file is revealed, and after it.
const (
	Begin  Event = "begin"
	End    Event = "end"
	Failed Event = "failed"
)

// File writes that a file is revealed. Before Begin is written nothing may be revealed. reveal.Rows counts for End alone.
func (l *Log) File(event Event, reveal policy.Reveal, source, target string) error {
	one := entry{
		Who: l.who, Event: string(event), Columns: reveal.Columns, Ring: reveal.Ring, Revision: reveal.Revision,
		Source: source, Target: target,
	}
	if event == End {
		one.Rows = &reveal.Rows
	}
	return l.add(context.Background(), one)
}

func (l *Log) add(ctx context.Context, one entry) (err error) {
	select {
	case l.turn <- struct{}{}:
		one.Time = time.Now().UTC().Format("2006-01-02T15:04:05.000+00:00")
		err = l.write(ctx, one)
		<-l.turn
	case <-ctx.Done():
		err = errors.New("other lines wait for it too")
	}
	if err != nil {
		return fmt.Errorf("%w: %s: can't be written: %w; nothing is revealed without it", ErrLog, l.path, err)
	}
	return nil
}

func (l *Log) write(ctx context.Context, one entry) error {
	file, err := private.OpenOwn(l.path, os.O_RDWR|os.O_APPEND, "log")
	if err != nil {
		return err
	}
	defer file.Close()
	if err := private.Lock(ctx, file); err != nil {
		return err
	}
	status, err := file.Stat()
	if err == nil && status.Size() == 0 {
		err = private.SyncName(l.path)
	}
	if err != nil {
		return err
	}
	before, err := last(file, status.Size())
	if err != nil {
		return err
	}
	one.Line = before.Lines + 1
	text, err := json.Marshal(one)
	if err != nil {
		return err
	}
	body := text[:len(text)-1]
	line := append(bytes.Clone(body), `,"hash":"`+hash(before.Hash, body)+"\"}\n"...)
	if len(line) > maxLine {
		return fmt.Errorf("a line has at most %d bytes", maxLine)
	}
	if _, err = file.Write(line); err == nil {
		err = file.Sync()
	}
	if err != nil {
		file.Truncate(status.Size()) //nolint:errcheck // a part of a line is refused by whoever comes next
	}
	return err
}

// last returns the end of the log that there is.
func last(file *os.File, size int64) (Head, error) {
	if size == 0 {
		return Head{}, nil
	}
	from := max(0, size-maxLine)
	tail := make([]byte, size-from)
	if _, err := file.ReadAt(tail, from); err != nil {
		return Head{}, err
	}
	found := pattern.FindSubmatch(tail[bytes.LastIndexByte(tail[:len(tail)-1], '\n')+1:])
	if found == nil {
		return Head{}, errors.New("its last line is not complete; keep the file as it is, and begin another log")
	}
	return headOf(found), nil
}

func headOf(found [][]byte) Head {
	number, _ := strconv.ParseInt(string(found[2]), 10, 64)
	return Head{number, string(found[3])}
}

func hash(before string, body []byte) string {
	if before == "" {
		before = start
	}
	sum := sha256.Sum256(append([]byte(before+"\n"), body...))
	return hex.EncodeToString(sum[:])
}

// Verify reads a log from its first line to its last, and returns its end. It returns ErrLog with the number of the
// first line that is broken. Compare the end with an earlier one: a log that was cut there is whole otherwise.
func Verify(path string) (Head, error) {
	file, err := os.Open(path)
	if err != nil {
		return Head{}, fmt.Errorf("%w: %w", ErrLog, err)
	}
	defer file.Close()
	head, reader := Head{}, bufio.NewReaderSize(file, maxLine+1)
	for {
		line, err := reader.ReadSlice('\n')
		if err == io.EOF && len(line) == 0 {
			return head, nil
		}
		broken := func(what string) (Head, error) {
			return Head{}, fmt.Errorf("%w: %s: line %d: %s", ErrLog, path, head.Lines+1, what)
		}
		if err == io.EOF || errors.Is(err, bufio.ErrBufferFull) {
			return broken("is not complete")
		}
		if err != nil {
			return Head{}, fmt.Errorf("%w: %w", ErrLog, err)
		}
		found := pattern.FindSubmatch(line)
		if found == nil {
			return broken("is not a line of a log")
		}
		next := headOf(found)
		if next.Lines != head.Lines+1 {
			return broken(fmt.Sprintf("has the number %d: lines are missing, or were added", next.Lines))
		}
		if hash(head.Hash, found[1]) != next.Hash {
			return broken("its hash is wrong: it, or the line before it, was changed")
		}
		head = next
	}
}
