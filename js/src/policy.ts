// SPDX-License-Identifier: Apache-2.0
import type { ArrowVector } from "./arrow.js";
import type { IntegerArray, Texts } from "./column.js";
import { CsvTransformer } from "./csv.js";
import { InvalidValueError, TallystickError } from "./errors.js";
import type { Address } from "./exports.js";
import { Format } from "./format.js";
import { describe } from "./formats.js";
import type { Keyring } from "./keyring.js";
import { checkOptions, checkRing, encode, isWellFormed, type Machine, roomFor } from "./machine.js";
import { lines, NdjsonTransformer, textOfSpan } from "./ndjson.js";
import { type Change, Column, Named, noField, type Reader } from "./paths.js";
import { copied, fieldText, like, Place, PlaceReader } from "./records.js";
import { type OnInvalid, Tokenizer } from "./tokenizer.js";

/** How one column is protected. */
export interface Rule {
  readonly column: string;
  readonly format: Format;
  /** Such as `people:1`; empty: the format has no key. */
  readonly key: string;
  readonly namespace: string;
  /** The column with the rows' tweaks. */
  readonly tweak: string | undefined;
  readonly onInvalid: OnInvalid;
}

/** The CSV dialect of a policy. */
export interface CsvDialect {
  readonly delimiter: string;
  /** Empty: fields are never quoted. */
  readonly quote: string;
  readonly skipInitialSpace: boolean;
  readonly header: boolean;
  /** Undefined: UTF-8. */
  readonly encoding: string | undefined;
}

const ON_INVALID = ["error", "null", "keep"] as const;
const UNLISTED = [undefined, "keep", "error"] as const;
const MOST = 1 << 20;
/** The texts of a policy, as the core numbers them. */
const TEXT = { column: 0, namespace: 1, tweak: 2, key: 3, keep: 4, mixed: 5, encoding: 6 } as const;

/** A policy: which columns of a table are protected, how and under which key. */
export class Policy {
  readonly rules: readonly Rule[];
  /** What becomes of columns that the policy does not name; undefined: it does not say. */
  readonly unlisted: "keep" | "error" | undefined;
  readonly keep: readonly string[];
  readonly mixedFormats: readonly string[];
  readonly csv: CsvDialect;
  readonly #machine: Machine;

  /** @internal Use {@link Tallystick.policy}. */
  constructor(machine: Machine, policy: string | object) {
    const { core } = machine, isText = typeof policy === "string";
    if (!isText && (typeof policy !== "object" || (policy as object | null) === null)) {
      throw new TypeError("policy: pass text in TOML, or an object with the same tables");
    }
    const text = isText ? policy : describe(policy);
    if (text.length > 4 * MOST) {
      throw new TallystickError("policy", "a policy has at most 1 MiB");
    }
    if (!isWellFormed(text)) {
      throw new TallystickError("policy", "a policy is UTF-8, and this text can't be written so");
    }
    const address = machine.run(roomFor(text) + 16, () => {
      const out = machine.take(4), at = machine.take(roomFor(text) + 1), size = encode(text, machine.bytes, at);
      machine.check(
        isText ? core.tally_js_policy_new(at, size, out, machine.problem)
          : core.tally_policy_new(0, at, size, out, machine.problem),
      );
      return machine.u32(out);
    });
    this.#machine = machine;
    machine.forgotten.register(this, { free: () => core.tally_policy_free(address) });
    this.rules = all((index) => this.#rule(address, index));
    this.keep = all((index) => policyText(machine, address, TEXT.keep, index));
    this.mixedFormats = all((index) => policyText(machine, address, TEXT.mixed, index));
    this.csv = dialect(machine, address);
    this.unlisted = UNLISTED[core.tally_policy_unlisted(address)];
  }

  #rule(policy: Address, index: number): Rule | undefined {
    const machine = this.#machine, text = (which: number): string | undefined => policyText(machine, policy, which, index);
    const found = machine.run(12, () => {
      const out = machine.take(12), isThere = machine.core.tally_js_rule(policy, index, out) !== 0;
      return isThere ? { format: machine.u32(out), version: machine.u32(out + 4), onInvalid: machine.u32(out + 8) } : undefined;
    });
    return found && {
      column: text(TEXT.column)!,
      format: new Format(machine, found.format, this),
      key: found.version === 0 ? "" : `${text(TEXT.key)}:${found.version}`,
      namespace: text(TEXT.namespace) ?? "",
      tweak: text(TEXT.tweak),
      onInvalid: ON_INVALID[found.onInvalid]!,
    };
  }

