// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"
)

// TestCutFiles reads packed text that ends anywhere: it is never taken for all of it.
func TestCutFiles(t *testing.T) {
	text := bytes.Repeat([]byte("some text, \x00\xff"), 300)
	for _, suffix := range []string{gz, zst} {
		var whole bytes.Buffer
		packer, err := pack(suffix, &whole)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := packer.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := packer.Close(); err != nil {
			t.Fatal(err)
		}
		of := place{path: "file" + suffix}
		for size := range whole.Len() {
			stream, err := content(of, bytes.NewReader(whole.Bytes()[:size]))
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(stream)
			if size == 0 {
				continue // an empty file has no text, as the Python package's command has it for .gz
			}
			if err == nil || len(got) > len(text) {
				t.Fatalf("%s: %d of %d bytes are taken for the whole file", suffix, size, whole.Len())
			}
		}
		stream, err := content(of, &whole)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(stream); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%s: %v", suffix, err)
		}
	}
}

// TestMembers reads several members and zeros behind them, and refuses anything else there.
func TestMembers(t *testing.T) {
	var two bytes.Buffer
	for _, text := range []string{"one ", "", "two"} {
		packer := gzip.NewWriter(&two)
		if _, err := packer.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := packer.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for behind, good := range map[string]bool{"": true, "\x00\x00\x00": true, "x": false, "\x00\x1f\x8b": false} {
		stream, err := content(place{path: "a.gz"}, io.MultiReader(bytes.NewReader(two.Bytes()), bytes.NewReader([]byte(behind))))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(stream); (err == nil) != good || good && string(got) != "one two" {
			t.Fatalf("%q: %q, %v", behind, got, err)
		}
	}
}
