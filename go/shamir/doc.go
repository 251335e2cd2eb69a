// SPDX-License-Identifier: Apache-2.0

// Package shamir shares secrets and data among several people, so that any few of them recover them and
// no fewer can (Shamir, "How to share a secret", CACM 22, 1979). There are three kinds of share.
//
// [Split] and [Combine] are a drop-in for github.com/hashicorp/vault/shamir and
// github.com/fadhilkurnia/shamir/shamir: change the import line. Their raw shares are hazardous: a wrong,
// altered or foreign share, or one too few, gives a wrong secret without an error. [CombineField] reads
// those of tools that work modulo 0x11D.
//
// [SplitAuthentic] and [CombineAuthentic] are for new secrets: a share that is damaged, altered or of
// another set is named, and recovery goes on with the others.
//
// [Disperse], [Recover] and [Verify] do the same for data of any size, in bounded memory; a share is about
// 1/threshold of the data.
//
// Both formats are those of the Python package; docs/share-format.md has them to the byte. Functions may be
// called from any number of goroutines at once. No branch and no address depends on a secret, over cgo.
package shamir
