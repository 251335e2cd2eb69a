// SPDX-License-Identifier: Apache-2.0
import { type ArrowVector, isVector, transformVector } from "./arrow.js";
import {
  arrayFor, BATCH, columnSize, copyOf, type IntegerArray, integerType, putColumn, putTexts, readTexts, restore,
  roomForTexts, type Texts,
} from "./column.js";
import { InvalidValueError, TallystickError } from "./errors.js";
import type { Address } from "./exports.js";
import { closed, type Format, invalidValue, readFault } from "./format.js";
import { bytesOf, encode, type Machine, roomFor, stringOf, viewOf } from "./machine.js";

/** What becomes of an invalid value: an error, null, or it stays, in clear. */
export type OnInvalid = "error" | "null" | "keep";
const ON_INVALID: readonly OnInvalid[] = ["error", "null", "keep"];

export interface TokenizerOptions {
  /** What the values mean: equal values, key, format and namespace give equal tokens. */
  namespace?: string;
  onInvalid?: OnInvalid;
}

const SHORT = 64;
const INVALID = 81, ROOM = 68;
const COUNTS = 152, FAULT = 24;

/** What a finalizer needs of a tokenizer. */
class Pair {
  /** The format must outlive the tokenizer. */
  constructor(readonly format: Format, readonly tokenizer: Address, readonly worker: Address) {}

  free(): void {
    const { core } = this.format.machine;
    core.tally_worker_free(this.worker);
    core.tally_tokenizer_free(this.tokenizer);
  }
}

/** A format with a key. Close it to wipe the key; `using` does so at the end of a block. */
export class Tokenizer {
  readonly format: Format;
  readonly namespace: string;
  readonly onInvalid: OnInvalid;
  readonly #machine: Machine;
  #pair: Pair | undefined;
  readonly #where: string;
  readonly #rights: { mayProtect: boolean; mayReveal: boolean };

