// SPDX-License-Identifier: Apache-2.0

// Package fast replaces values by tokens of the same format, with FAST, format-preserving
// encryption (Durak, Horst, Horst, Vaudenay, ASIACRYPT 2021, ePrint 2021/1171).
//
// There are three kinds of handles. A [Tokenizer] protects texts of a [Format], such as [Card] or
// [Email]. Its tokens are those of the Python package for the same format, key and namespace. A
// [Cipher] encrypts words: slices of symbols 0 to radix-1, one symbol a byte. A [Range] encrypts
// numbers.
//
// All three are safe for any number of goroutines at once. Close wipes their keys; the garbage
// collector does if Close is not called. They return errors that [errors.Is] matches, and do not
// panic on any input. A nil receiver panics. No message contains a value, a tweak or a key.
//
// The C core of Tallystick does the work. go build compiles it; there is nothing to install, and no
// flag to set. Without cgo the same core runs as WebAssembly, with the same results but more
// slowly; docs/reference/go.md has figures.
//
// The work for a text is of order length^1.5. A format takes at most [DefaultMaxLength] symbols
// unless it sets another limit. [Tokenizer.Work] estimates the work. Functions with a context stop
// between two batches when the context is done.
//
// Equal values have equal tokens under one key and tweak, so frequencies can be counted. A changed
// token is revealed to another value without an error. See
// docs/explanation/what-a-token-reveals.md.
package fast