  /**
   * Takes the keys that the policy names from an open ring, which may be closed afterwards. A format
   * without a key needs none. Close the protector to wipe the keys.
   */
  open(ring?: Keyring, options: { reveal?: boolean } = {}): Protector {
    checkOptions(options, "reveal");
    return new Protector(this.#machine, this, ring, options.reveal ?? true);
  }
}

function all<T>(read: (index: number) => T | undefined): T[] {
  const found: T[] = [];
  for (let one: T | undefined; (one = read(found.length)) !== undefined; ) {
    found.push(one);
  }
  return found;
}

function policyText(machine: Machine, policy: Address, which: number, index: number): string | undefined {
  const { core } = machine, size = core.tally_js_policy_text(policy, which, index, 0, 0);
  return size < 0 ? undefined : machine.run(size, () => {
    const out = machine.take(size);
    core.tally_js_policy_text(policy, which, index, out, size);
    return machine.decode(out, size);
  });
}

function dialect(machine: Machine, policy: Address): CsvDialect {
  const [delimiter, quote, skip, header] = machine.run(16, () => {
    const out = machine.take(16);
    machine.core.tally_js_policy_csv(policy, out);
    return [0, 4, 8, 12].map((at) => machine.u32(out + at));
  });
  return {
    delimiter: delimiter === 0 ? "," : String.fromCharCode(delimiter!),
    quote: quote === 0 ? "" : String.fromCharCode(quote!),
    skipInitialSpace: skip !== 0,
    header: header !== 0,
    encoding: policyText(machine, policy, TEXT.encoding, 0),
  };
}

/** A record: fields by their names. */
export type Row = Record<string, unknown>;

/** Bytes in, bytes out. */
export type ByteStream = TransformStream<Uint8Array, Uint8Array>;

/** A rule, and what makes an array of the core from a column of it: tokens, or their values. */
export interface ColumnWork {
  readonly rule: Rule;
  run(column: Address, tweaks: Address, first: number): Address;
}

/** Protects and reveals by a policy. */
export class Protector {
  readonly policy: Policy;
  /** Whether tokens may be revealed. */
  readonly reveals: boolean;
  readonly #machine: Machine;
  readonly #tokenizers = new Map<string, Tokenizer>();
  readonly #columns: ReadonlyMap<Rule, Column>;
  readonly #named: Named;