  /** @internal Use {@link Tallystick.tokenizer}. */
  constructor(
    format: Format, key: Uint8Array | ArrayBuffer | undefined, options: TokenizerOptions, where = "",
    rights: { mayProtect: boolean; mayReveal: boolean } = { mayProtect: true, mayReveal: true },
  ) {
    const machine = format.machine, namespace = stringOf(options.namespace ?? "", "namespace");
    this.format = format;
    this.namespace = namespace;
    this.onInvalid = options.onInvalid ?? "error";
    this.#machine = machine;
    this.#where = where;
    this.#rights = rights;
    const onInvalid = ON_INVALID.indexOf(this.onInvalid);
    if (onInvalid < 0) {
      throw new TallystickError("argument", "onInvalid must be 'error', 'null' or 'keep'");
    }
    if (!format.isKeyed && key !== undefined) {
      throw new TallystickError("argument", `format ${format.name} has no key; pass none`);
    }
    if (format.isKeyed && key === undefined) {
      throw new TallystickError("key_size", `format ${format.name} needs a key of 16, 24 or 32 bytes`);
    }
    const given = key === undefined ? new Uint8Array(0) : bytesOf(key, "key");
    this.#pair = machine.run(given.length + roomFor(namespace) + 16, () => {
      const out = machine.take(4), at = machine.put(given), name = machine.take(roomFor(namespace) + 1);
      const size = encode(namespace, machine.bytes, name);
      machine.check(
        machine.core.tally_tokenizer_new(
          0, format.address, key === undefined ? 0 : at, given.length, name, size, onInvalid, out, machine.problem,
        ),
        where,
      );
      const tokenizer = machine.u32(out), status = machine.core.tally_worker_new(tokenizer, out);
      if (status !== 0) {
        machine.core.tally_tokenizer_free(tokenizer);
        machine.check(status, where);
      }
      return new Pair(format, tokenizer, machine.u32(out));
    });
    machine.forgotten.register(this, this.#pair, this);
  }

  /** Wipes the key. It may be called twice. */
  close(): void {
    if (this.#pair !== undefined) {
      this.#machine.forgotten.unregister(this);
      this.#pair.free();
      this.#pair = undefined;
    }
  }

  get #worker(): Address {
    if (this.#pair === undefined) {
      throw closed("tokenizer");
    }
    return this.#pair.worker;
  }

  /**
   * Replaces values by their tokens: a text, an integer, an array of them with nulls, a typed array of
   * integers, or a vector of Apache Arrow. The result is of the same kind. `tweaks` has a text for each
   * value. Null as the tweak of one value means that it has none; a null among tweaks makes its value invalid.
   */
  protect(value: string, tweak?: string): string;
  protect(value: bigint): bigint;
  protect(value: number): number;
  protect(value: string | null, tweak?: string | null): string | null;
  protect(values: Texts, tweaks?: Texts): (string | null)[];
  protect(values: readonly (bigint | null)[], tweaks?: Texts): (bigint | null)[];
  protect<A extends IntegerArray>(values: A, tweaks?: Texts): A;
  protect<V extends ArrowVector>(values: V, tweaks?: Texts | ArrowVector): V;
  protect(values: never, tweaks?: never): unknown {
    return this.#any(false, values, tweaks);
  }

  /** The inverse of {@link protect}. */
  reveal(token: string, tweak?: string): string;
  reveal(token: bigint): bigint;
  reveal(token: number): number;
  reveal(token: string | null, tweak?: string | null): string | null;
  reveal(tokens: Texts, tweaks?: Texts): (string | null)[];
  reveal(tokens: readonly (bigint | null)[], tweaks?: Texts): (bigint | null)[];
  reveal<A extends IntegerArray>(tokens: A, tweaks?: Texts): A;
  reveal<V extends ArrowVector>(tokens: V, tweaks?: Texts | ArrowVector): V;
  reveal(tokens: never, tweaks?: never): unknown {
    return this.#any(true, tokens, tweaks);
  }

  /** Throws if the tokenizer is closed, also for no values, or if its key has not this right. */
  #checkUse(reveal: boolean): void {
    void this.#worker;
    if (reveal ? !this.#rights.mayReveal : !this.#rights.mayProtect) {
      const words = reveal ? "the key ring lets this key only protect" : "the key ring lets this key only reveal";
      throw new TallystickError("rights", this.#where === "" ? words : `${this.#where}: ${words}`);
    }
  }

  /**
   * @internal Runs a column that is in scratch memory. The result ends with tally_js_array_free. `first`
   * is the number of its first row.
   */
  run(reveal: boolean, column: Address, tweaks: Address, first: number): Address {
    this.#checkUse(reveal);
    return this.#column(reveal, column, tweaks, first);
  }

  #any(reveal: boolean, values: unknown, tweaks: unknown): unknown {
    this.#checkUse(reveal);
    if (typeof values === "string") {
      return this.#text(reveal, values, tweaks);
    }
    if (values === null) {
      return null;
    }
    if (typeof values === "bigint" || typeof values === "number") {
      if (tweaks !== undefined) {
        throw new TypeError("one integer takes no tweak; pass it as text, or an array");
      }
      return this.#integer(reveal, values);
    }
    if (integerType(values) !== undefined) {
      return this.#integers(reveal, copyOf(values as IntegerArray), tweaks);
    }
    if (Array.isArray(values)) { // each value is read once: a getter may give longer text the next time
      const given = ([...values] as unknown[]), own = this.#checkTweaks(tweaks, given.length);
      const first = given.find((value) => value !== null && value !== undefined);
      if (typeof first === "number") {
        throw new TypeError("an array may not hold numbers; pass a typed array of integers, or an array of bigints or strings");
      }
      return typeof first === "bigint" ? this.#bigints(reveal, given as bigint[], own) : this.#texts(reveal, given as Texts, own);
    }
    if (isVector(values)) {
      return transformVector(this.#machine, values, tweaks as Texts | ArrowVector | undefined, {
        run: (columns, own, first) => this.#column(reveal, columns, own, first),
      });
    }
    throw new TypeError("pass a string, an integer, an array, a typed array of integers or an Arrow vector");
  }

  #checkTweaks(tweaks: unknown, rows: number): Texts | undefined {
    if (tweaks === undefined) {
      return undefined;
    }
    const own = Array.isArray(tweaks) ? ([...tweaks] as Texts) : undefined;
    if (own?.length !== rows) {
      throw new TallystickError("tweaks", `tweaks must be an array with one text for each of ${rows} rows`);
    }
    return own;
  }

  #text(reveal: boolean, value: string, tweak: unknown): string | null {
    if (tweak !== undefined && tweak !== null && typeof tweak !== "string") {
      throw new TypeError("the tweak of one value is a string");
    }
    const machine = this.#machine, worker = this.#worker, own = tweak ?? "";
    for (let room = roomFor(value) + SHORT; ; ) {
      const found = machine.run(roomFor(value) + roomFor(own) + room + 64, () => {
        const sizes = machine.take(8), at = machine.take(roomFor(value) + 1), tweaks = machine.take(roomFor(own) + 1);
        const out = machine.take(room), { bytes } = machine;
        const size = encode(value, bytes, at), tweakSize = encode(own, bytes, tweaks);
        const status = machine.core.tally_go_value(
          worker, reveal ? 1 : 0, at, size, tweaks, tweakSize, typeof tweak === "string" ? 1 : 0, out, room, sizes,
          sizes + 4,
        );
        const outSize = machine.u32(sizes);
        if (status === ROOM && outSize > room) {
          return outSize;
        }
        machine.check(status, this.#where);
        const reason = machine.u32(sizes + 4);
        if (reason === 0) {
          return machine.decode(out, outSize);
        }
        if (this.onInvalid === "error") {
          throw invalidValue(this.format, at, size, reason, this.#where);
        }
        return this.onInvalid === "keep" ? value : null;
      });
      if (typeof found !== "number") {
        return found;
      }
      room = found;
    }
  }

  #integer(reveal: boolean, value: bigint | number): bigint | number | null {
    if (typeof value === "number" && !Number.isSafeInteger(value)) {
      throw new TypeError("a number must be a whole one between -(2^53 - 1) and 2^53 - 1; pass a bigint or a string");
    }
    const array = BigInt.asIntN(64, BigInt(value)) === BigInt(value)
      ? new BigInt64Array([BigInt(value)]) : new BigUint64Array([BigInt(value)]);
    if (array[0] !== BigInt(value)) {
      throw new TypeError("an integer must be between -2^63 and 2^64 - 1");
    }
    if (!this.#fixed(reveal, array, undefined, undefined, true)[0]) {
      return null;
    }
    const made = array[0]!;
    if (typeof value === "bigint") {
      return made;
    }
    if (!Number.isSafeInteger(Number(made))) {
      throw new TypeError("the format's range exceeds a number; pass a bigint or a string");
    }
    return Number(made);
  }

  #integers(reveal: boolean, values: IntegerArray, tweaks: unknown): IntegerArray {
    const valid = this.#fixed(reveal, values, undefined, this.#checkTweaks(tweaks, values.length));
    if (this.onInvalid === "null" && valid.includes(false)) {
      throw new TallystickError("invalid", "a typed array has no nulls; use onInvalid 'error' or an array of bigint");
    }
    return values;
  }

  #bigints(reveal: boolean, values: readonly (bigint | null | undefined)[], tweaks: Texts | undefined): (bigint | null)[] {
    const isSigned = !values.some((value) => typeof value === "bigint" && value >= 1n << 63n);
    const array = isSigned ? new BigInt64Array(values.length) : new BigUint64Array(values.length);
    const given = values.map((value, row) => {
      if (value === null || value === undefined) {
        return false;
      }
      if (typeof value !== "bigint") {
        throw new TypeError(`row ${row}: an array of bigint may hold bigints and null, nothing else`);
      }
      array[row] = value;
      if (array[row] !== value) {
        throw new TypeError(`row ${row}: an array of integers holds -2^63 to 2^63 - 1, or 0 to 2^64 - 1`);
      }
      return true;
    });
    const valid = this.#fixed(reveal, array, given, tweaks);
    return Array.from(array as BigInt64Array, (value, row) => (valid[row] ? value : null));
  }

  /** Replaces values by what is made of them, and returns which are valid. */
  #fixed(
    reveal: boolean, values: IntegerArray, given: readonly boolean[] | undefined, tweaks: Texts | undefined,
    alone = false,
  ): boolean[] {
    const machine = this.#machine, { type, width } = integerType(values)!, bytes = viewOf(values);
    const length = Math.floor(bytes.length / width), valid = new Array<boolean>(length).fill(true);
    for (let from = 0; from < length; from += BATCH) {
      const to = Math.min(from + BATCH, length), rows = to - from, part = bytes.subarray(from * width, to * width);
      const room = width * rows + rows / 8 + columnSize + 64 + (tweaks ? roomForTexts(tweaks, from, to) : 0);
      machine.run(room + COUNTS + FAULT + 64, () => {
        const data = machine.put(part);
        const validity = machine.take((rows + 7) >> 3);
        machine.bytes.fill(255, validity, validity + ((rows + 7) >> 3));
        let nulls = 0;
        for (let row = 0; given !== undefined && row < rows; row++) {
          if (!given[from + row]) {
            machine.bytes[validity + (row >> 3)]! &= ~(1 << (row & 7));
            nulls++;
          }
        }
        const column = putColumn(machine, type, rows, nulls, nulls === 0 ? 0 : validity, data, 0);
        const own = tweaks === undefined ? 0 : putTexts(machine, tweaks, from, to);
        this.#column(reveal, column, own, alone ? -1 : from, (made) => {
          const isWhole = machine.core.tally_js_array_nulls(made) === 0;
          part.set(machine.buffer(made, 1, width * rows));
          const bits = isWhole ? undefined : machine.buffer(made, 0, (rows + 7) >> 3);
          for (let row = 0; bits !== undefined && row < rows; row++) {
            valid[from + row] = ((bits[row >> 3]! >> (row & 7)) & 1) === 1;
          }
        });
      });
    }
    return valid;
  }

  #texts(reveal: boolean, values: Texts, tweaks: Texts | undefined): (string | null)[] {
    const machine = this.#machine, out = arrayFor(values.length);
    for (let from = 0; from < values.length; from += BATCH) {
      const to = Math.min(from + BATCH, values.length);
      const room = roomForTexts(values, from, to) + (tweaks === undefined ? 0 : roomForTexts(tweaks, from, to));
      machine.run(room + COUNTS + FAULT + 64, () => {
        const column = putTexts(machine, values, from, to);
        const own = tweaks === undefined ? 0 : putTexts(machine, tweaks, from, to);
        this.#column(reveal, column, own, from, (made) => readTexts(machine, made, to - from, out, from));
      });
      if (this.onInvalid === "keep") {
        restore(values, out, from, to);
      }
    }
    return out;
  }

  /** Runs a column that is in scratch memory; `use` reads the result, which is then wiped. */
  #column(reveal: boolean, column: Address, tweaks: Address, first: number, use?: (made: Address) => void): Address {
    const machine = this.#machine, { core } = machine;
    const out = machine.take(4), counts = machine.take(COUNTS), invalid = machine.take(FAULT);
    machine.bytes.fill(0, counts, counts + COUNTS);
    const status = core.tally_js_array(
      this.#worker, reveal ? 1 : 0, column, tweaks, out, counts, invalid, machine.problem,
    );
    if (status === INVALID) {
      const fault = readFault(machine, invalid + 8);
      const row = first < 0 ? -1 : first + Number(machine.u64(invalid));
      throw new InvalidValueError(fault.reason, fault.words, row, fault.position, fault.character, this.#where);
    }
    machine.check(status, this.#where);
    const made = machine.u32(out);
    if (use === undefined) {
      return made;
    }
    try {
      use(made);
    } finally {
      core.tally_js_array_free(made);
    }
    return 0;
  }
}

if (typeof Symbol.dispose === "symbol") {
  Object.defineProperty(Tokenizer.prototype, Symbol.dispose, { value: Tokenizer.prototype.close });
}
