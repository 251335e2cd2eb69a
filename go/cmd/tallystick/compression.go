// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// The endings of names of compressed files.
const (
	gz  = ".gz"
	zst = ".zst"
)

const largestWindow = 128 << 20 // bytes that unpacking .zst holds, as zstd itself has it

// unpack returns the content of a compressed file. It holds no more than a window of it.
func unpack(suffix string, raw io.Reader) (io.Reader, error) {
	switch suffix {
	case gz:
		return &members{raw: bufio.NewReader(raw)}, nil
	case zst:
		return zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(largestWindow))
	}
	return raw, nil
}

// pack returns what packs bytes into a sink, and is closed at the end; nil: nothing does.
func pack(suffix string, sink io.Writer) (io.WriteCloser, error) {
	switch suffix {
	case gz:
		return gzip.NewWriter(sink), nil // with neither name nor time
	case zst:
		return zstd.NewWriter(sink, zstd.WithEncoderConcurrency(1))
	}
	return nil, nil
}

// members reads a .gz file of one member or of several, and zeros behind them, which tapes leave. The standard library
// reads no such zeros.
type members struct {
	raw    *bufio.Reader
	stream *gzip.Reader
	inside bool
}

func (m *members) Read(into []byte) (int, error) {
	for {
		if !m.inside {
			if err := m.begin(); err != nil {
				return 0, err
			}
		}
		count, err := m.stream.Read(into)
		if err == io.EOF {
			m.inside, err = false, nil
		}
		if count > 0 || err != nil {
			return count, err
		}
	}
}

// begin reads the next member's header; io.EOF: there is none.
func (m *members) begin() (err error) {
	for m.stream != nil {
		next, err := m.raw.ReadByte()
		if err != nil {
			return err
		}
		if next != 0 {
			if err := m.raw.UnreadByte(); err != nil {
				return err
			}
			break
		}
	}
	if m.stream == nil {
		m.stream, err = gzip.NewReader(m.raw)
	} else {
		err = m.stream.Reset(m.raw)
	}
	if err != nil {
		return err
	}
	m.stream.Multistream(false)
	m.inside = true
	return nil
}

// unpacked reads a place's content; errors of unpacking say so.
type unpacked struct {
	place
	stream io.Reader
}

func (u *unpacked) Read(into []byte) (int, error) {
	count, err := u.stream.Read(into)
	var known *failure
	if err == nil || err == io.EOF || errors.As(err, &known) {
		return count, err
	}
	return count, fileError("%v: the file is damaged, cut short, or not a %s file", u.place, u.compression())
}
