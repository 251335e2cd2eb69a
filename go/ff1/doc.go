// SPDX-License-Identifier: Apache-2.0

// Package ff1 is FF1, the format-preserving encryption of NIST SP 800-38G, on words of symbols.
//
// A [Cipher] encrypts a word of symbols 0 to radix-1 to a word of the same radix and length, under a tweak.
// Symbols are bytes if the radix is at most 256, and uint16 above it: then the methods with 16 in their names
// take the place of the others.
//
// A cipher is safe for any number of goroutines at once. Close wipes its key; the garbage collector does if
// Close is not called. Functions return errors that [errors.Is] matches, and do not panic on any input. A nil
// receiver panics. No message contains a word, a tweak or a key.
//
// The C core of Tallystick does the work. Without cgo the same core runs as WebAssembly, with the same results
// but more slowly. For texts, such as cards and e-mail addresses, see package fast.
package ff1
