// SPDX-License-Identifier: Apache-2.0

// Package shamir shares secrets and data among several people, so that any few of them recover them and
// no fewer can (Shamir, "How to share a secret", CACM 22, 1979). Its shares are authentic: a share says
// which set it belongs to, and a changed one is found.
//
// [SplitAuthentic] and [CombineAuthentic] are for secrets: a share that is damaged, altered or of
// another set is named, and recovery goes on with the others.
//
// [Disperse], [Recover] and [Verify] do the same for data of any size, in bounded memory; a share is about
// 1/threshold of the data.
//
// Both formats are those of the Python package; docs/reference/share-format.md has them to the byte. Functions may be
// called from any number of goroutines at once. No branch and no address depends on a secret, over cgo.
//
// Raw shares, without any check, are in package go/hazmat/shamir. It is the drop-in for the packages of
// Vault and Go-Shamir.
package shamir
