// SPDX-License-Identifier: Apache-2.0

// Package shamir shares secrets and data among several people, so that any threshold of them
// recover it and fewer cannot (Shamir, "How to share a secret", CACM 22, 1979). Its shares are
// authentic: a share names its set, and changed shares are found.
//
// [SplitAuthentic] and [CombineAuthentic] are for secrets. Shares that are damaged, altered or of
// another set are named, and recovery goes on with the others.
//
// [Disperse], [Recover] and [Verify] do the same for data of any size, in bounded memory. A share
// has about 1/threshold of the data's size.
//
// Both formats are those of the Python package; docs/reference/share-format.md has them to the
// byte. Functions may be called from any number of goroutines at once. Over cgo, no branch and no
// address depends on a secret.
//
// Raw shares, without any check, are in package go/hazmat/shamir. It is the drop-in for the
// packages of Vault and Go-Shamir.
package shamir
