// SPDX-License-Identifier: Apache-2.0

/** The cipher of a format that encrypts words, and the tweak of a plain cipher. */
export interface CipherOptions {
  cipher?: "fast" | "ff1" | "ff1-2016" | "ff3-1";
  tweak_hex?: string;
}

export interface TinyDomain {
  /** Accept a domain of fewer than 100 values. */
  allow_tiny_domain?: boolean;
}

/** The options of text formats. */
export interface TextOptions extends CipherOptions, TinyDomain {
  /** Characters that stay in their places. */
  separators?: string;
  /** Symbols at the beginning that stay in clear. */
  keep_first?: number;
  /** Symbols at the end that stay in clear. */
  keep_last?: number;
  /** Whether the symbols in clear become part of the tweak; true unless it is said. */
  kept_as_tweak?: boolean;
  min_length?: number;
  max_length?: number;
}

/** What becomes of a Luhn check digit. */
export type Luhn = "none" | "valid" | "invalid";
/** A whole number; as text or bigint if it is beyond 2^53. */
export type Whole = number | bigint;

export type Script =
  | "any" | "latin" | "greek" | "cyrillic" | "arabic" | "hebrew" | "devanagari" | "kana" | "hangul"
  | "cjk" | "japanese";

export type Repertoire =
  | "english" | "latin-1" | "croatian" | "czech" | "danish" | "dutch" | "finnish" | "french" | "german"
  | "hungarian" | "icelandic" | "italian" | "norwegian" | "polish" | "portuguese" | "romanian" | "slovak"
  | "spanish" | "swedish" | "turkish" | "vietnamese";

/** The options of each format, by its name. docs/reference/formats describes them. */
export interface FormatOptions {
  digits: TextOptions;
  hex: TextOptions & { case?: "lower" | "upper" };
  letters: TextOptions & { case?: "keep" | "lower" | "upper" | "mixed" };
  alphanumeric: TextOptions & { case?: "lower" | "upper" | "mixed" };
  base64url: TextOptions;
  ascii: TextOptions;
  alphabet: TextOptions & { alphabet: string };
  card: TextOptions & { luhn?: Luhn };
  ssn: TextOptions & { assignable?: boolean };
  phone: TextOptions & { country?: string };
  email: CipherOptions & TinyDomain & {
    part?: "local" | "all"; at?: string; case?: "lower" | "mixed"; kept_as_tweak?: boolean;
  };
  uuid: CipherOptions & { case?: "lower" | "upper" };
  date: CipherOptions & TinyDomain & { first?: string; last?: string; notation?: string };
  date_shift: CipherOptions & TinyDomain & {
    days?: number; first?: string; last?: string; notation?: string;
  };
  integer: CipherOptions & TinyDomain & { min: Whole; max: Whole; grouping_separator?: string };
  pattern: CipherOptions & TinyDomain & { pattern: string };
  iban: CipherOptions;
  national_id: CipherOptions & { kind: string };
  unicode: CipherOptions & {
    script?: Script; repertoire?: Repertoire; separators?: string; keep_first?: number;
    keep_last?: number; kept_as_tweak?: boolean; min_length?: number; max_length?: number;
  };
  decimal: CipherOptions & TinyDomain & {
    min: string | Whole; max: string | Whole; scale: number; decimal_separator?: "." | ",";
    grouping_separator?: string;
  };
  timestamp: CipherOptions & TinyDomain & {
    first?: string; last?: string; resolution?: "s" | "ms" | "us";
  };
  imei: TextOptions & { luhn?: Luhn };
  ipv4: CipherOptions & TinyDomain & { prefix?: number };
  ipv6: CipherOptions & { prefix?: number };
  ipcrypt: { mode?: "deterministic" | "nd" | "ndx" | "pfx" };
  mask: {
    keep_first?: number; keep_last?: number; character?: string; separators?: string; width?: number;
  };
  pseudonym: { notation?: "hex" | "base32" | "base64url"; length?: number };
  bucket: {
    width?: string | Whole; origin?: string | Whole; top?: string | Whole; edges?: (string | Whole)[];
    unit?: "month" | "quarter" | "year"; notation?: string; label?: "range" | "low";
  };
  truncate: { characters?: number; decimals?: number; replacement?: string };
}

export type FormatName = keyof FormatOptions;

type Required_<O> = { [K in keyof O as undefined extends O[K] ? never : K]: O[K] };

/** The names of formats that need no option. */
export type PlainFormatName = {
  [N in FormatName]: keyof Required_<FormatOptions[N]> extends never ? N : never;
}[FormatName];

/** A format as a policy writes it: its name, or its name as `type` with options. */
export type FormatDescription =
  | PlainFormatName
  | { [N in FormatName]: { type: N } & FormatOptions[N] }[FormatName];

/** JSON with whole numbers of any size. */
export function describe(description: unknown): string {
  const text = write(description);
  if (text === undefined) {
    throw new TypeError("a format is its name, or an object with its name as `type` and its options");
  }
  return text;
}

/** More levels than the core reads, and few enough for the stack. */
const MOST_LEVELS = 100;

function write(value: unknown, level = 0): string | undefined {
  if (level > MOST_LEVELS) {
    throw new TypeError("a format or policy is nested too deep, or has itself inside");
  }
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new TypeError("a whole number beyond 2^53 is not exact: write it as a bigint, such as 10n ** 18n");
  }
  if (typeof value === "bigint") {
    return value.toString();
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    return `{"$float":"${value}"}`;
  }
  if (Array.isArray(value)) {
    return `[${value.map((item) => write(item, level + 1) ?? "null").join(",")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).flatMap(([key, member]) => {
      const text = write(member, level + 1);
      return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`];
    });
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value) as string | undefined;
}
