// SPDX-License-Identifier: Apache-2.0

// Package policy reads the policies of Tallystick, the same TOML files that the Python package and its
// command read (docs/reference/policy.md), and protects and reveals records by them: fields of JSON, rows of a
// database, or whatever else is values with names.
//
// Policies are checked by the core, as in every language. TOML's integers end at 64 bits with sign here: a
// larger end of a range is refused. What a policy says of CSV files has no meaning here.
//
// [Protector.ProtectRecords] is for services. It refuses a field that the policy does not name, unless the
// policy says unlisted = "keep". A table of a file is different: there fields that nobody named pass in
// clear, unless the policy says unlisted = "error".
package policy
