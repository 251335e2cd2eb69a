// SPDX-License-Identifier: Apache-2.0
import type { Address } from "./exports.js";
import { decode, decoder, encode, encoder, isWellFormed, type Machine, roomFor } from "./machine.js";

/** Rows that one call of the core takes: enough for all lanes, and few enough for the CPU's cache. */
export const BATCH = 4096;

/** UTF-16 units that are joined to one string, which engines bound. */
const MOST_JOINED = 1 << 24;

export type Texts = readonly (string | null | undefined)[];

/** UTF-16 units of the strings: what else is in an array has no say in how much memory is reserved. */
function unitsOf(values: Texts, from: number, to: number): number {
  let units = 0;
  for (let i = from; i < to; i++) {
    const value: unknown = values[i];
    units += typeof value === "string" ? value.length : 0;
  }
  return units;
}

/** Scratch memory that {@link putTexts} takes for some rows. */
export function roomForTexts(values: Texts, from: number, to: number): number {
  return 3 * unitsOf(values, from, to) + 4 * (to - from) + (to - from) / 8 + 64 + columnSize + 16;
}

/** An array for so many rows, which are all written in order. Engines take a longer one for a sparse one. */
export function arrayFor(rows: number): (string | null)[] {
  return new Array<string | null>(Math.min(rows, 1 << 24));
}

/** Of the struct `tally_js_column`; a test compares it. */
export const columnSize = 192;

/** Writes texts side by side if all are ASCII: three times as fast as one by one. */
function putAscii(values: Texts, from: number, to: number, bytes: Uint8Array): boolean {
  let all = "";
  for (let row = from; row < to; row++) {
    const value: unknown = values[row];
    all += typeof value === "string" ? value : "";
  }
  return encoder.encodeInto(all, bytes).written === all.length;
}

/** Writes rows of text as a column of Arrow's type "u". */
export function putTexts(machine: Machine, values: Texts, from: number, to: number): Address {
  const rows = to - from, total = unitsOf(values, from, to);
  const offsets = machine.take(4 * (rows + 1)), validity = machine.take((rows + 7) >> 3);
  const texts = machine.take(3 * total + 1), { bytes } = machine;
  const places = new Int32Array(bytes.buffer, offsets, rows + 1);
  let at = texts, nulls = 0;
  places[0] = 0;
  const isAscii = total <= MOST_JOINED && putAscii(values, from, to, bytes.subarray(texts, texts + 3 * total));
  bytes.fill(255, validity, validity + ((rows + 7) >> 3));
  for (let row = 0; row < rows; row++) {
    const value = values[from + row];
    if (typeof value === "string") {
      at += isAscii ? value.length : encode(value, bytes, at);
    } else if (value === null || value === undefined) {
      bytes[validity + (row >> 3)]! &= ~(1 << (row & 7));
      nulls++;
    } else {
      throw new TypeError(`row ${from + row}: an array of text may hold strings and null, nothing else`);
    }
    places[row + 1] = at - texts;
  }
  return putColumn(machine, "u", rows, nulls, nulls === 0 ? 0 : validity, offsets, texts);
}

/** Describes a column whose buffers are in memory. */
export function putColumn(
  machine: Machine, type: string, rows: number, nulls: number, validity: Address, first: Address,
  second: Address, dictionary = 0,
): Address {
  const name = machine.take(roomFor(type) + 1), out = machine.take(columnSize);
  machine.bytes[name + encode(type, machine.bytes, name)] = 0;
  machine.core.tally_js_column_init(out, name, rows, nulls, validity, first, second, dictionary);
  return out;
}

/** Reads a column of type "u" that the core made, to rows from `first` on. */
export function readTexts(machine: Machine, made: Address, rows: number, out: (string | null)[], first: number): void {
  const nulls = machine.core.tally_js_array_nulls(made), offsets = machine.buffer(made, 1, 4 * (rows + 1));
  const validity = nulls === 0 ? undefined : machine.buffer(made, 0, (rows + 7) >> 3);
  const places = new Int32Array(offsets.buffer, offsets.byteOffset, rows + 1), size = places[rows]!;
  const texts = machine.buffer(made, 2, size), all = decoder.decode(texts);
  const isAscii = all.length === size;
  for (let row = 0; row < rows; row++) {
    if (validity !== undefined && ((validity[row >> 3]! >> (row & 7)) & 1) === 0) {
      out[first + row] = null;
    } else if (isAscii) {
      out[first + row] = all.substring(places[row]!, places[row + 1]!);
    } else {
      out[first + row] = decode(texts, places[row]!, places[row + 1]! - places[row]!);
    }
  }
}

/**
 * Puts texts back that are kept, and that UTF-8 can't hold: a lone surrogate has three bytes, each of which is read
 * as U+FFFD. Formats such as masks change some of these texts, which are then not put back.
 */
export function restore(values: Texts, out: (string | null)[], first: number, to: number): void {
  for (let row = first; row < to; row++) {
    const value = values[row];
    if (typeof value === "string" && !isWellFormed(value) && value.replace(/\p{Surrogate}/gu, "\ufffd\ufffd\ufffd") === out[row]) {
      out[row] = value;
    }
  }
}

/** Typed arrays of integers. */
export type IntegerArray =
  | Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array | BigInt64Array
  | BigUint64Array;

/** As Arrow writes it, with the bytes of an item. */
interface IntegerType {
  readonly type: string;
  readonly width: number;
}

const TYPES: Readonly<Record<string, IntegerType>> = {
  Int8Array: { type: "c", width: 1 }, Uint8Array: { type: "C", width: 1 }, Int16Array: { type: "s", width: 2 },
  Uint16Array: { type: "S", width: 2 }, Int32Array: { type: "i", width: 4 }, Uint32Array: { type: "I", width: 4 },
  BigInt64Array: { type: "l", width: 8 }, BigUint64Array: { type: "L", width: 8 },
};

/** The name of a typed array's own class, in any realm: a subclass may call itself as one with wider items. */
const nameOf = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype) as object, Symbol.toStringTag)!.get!;

/** The Arrow type of a typed array; undefined: it is none of integers. */
export function integerType(values: unknown): IntegerType | undefined {
  return ArrayBuffer.isView(values) ? TYPES[String(nameOf.call(values))] : undefined;
}

/** A copy, also of a Buffer of Node.js, whose own `slice` shares its memory. */
export function copyOf(values: IntegerArray): IntegerArray {
  const copy = Uint8Array.prototype.slice.call(values) as unknown as IntegerArray;
  if (integerType(copy) !== integerType(values)) {
    throw new TypeError("the class of this typed array makes copies of another type; pass a typed array of JavaScript");
  }
  return copy;
}