  /** @internal Use {@link Policy.open}. */
  constructor(machine: Machine, policy: Policy, ring: Keyring | undefined, reveals: boolean) {
    this.#machine = machine;
    this.policy = policy;
    this.reveals = reveals;
    checkRing(ring, "ring");
    if (ring?.demandsSignatures === true) {
      throw new TallystickError(
        "policy", "the key ring demands signed policies, which this package can't verify; use the command line, Python or Go",
      );
    }
    this.#columns = new Map(policy.rules.map((rule) => [rule, new Column(machine, rule.column, rule.tweak)]));
    this.#named = new Named(machine, [...policy.keep, ...policy.rules.flatMap(({ column, tweak }) => tweak === undefined ? [column] : [column, tweak])]);
    try {
      for (const rule of policy.rules) {
        this.#tokenizers.set(rule.column, tokenizerOf(rule, ring));
      }
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** The tokens of a column's values. `tweaks` are the values of the rule's tweak column. */
  protect(column: string, values: Texts, tweaks?: Texts): (string | null)[];
  protect<A extends IntegerArray>(column: string, values: A, tweaks?: Texts): A;
  protect<V extends ArrowVector>(column: string, values: V, tweaks?: Texts | ArrowVector): V;
  protect(column: string, values: never, tweaks?: never): unknown {
    return this.#with(column, tweaks).protect(values, tweaks);
  }

  /** The inverse of {@link protect}. */
  reveal(column: string, tokens: Texts, tweaks?: Texts): (string | null)[];
  reveal<A extends IntegerArray>(column: string, tokens: A, tweaks?: Texts): A;
  reveal<V extends ArrowVector>(column: string, tokens: V, tweaks?: Texts | ArrowVector): V;
  reveal(column: string, tokens: never, tweaks?: never): unknown {
    this.#checkReveals();
    return this.#with(column, tweaks).reveal(tokens, tweaks);
  }

  /**
   * New records, in which the fields of the policy's rules are tokens. A field may be missing, or null,
   * or text, or a number. A field that the policy does not name is an error unless the policy says
   * `unlisted = "keep"`; then it is an error if no record has a field of a rule.
   */
  protectRecords<R extends Row>(records: readonly R[]): R[] {
    return this.#records(false, records);
  }

  /** The inverse of {@link protectRecords}; fields of one-way formats stay as they are. */
  revealRecords<R extends Row>(records: readonly R[]): R[] {
    this.#checkReveals();
    return this.#records(true, records);
  }

  /**
   * A stream that protects a CSV file in the policy's dialect, in UTF-8. Every byte outside the replaced
   * fields stays. An empty field is null. After an error what came out is incomplete: throw it away.
   */
  protectCsv(): ByteStream {
    return this.#csv(false);
  }

  /** The inverse of {@link protectCsv}. */
  revealCsv(): ByteStream {
    return this.#csv(true);
  }

  /**
   * A stream that protects NDJSON: an object a line, in UTF-8. Every byte outside the replaced values stays,
   * and a number is taken as it is written. After an error what came out is incomplete: throw it away.
   */
  protectNdjson(): ByteStream {
    return this.#ndjson(false);
  }

  /** The inverse of {@link protectNdjson}. */
  revealNdjson(): ByteStream {
    return this.#ndjson(true);
  }

  /** Wipes all keys. */
  close(): void {
    for (const tokenizer of this.#tokenizers.values()) {
      tokenizer.close();
    }
  }

  #checkReveals(): void {
    if (!this.reveals) {
      throw new TallystickError("argument", "this protector was opened with reveal: false");
    }
  }

  #with(column: string, tweaks: unknown): Tokenizer {
    const tokenizer = this.#tokenizers.get(column);
    if (tokenizer === undefined) {
      const known = this.policy.rules.map((rule) => JSON.stringify(rule.column)).join(", ");
      throw new TallystickError("policy", `there is no rule for this column; pass one of ${known}`);
    }
    const rule = this.policy.rules.find((one) => one.column === column)!;
    if ((rule.tweak === undefined) !== (tweaks === undefined || tweaks === null)) {
      throw new TallystickError(
        "tweaks",
        rule.tweak === undefined ? `column ${JSON.stringify(column)}: its rule has no tweak; pass none`
          : `column ${JSON.stringify(column)}: pass the values of column ${JSON.stringify(rule.tweak)} as tweaks`,
      );
    }
    return tokenizer;
  }

