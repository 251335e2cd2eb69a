// SPDX-License-Identifier: Apache-2.0

/** What went wrong: the statuses of the core, by name. */
const CODES: Readonly<Record<number, string>> = {
  1: "argument", 2: "entropy", 3: "memory", 16: "key_size", 48: "shares_few", 49: "shares_sets",
  50: "shares_false", 64: "format", 65: "type", 66: "one_way", 67: "read_only", 68: "room",
  69: "tweaks", 80: "namespace", 81: "invalid", 82: "array", 96: "keyring", 97: "root_key", 98: "no_key",
  99: "reference", 112: "policy", 144: "text_check_bits", 145: "text_kind", 146: "text_value",
  147: "text_keys",
};

export function codeOf(status: number): string {
  return CODES[status] ?? "internal";
}

/** Every error that this package throws on purpose. The message never holds a value or a key. */
export class TallystickError extends Error {
  override name = "TallystickError";
  /** Such as `format`, `policy`, `key_size`, `one_way`, `root_key`, `closed`. */
  readonly code: string;
  /** Where: a dotted path in a format or policy, or empty. */
  readonly place: string;

  constructor(code: string, message: string, place = "") {
    super(message);
    this.code = code;
    this.place = place;
  }
}

/** Why a value is invalid: the names of the documentation. */
export type Reason =
  | "short" | "long" | "foreign" | "delimiter" | "check" | "tweak" | "notation" | "range" | "normal";

export const REASONS: readonly (Reason | "")[] = [
  "", "short", "long", "foreign", "delimiter", "check", "tweak", "notation", "range", "normal",
];

/** The class of the character at fault: all that a message says about it. */
export type CharacterClass =
  | "a letter" | "a digit" | "a space" | "a control character" | "another character";

export const CLASSES: readonly CharacterClass[] = [
  "a letter", "a digit", "a space", "a control character", "another character",
];

/** A value does not match its format, and `onInvalid` is `error`. */
export class InvalidValueError extends TallystickError {
  override name = "InvalidValueError";
  readonly reason: Reason;
  /** The reason in words, without the value. */
  readonly why: string;
  /** The row in the array or column, from 0; -1 for a value alone. */
  readonly row: number;
  /** The place of the character at fault, from 1; 0: no character is. */
  readonly position: number;
  readonly character: CharacterClass | undefined;
  readonly #words: string;
  readonly #where: string;

  constructor(
    reason: Reason, words: string, row: number, position: number, character: CharacterClass | undefined,
    where = "",
  ) {
    const why = position === 0 ? words : `${words} (${character}, character ${position})`;
    const place = [where, row < 0 ? "" : `row ${row}`].filter((part) => part !== "").join(", ");
    super("invalid", place === "" ? why : `${place}: ${why}`);
    this.reason = reason;
    this.why = why;
    this.row = row;
    this.position = position;
    this.character = character;
    this.#words = words;
    this.#where = where;
  }

  /** @internal The same of another row: that of the record from which a column's row came. */
  at(row: number): InvalidValueError {
    return new InvalidValueError(this.reason, this.#words, row, this.position, this.character, this.#where);
  }
}
