// SPDX-License-Identifier: Apache-2.0

// Package policy reads the policies of Tallystick, the same TOML files that the Python package and its
// command read (docs/policy.md), and protects and reveals records by them: fields of JSON, rows of a
// database, or whatever else is values with names.
//
// A policy that Python accepts and this package does not is refused with an error, never read in another
// way. There is one kind: an integer format whose min or max is beyond 64 bits with sign. What a policy
// says of CSV files is checked no further than its names, and has no meaning here.
package policy
