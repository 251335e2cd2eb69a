// SPDX-License-Identifier: Apache-2.0

// Package policy reads the policies of Tallystick, the same TOML files that the Python package and its
// command read (docs/reference/policy.md), and protects and reveals records by them: fields of JSON, rows of a
// database, or whatever else is values with names.
//
// A policy that Python accepts and this package does not is refused with an error, never read in another
// way. There are two kinds. An integer format may have a min or max beyond 64 bits with sign. And these
// formats are in Python alone: pattern, iban, national_id, unicode, decimal, timestamp, imei, ipv4, ipv6,
// mask, pseudonym. What a policy says of CSV files is checked no further than its names, and has no meaning
// here.
//
// [Protector.ProtectRecords] is for services. It refuses a field that the policy does not name, unless the
// policy says unlisted = "keep". A table of a file is different: there fields that nobody named pass in
// clear, unless the policy says unlisted = "error".
package policy
