// SPDX-License-Identifier: Apache-2.0

// Package fast replaces values by tokens of the same format, with FAST, format-preserving encryption
// (Durak, Horst, Horst, Vaudenay, ASIACRYPT 2021, ePrint 2021/1171).
//
// There are two levels. A [Tokenizer] works on texts of a [Format], such as [Card] or [Email]: its
// tokens are those of the Python package for the same format, key and namespace. A [Cipher] works on
// words, slices of symbols 0 to radix-1, one byte a symbol, and a [Range] on numbers.
//
// All of them are safe for any number of goroutines at once, wipe their keys on Close, and, if they are
// not closed, when they are collected. They return errors that [errors.Is] knows, and do not panic on
// any input; nil receivers are none, and panic. No message has a value, a tweak or a key in it.
//
// The work is done by the C core of Tallystick, which go build compiles; there is nothing to install,
// and no flag to set. Without cgo the same core runs as WebAssembly, with the same results but more
// slowly; docs/reference/go.md has figures.
//
// The work of a text is of order length^1.5, so formats take [DefaultMaxLength] symbols unless they say more,
// [Tokenizer.Work] estimates it, and functions with a context end between batches once it is done.
//
// Equal values have equal tokens under one key and tweak, so frequencies can be counted, and a changed
// token is revealed to another value without an error: see docs/explanation/what-a-token-reveals.md.
package fast
