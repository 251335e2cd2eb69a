// SPDX-License-Identifier: Apache-2.0

// Package text protects values inside text, such as prompts, logs and documents, and reveals them again in any
// text that has their tokens. A token recognizes itself by a check that depends on the key, so there is no table.
//
// docs/reference/text-tokens.md has the bytes, the limits, and what tokens survive. Python makes the same tokens.
package text
