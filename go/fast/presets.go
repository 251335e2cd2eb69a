// SPDX-License-Identifier: Apache-2.0

// Written by tools/formats.py from the tables of the core.

package fast

// Digits makes the format "digits" (docs/reference/formats/digits.md). Decimal digits.
func Digits(options ...FormatOption) *Format {
	return newFormat("digits", options)
}

// Hex makes the format "hex" (docs/reference/formats/hex.md). Hexadecimal digits.
func Hex(options ...FormatOption) *Format {
	return newFormat("hex", options)
}

// Letters makes the format "letters" (docs/reference/formats/letters.md). Letters a to z: names.
func Letters(options ...FormatOption) *Format {
	return newFormat("letters", options)
}

// Alphanumeric makes the format "alphanumeric" (docs/reference/formats/alphanumeric.md). Letters and digits.
func Alphanumeric(options ...FormatOption) *Format {
	return newFormat("alphanumeric", options)
}

// Base64URL makes the format "base64url" (docs/reference/formats/base64url.md). Base64url (RFC 4648); padding stays.
func Base64URL(options ...FormatOption) *Format {
	return newFormat("base64url", options)
}

// ASCII makes the format "ascii" (docs/reference/formats/ascii.md). All 95 printable ASCII characters.
func ASCII(options ...FormatOption) *Format {
	return newFormat("ascii", options)
}

// Alphabet makes the format "alphabet" (docs/reference/formats/alphabet.md). Characters of one's own alphabet.
func Alphabet(alphabet string, options ...FormatOption) *Format {
	return newFormat("alphabet", options, FormatOption{"alphabet", alphabet})
}

// Card makes the format "card" (docs/reference/formats/card.md). Payment card numbers, with check digit.
func Card(options ...FormatOption) *Format {
	return newFormat("card", options)
}

// SSN makes the format "ssn" (docs/reference/formats/ssn.md). US social security numbers.
func SSN(options ...FormatOption) *Format {
	return newFormat("ssn", options)
}

// Phone makes the format "phone" (docs/reference/formats/phone.md). Phone numbers.
func Phone(options ...FormatOption) *Format {
	return newFormat("phone", options)
}

// Email makes the format "email" (docs/reference/formats/email.md). E-mail addresses; mail to tokens may arrive.
func Email(options ...FormatOption) *Format {
	return newFormat("email", options)
}

// UUID makes the format "uuid" (docs/reference/formats/uuid.md). UUIDs; version and variant stay.
func UUID(options ...FormatOption) *Format {
	return newFormat("uuid", options)
}

// Date makes the format "date" (docs/reference/formats/date.md). Calendar dates of a range.
func Date(options ...FormatOption) *Format {
	return newFormat("date", options)
}

// DateShift makes the format "date_shift" (docs/reference/formats/date_shift.md). Dates moved by days, the same for each tweak.
func DateShift(options ...FormatOption) *Format {
	return newFormat("date_shift", options)
}

// Integer makes the format "integer" (docs/reference/formats/integer.md). Integers of a range.
func Integer(first int64, last int64, options ...FormatOption) *Format {
	return newFormat("integer", options, FormatOption{"min", first}, FormatOption{"max", last})
}

// Pattern makes the format "pattern" (docs/reference/formats/pattern.md). Codes by a pattern: plates, postal codes.
func Pattern(pattern string, options ...FormatOption) *Format {
	return newFormat("pattern", options, FormatOption{"pattern", pattern})
}

// IBAN makes the format "iban" (docs/reference/formats/iban.md). IBANs, with check digits; the country stays.
func IBAN(options ...FormatOption) *Format {
	return newFormat("iban", options)
}

// NationalID makes the format "national_id" (docs/reference/formats/national_id.md). National identifiers, with check digits.
func NationalID(kind string, options ...FormatOption) *Format {
	return newFormat("national_id", options, FormatOption{"kind", kind})
}

// Unicode makes the format "unicode" (docs/reference/formats/unicode.md). Letters of a script: names of the world.
func Unicode(options ...FormatOption) *Format {
	return newFormat("unicode", options)
}

// Decimal makes the format "decimal" (docs/reference/formats/decimal.md). Decimal numbers of a range.
func Decimal(first string, last string, scale int, options ...FormatOption) *Format {
	return newFormat("decimal", options, FormatOption{"min", first}, FormatOption{"max", last}, FormatOption{"scale", scale})
}

// Timestamp makes the format "timestamp" (docs/reference/formats/timestamp.md). Points in time of a range.
func Timestamp(options ...FormatOption) *Format {
	return newFormat("timestamp", options)
}

// IMEI makes the format "imei" (docs/reference/formats/imei.md). IMEI of mobile devices, with check digit.
func IMEI(options ...FormatOption) *Format {
	return newFormat("imei", options)
}

// IPv4 makes the format "ipv4" (docs/reference/formats/ipv4.md). IPv4 addresses; the network stays.
func IPv4(options ...FormatOption) *Format {
	return newFormat("ipv4", options)
}

// IPv6 makes the format "ipv6" (docs/reference/formats/ipv6.md). IPv6 addresses; the network stays.
func IPv6(options ...FormatOption) *Format {
	return newFormat("ipv6", options)
}

// IPcrypt makes the format "ipcrypt" (docs/reference/formats/ipcrypt.md). IPv4 and IPv6 addresses by draft-denis-ipcrypt; the key is the draft's own.
func IPcrypt(options ...FormatOption) *Format {
	return newFormat("ipcrypt", options)
}

// Mask makes the format "mask" (docs/reference/formats/mask.md). Text hidden but for its ends; one-way, without a key.
func Mask(options ...FormatOption) *Format {
	return newFormat("mask", options)
}

// Pseudonym makes the format "pseudonym" (docs/reference/formats/pseudonym.md). Text replaced by tags under the key (HMAC); one-way.
func Pseudonym(options ...FormatOption) *Format {
	return newFormat("pseudonym", options)
}

// Bucket makes the format "bucket" (docs/reference/formats/bucket.md). Ranges of numbers and dates: ages; one-way, without a key.
func Bucket(options ...FormatOption) *Format {
	return newFormat("bucket", options)
}

// Truncate makes the format "truncate" (docs/reference/formats/truncate.md). Text and decimals cut short: postal codes; one-way, without a key.
func Truncate(options ...FormatOption) *Format {
	return newFormat("truncate", options)
}
