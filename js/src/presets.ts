// SPDX-License-Identifier: Apache-2.0

// Written by tools/formats.py from the tables of the core.

import type { CipherOptions, Whole } from "./formats.js";

export type Luhn = "none" | "valid" | "invalid";
export type Script = "any" | "latin" | "greek" | "cyrillic" | "arabic" | "hebrew" | "devanagari" | "kana" | "hangul" | "cjk" | "japanese";
export type Repertoire = "english" | "latin-1" | "croatian" | "czech" | "danish" | "dutch" | "finnish" | "french" | "german" | "hungarian" | "icelandic" | "italian" | "norwegian" | "polish" | "portuguese" | "romanian" | "slovak" | "spanish" | "swedish" | "turkish" | "vietnamese";

/** The options of each format, by its name. docs/reference/formats describes them. */
export interface FormatOptions {
  /** Decimal digits. */
  digits: CipherOptions & {
    separators?: string;
    keep_first?: Whole;
    keep_last?: Whole;
    kept_as_tweak?: boolean;
    min_length?: Whole;
    max_length?: Whole;
    allow_tiny_domain?: boolean;
  };
  /** Hexadecimal digits. */
  hex: CipherOptions & {
    case?: "lower" | "upper";
    separators?: string;
    keep_first?: Whole;
    keep_last?: Whole;
    kept_as_tweak?: boolean;
    min_length?: Whole;
    max_length?: Whole;
    allow_tiny_domain?: boolean;
  };
  /** Letters a to z: names. */
  letters: CipherOptions & {
    case?: "keep" | "lower" | "upper" | "mixed";
    separators?: string;
    keep_first?: Whole;
    keep_last?: Whole;
    kept_as_tweak?: boolean;
    min_length?: Whole;
    max_length?: Whole;
    allow_tiny_domain?: boolean;
  };
  /** Letters and digits. */
  alphanumeric: CipherOptions & {
    case?: "lower" | "upper" | "mixed";
    separators?: string;
    keep_first?: Whole;
    keep_last?: Whole;
    kept_as_tweak?: boolean;
    min_length?: Whole;
    max_length?: Whole;
    allow_tiny_domain?: boolean;
  };
  /** Base64url (RFC 4648); padding stays. */
  base64url: CipherOptions & {
    separators?: string;
    keep_first?: Whole;
    keep_last?: Whole;
    kept_as_tweak?: boolean;
    min_length?: Whole;
    max_length?: Whole;
    allow_tiny_domain?: boolean;
  };
  /** All 95 printable ASCII characters. */
  ascii: CipherOptions & {
    separators?: string;
    keep_first?: Whole;
    keep_last?: Whole;
    kept_as_tweak?: boolean;
    min_length?: Whole;
    max_length?: Whole;
    allow_tiny_domain?: boolean;
  };
  /** Characters of one's own alphabet. */
  alphabet: CipherOptions & {
    alphabet: string;
    separators?: string;
    keep_first?: Whole;
    keep_last?: Whole;
    kept_as_tweak?: boolean;
    min_length?: Whole;
    max_length?: Whole;
    allow_tiny_domain?: boolean;
  };
  /** Payment card numbers, with check digit. */
  card: CipherOptions & {
    luhn?: Luhn;
    separators?: string;
    keep_first?: Whole;
    keep_last?: Whole;
    kept_as_tweak?: boolean;
    min_length?: Whole;
    max_length?: Whole;
    allow_tiny_domain?: boolean;
  };
  /** US social security numbers. */
  ssn: CipherOptions & {
    assignable?: boolean;
    separators?: string;
    keep_first?: Whole;
    keep_last?: Whole;
    kept_as_tweak?: boolean;
    min_length?: Whole;
    max_length?: Whole;
    allow_tiny_domain?: boolean;
  };
  /** Phone numbers. */
  phone: CipherOptions & {
    country?: string;
    separators?: string;
    keep_first?: Whole;
    keep_last?: Whole;
    kept_as_tweak?: boolean;
    min_length?: Whole;
    max_length?: Whole;
    allow_tiny_domain?: boolean;
  };
  /** E-mail addresses; mail to tokens may arrive. */
  email: CipherOptions & {
    part?: "local" | "all";
    case?: "lower" | "mixed";
    at?: string;
    kept_as_tweak?: boolean;
    allow_tiny_domain?: boolean;
  };
  /** UUIDs; version and variant stay. */
  uuid: CipherOptions & {
    case?: "lower" | "upper";
  };
  /** Calendar dates of a range. */
  date: CipherOptions & {
    first?: string;
    last?: string;
    notation?: string;
    allow_tiny_domain?: boolean;
  };
  /** Dates moved by days, the same for each tweak. */
  date_shift: {
    days?: number;
    first?: string;
    last?: string;
    notation?: string;
    allow_tiny_domain?: boolean;
  };
  /** Integers of a range. */
  integer: CipherOptions & {
    min: Whole;
    max: Whole;
    grouping_separator?: string;
    allow_tiny_domain?: boolean;
  };
  /** Codes by a pattern: plates, postal codes. */
  pattern: CipherOptions & {
    pattern: string;
    allow_tiny_domain?: boolean;
  };
  /** IBANs, with check digits; the country stays. */
  iban: CipherOptions;
  /** National identifiers, with check digits. */
  national_id: CipherOptions & {
    kind: string;
  };
  /** Letters of a script: names of the world. */
  unicode: CipherOptions & {
    script?: Script;
    repertoire?: Repertoire;
    separators?: string;
    keep_first?: number;
    keep_last?: number;
    kept_as_tweak?: boolean;
    min_length?: number;
    max_length?: number;
  };
  /** Decimal numbers of a range. */
  decimal: CipherOptions & {
    min: string | Whole;
    max: string | Whole;
    scale: number;
    decimal_separator?: string;
    grouping_separator?: string;
    allow_tiny_domain?: boolean;
  };
  /** Points in time of a range. */
  timestamp: CipherOptions & {
    first?: string;
    last?: string;
    resolution?: "s" | "ms" | "us";
    allow_tiny_domain?: boolean;
  };
  /** IMEI of mobile devices, with check digit. */
  imei: CipherOptions & {
    luhn?: Luhn;
    separators?: string;
    keep_first?: Whole;
    keep_last?: Whole;
    kept_as_tweak?: boolean;
    min_length?: Whole;
    max_length?: Whole;
    allow_tiny_domain?: boolean;
  };
  /** IPv4 addresses; the network stays. */
  ipv4: CipherOptions & {
    prefix?: number;
    allow_tiny_domain?: boolean;
  };
  /** IPv6 addresses; the network stays. */
  ipv6: CipherOptions & {
    prefix?: Whole;
  };
  /** IPv4 and IPv6 addresses by draft-denis-ipcrypt; the key is the draft's own. */
  ipcrypt: {
    mode?: "deterministic" | "nd" | "ndx" | "pfx";
  };
  /** Text hidden but for its ends; one-way, without a key. */
  mask: {
    keep_first?: number;
    keep_last?: number;
    character?: string;
    separators?: string;
    width?: number;
  };
  /** Text replaced by tags under the key (HMAC); one-way. */
  pseudonym: {
    notation?: "hex" | "base32" | "base64url";
    length?: number;
  };
  /** Ranges of numbers and dates: ages; one-way, without a key. */
  bucket: {
    width?: string | Whole;
    origin?: string | Whole;
    top?: string | Whole;
    edges?: (string | Whole)[];
    unit?: "month" | "quarter" | "year";
    notation?: string;
    label?: "range" | "low";
  };
  /** Text and decimals cut short: postal codes; one-way, without a key. */
  truncate: {
    characters?: number;
    decimals?: number;
    replacement?: string;
  };
}