  #csv(reveal: boolean): ByteStream {
    if (reveal) {
      this.#checkReveals();
    }
    const work = this.#rules(reveal).map((rule) => ({
      rule,
      run: (column: Address, tweaks: Address, first: number) =>
        this.#tokenizers.get(rule.column)!.run(reveal, column, tweaks, first),
    }));
    const check = (names: readonly string[]): void => this.#checkNames(names, "the header");
    return new TransformStream(new CsvTransformer(this.#machine, this.policy, work, check));
  }

  #ndjson(reveal: boolean): ByteStream {
    if (reveal) {
      this.#checkReveals();
    }
    return new TransformStream(new NdjsonTransformer((records, first) => {
      records.forEach((record, i) => this.#checkNamed(lines, record, first + i));
      return this.#changes(reveal, lines, records, first, textOfSpan);
    }, (record) => this.#has(reveal, lines, record)));
  }

  /** Whether a record has a field of a rule, if there is one. */
  #has<V>(reveal: boolean, reader: Reader<V>, record: V): boolean {
    const rules = this.#rules(reveal);
    return rules.length === 0 || rules.some((rule) => this.#columns.get(rule)!.isIn(reader, record));
  }

  /** The rules that change a column: one-way formats are never revealed. */
  #rules(reveal: boolean): readonly Rule[] {
    return this.policy.rules.filter((rule) => !(reveal && rule.format.isOneWay));
  }

  #records<R extends Row>(reveal: boolean, records: readonly R[]): R[] {
    if (!Array.isArray(records)) {
      throw new TypeError("records: pass an array of objects");
    }
    const out = Array.from(records as readonly R[], copied), reader = new PlaceReader(out);
    const places = out.map((_, row) => new Place(out, row));
    places.forEach((place, row) => this.#checkNamed(reader, place, row));
    const changes = this.#changes(reveal, reader, places, 0, fieldText);
    if (this.policy.unlisted === "keep" && out.length > 0 && !places.some((place) => this.#has(reveal, reader, place))) {
      throw noField("policy");
    }
    for (const { rule, row, at, before, after } of changes) {
      at.set(like(at.value, before, after, rule, row));
    }
    return out;
  }

  /** What becomes of the values of all rules; `first` is the number of the first record. */
  #changes<V>(
    reveal: boolean, reader: Reader<V>, records: readonly V[], first: number,
    textOf: (value: V, row: number, column: string) => string | null,
  ): Change<V>[] {
    return this.#rules(reveal).flatMap((rule) => {
      const column = this.#columns.get(rule)!, tokenizer = this.#tokenizers.get(rule.column)!;
      const found: { row: number; at: V }[] = [], values: (string | null)[] = [], tweaks: (string | null)[] = [];
      records.forEach((record, i) => {
        for (const one of column.find(reader, record, first + i)) {
          found.push({ row: first + i, at: one.value! });
          values.push(textOf(one.value!, first + i, rule.column));
          if (rule.tweak !== undefined) {
            const tweak = column.tweakOf(reader, record, one);
            tweaks.push(tweak === undefined ? null : textOf(tweak, first + i, rule.tweak));
          }
        }
      });
      const own = rule.tweak === undefined ? undefined : tweaks;
      let made: (string | null)[];
      try {
        made = reveal ? tokenizer.reveal(values, own) : tokenizer.protect(values, own);
      } catch (error) {
        throw error instanceof InvalidValueError ? error.at(found[error.row]!.row) : error;
      }
      return found.map((one, i) => ({ ...one, rule, before: values[i]!, after: made[i]! }));
    });
  }

  /** Refuses a record with a column that the policy does not name, unless the policy keeps it. */
  #checkNamed<V>(reader: Reader<V>, record: V, row: number): void {
    const unnamed = this.policy.unlisted === "keep" ? undefined : this.#named.unnamed(reader, record);
    if (unnamed !== undefined) {
      throw unlisted(`record ${row}`, unnamed);
    }
  }

  /** Refuses names of columns that the policy does not name, unless the policy keeps them. */
  #checkNames(names: readonly string[], where: string): void {
    const field = this.policy.unlisted === "keep" ? undefined : this.#named.missing(names);
    if (field !== undefined) {
      throw unlisted(where, this.policy.rules.some(({ column }) => names.includes(column)) ? field : undefined);
    }
  }
}

/** `field`: undefined, if it may be no name, but a value. */
function unlisted(where: string, field: string | undefined): TallystickError {
  return new TallystickError(
    "policy",
    `${where}, ${field === undefined ? "a field" : `field ${JSON.stringify(field)}`}: the policy does not name it; protect it, or add it to ` +
      'keep to let it pass in clear, or set unlisted = "keep"',
  );
}

function tokenizerOf(rule: Rule, ring: Keyring | undefined): Tokenizer {
  const where = `column ${JSON.stringify(rule.column)}`;
  const { namespace, onInvalid } = rule, known = ring?.keys.find((one) => one.reference === rule.key);
  if (!rule.format.isKeyed) {
    return new Tokenizer(rule.format, undefined, { namespace, onInvalid }, where);
  }
  if (ring === undefined) {
    throw new TallystickError("keyring", `${where}: it needs key ${rule.key}; pass an open key ring`);
  }
  let key: Uint8Array;
  try {
    key = ring.tokenizerKey(rule.key);
  } catch (error) {
    if (error instanceof TallystickError) {
      throw new TallystickError(error.code, `${where}: its key in the policy, ${rule.key}: ${error.message}`);
    }
    throw error;
  }
  try {
    return new Tokenizer(rule.format, key, { namespace, onInvalid }, where, known);
  } finally {
    key.fill(0);
  }
}
