// SPDX-License-Identifier: Apache-2.0
//
// Vectors of the package apache-arrow, which is not imported: results are made by the constructors of
// the vector that is given.
import { columnSize, putColumn, putTexts, roomForTexts, type Texts } from "./column.js";
import { TallystickError } from "./errors.js";
import type { Address } from "./exports.js";
import { isOwn, type Machine, roomFor, viewOf } from "./machine.js";

/** As much of a vector of apache-arrow as this package uses. */
export interface ArrowVector {
  readonly type: unknown;
  readonly length: number;
  readonly data: readonly unknown[];
}

interface Type {
  typeId: number;
  bitWidth?: number;
  isSigned?: boolean;
  unit?: number;
  timezone?: string | null;
  precision?: number;
  scale?: number;
  indices?: Type;
  dictionary?: Type;
  isOrdered?: boolean;
}

interface Data {
  type: Type;
  length: number;
  offset: number;
  nullCount: number;
  nullBitmap?: Uint8Array;
  valueOffsets?: Int32Array | BigInt64Array;
  values?: ArrayBufferView;
  dictionary?: ArrowVector;
}

type MakeData = new (
  type: unknown, offset: number, length: number, nulls: number, buffers: unknown[], children?: unknown[],
  dictionary?: unknown,
) => Data;
type MakeVector = new (data: unknown[]) => ArrowVector;

/** The constructor of vectors: a vector that remembers its values has another one. */
function vectorOf(like: ArrowVector): MakeVector {
  const known = like as ArrowVector & { isMemoized?: boolean; unmemoize?(): ArrowVector };
  return (known.isMemoized === true ? known.unmemoize!() : like).constructor as unknown as MakeVector;
}
type MakeType = new (dictionary: unknown, indices: unknown, id?: unknown, isOrdered?: boolean) => Type;

/** What a tokenizer does with a column in memory. */
export interface Run {
  run(column: Address, tweaks: Address, firstRow: number): Address;
}

export function isVector(given: unknown): given is ArrowVector {
  const vector = given as ArrowVector | null;
  return (
    typeof vector === "object" && vector !== null && Array.isArray(vector.data) &&
    typeof vector.length === "number" && typeof (vector.type as Type | undefined)?.typeId === "number"
  );
}

const INT = 2, UTF8 = 5, DECIMAL = 7, DATE = 8, TIMESTAMP = 10, LARGE_UTF8 = 20, DICTIONARY = -1;
const INTEGERS: Readonly<Record<number, string>> = { 8: "c", 16: "s", 32: "i", 64: "l" };
const DECIMALS: readonly unknown[] = [32, 64, 128, 256];

/** A type as the C data interface writes it, with the bytes of a value or of an offset. */
function layoutOf(type: Type): { type: string; width: number } {
  const { typeId, bitWidth = 128 } = type;
  if (typeId === UTF8 || typeId === LARGE_UTF8) {
    return typeId === UTF8 ? { type: "u", width: 4 } : { type: "U", width: 8 };
  }
  const integer = typeId === INT ? INTEGERS[bitWidth] : undefined;
  if (integer !== undefined) {
    return { type: type.isSigned === true ? integer : integer.toUpperCase(), width: bitWidth / 8 };
  }
  if (typeId === DECIMAL && DECIMALS.includes(bitWidth)) {
    return { type: `d:${type.precision},${type.scale}${bitWidth === 128 ? "" : `,${bitWidth}`}`, width: bitWidth / 8 };
  }
  if (typeId === DATE) {
    return type.unit === 0 ? { type: "tdD", width: 4 } : { type: "tdm", width: 8 };
  }
  if (typeId === TIMESTAMP) {
    return { type: `ts${"smun"[type.unit ?? 0]}:${type.timezone ?? ""}`, width: 8 };
  }
  if (typeId === DICTIONARY && type.indices?.typeId === INT) {
    return layoutOf(type.indices);
  }
  throw new TallystickError(
    "type",
    "this type of Arrow vector is not taken; cast it to Utf8, LargeUtf8, integers, Decimal, Date, Timestamp, or a " +
      "dictionary of these",
  );
}

/**
 * A chunk whose buffers are as large as its length and its offsets say: the core can't see their sizes. What was
 * checked is not read again from `data`, which may have getters.
 */
interface Checked {
  data: Data;
  type: string;
  width: number;
  rows: number;
  offset: number;
  /** The bitmap of nulls, from `offset` on. */
  bits: Uint8Array | undefined;
  first: Uint8Array;
  /** The text that `first` has the offsets of. */
  second: Uint8Array | undefined;
  dictionary: Checked | undefined;
}

const MOST_ROWS = 0x7fff_fffe;

function damaged(why: string): TallystickError {
  return new TallystickError("array", `a damaged Arrow vector: ${why}`);
}

/** A buffer's bytes, which no other thread changes after they were checked. */
function bytesIn(view: ArrayBufferView | undefined): Uint8Array {
  const bytes = ArrayBuffer.isView(view) ? viewOf(view) : new Uint8Array(0);
  return isOwn(bytes) ? bytes : bytes.slice();
}

/** The text up to the last offset, with which the core compares the others. */
function textOf(offsets: Uint8Array, last: number, width: number, text: Uint8Array): Uint8Array {
  const view = new DataView(offsets.buffer, offsets.byteOffset);
  const end = width === 4 ? view.getInt32(last, true) : view.getBigInt64(last, true);
  if (end < 0 || end > text.length) {
    throw damaged("its offsets are negative, or exceed its text");
  }
  return text.subarray(0, Number(end));
}

function isCount(given: unknown): given is number {
  return Number.isInteger(given) && (given as number) >= 0 && (given as number) <= MOST_ROWS;
}

function checked(data: Data, isInner = false): Checked {
  const { length: rows, offset, nullCount, nullBitmap, valueOffsets, values, dictionary } = data;
  const { type, width } = layoutOf(data.type), isText = type === "u" || type === "U";
  const isDictionary = data.type.typeId === DICTIONARY;
  if (!isCount(rows) || !isCount(offset)) {
    throw damaged("its length or its offset is negative or too large");
  }
  if (isDictionary && isInner) {
    throw new TallystickError("type", "a dictionary of dictionaries is not taken; decode it first");
  }
  if (isDictionary && !isVector(dictionary)) {
    throw damaged("its dictionary is missing");
  }
  const inner = isDictionary ? checked(only(dictionary!), true) : undefined; // before sizes are read: it may have getters
  const given = isText ? valueOffsets : values, size = width * (isText ? rows + 1 : rows);
  const isEmpty = isText && rows === 0; // then there may be no offsets
  const first = isEmpty ? new Uint8Array(width) : bytesIn(given).subarray(0, size);
  if (!isEmpty && (given === undefined || first.length < size)) {
    throw damaged(`its ${isText ? "offsets" : "values"} are missing, or fewer than its length says`);
  }
  const second = isText ? textOf(first, width * rows, width, bytesIn(values)) : undefined;
  const bitmap = bytesIn(nullBitmap), bits = nullCount !== 0 && bitmap.length > 0 ? bitmap : undefined;
  if (bits !== undefined && 8 * bits.length < offset + rows) {
    throw damaged("its bitmap of nulls is shorter than its length says");
  }
  return { data, type, width, rows, offset, bits, first, second, dictionary: inner };
}

function roomForChunk(machine: Machine, { type, width, rows, first, second, dictionary }: Checked): number {
  const buffers = machine.roomToLend(first, width) + (second === undefined ? 0 : machine.roomToLend(second, 1));
  const own = buffers + rows / 8 + roomFor(type) + columnSize + 128;
  return own + (dictionary === undefined ? 0 : roomForChunk(machine, dictionary));
}

function only(vector: ArrowVector): Data {
  if (vector.data.length !== 1) {
    throw new TallystickError("array", "a dictionary of several chunks is not taken; unify its dictionary first");
  }
  return vector.data[0] as Data;
}

/** Copies a chunk to memory, and describes it. */
function putChunk(machine: Machine, chunk: Checked): Address {
  const { rows, offset, bits } = chunk, dictionary = chunk.dictionary === undefined ? 0 : putChunk(machine, chunk.dictionary);
  let validity = 0, nulls = 0;
  if (bits !== undefined) {
    validity = machine.take((rows + 7) >> 3);
    const { bytes } = machine;
    for (let row = 0; row < rows; row++) {
      const bit = offset + row;
      if (((bits[bit >>> 3]! >> (bit & 7)) & 1) === 1) {
        bytes[validity + (row >> 3)]! |= 1 << (row & 7);
      } else {
        nulls++;
      }
    }
  }
  const first = machine.lend(chunk.first, chunk.width), second = chunk.second === undefined ? 0 : machine.lend(chunk.second, 1);
  return putColumn(machine, chunk.type, rows, nulls, nulls === 0 ? 0 : validity, first, second, dictionary);
}

/** Makes a chunk of what the core made. */
function readData(machine: Machine, made: Address, chunk: Checked): Data {
  const { data: like, width } = chunk, { core } = machine, rows = core.tally_js_array_length(made), nulls = core.tally_js_array_nulls(made);
  const taken = (index: number, size: number): Uint8Array<ArrayBuffer> => machine.own(made, index, size);
  const validity = nulls === 0 ? new Uint8Array(0) : taken(0, (rows + 7) >> 3);
  const Chunk = like.constructor as unknown as MakeData;
  if (chunk.second !== undefined) {
    const raw = taken(1, width * (rows + 1)).buffer, offsets = width === 8 ? new BigInt64Array(raw) : new Int32Array(raw);
    const values = taken(2, Number(offsets[rows]!));
    return new Chunk(like.type, 0, rows, nulls, [offsets, values, validity]);
  }
  const sample = like.values as unknown as { BYTES_PER_ELEMENT: number; constructor: unknown };
  const Values = sample.constructor as new (buffer: ArrayBuffer) => ArrayBufferView;
  const values = new Values(taken(1, width * rows).buffer);
  if (chunk.dictionary === undefined) {
    return new Chunk(like.type, 0, rows, nulls, [undefined, values, validity]);
  }
  const entries = readData(machine, core.tally_js_array_dictionary(made), chunk.dictionary);
  const vector = new (vectorOf(like.dictionary!))([entries]);
  const { type } = like, Kind = type.constructor as unknown as MakeType;
  const own = new Kind(type.dictionary, type.indices, undefined, type.isOrdered);
  return new Chunk(own, 0, rows, nulls, [undefined, values, validity], [], vector);
}

/** Protects or reveals a vector, chunk by chunk. */
export function transformVector(
  machine: Machine, vector: ArrowVector, tweaks: Texts | ArrowVector | undefined, tokenizer: Run,
): ArrowVector {
  const own = tweaks === undefined ? undefined : Array.isArray(tweaks) ? ([...tweaks] as Texts)
    : Array.from(tweaks as unknown as Iterable<unknown>, (tweak) =>
        tweak === null || typeof tweak === "string" ? tweak : typeof tweak === "bigint" || typeof tweak === "number"
          ? String(tweak) : wrongTweak());
  if (own !== undefined && own.length !== vector.length) {
    throw new TallystickError("tweaks", `tweaks must have one text for each of ${vector.length} rows`);
  }
  let first = 0;
  const chunks = (vector.data as readonly Data[]).map((data) => {
    const chunk = checked(data), to = first + chunk.rows;
    const room = roomForChunk(machine, chunk) + (own === undefined ? 0 : roomForTexts(own, first, to)) + 1024;
    const made = machine.run(room, () => {
      const column = putChunk(machine, chunk);
      const given = own === undefined ? 0 : putTexts(machine, own, first, to);
      const out = tokenizer.run(column, given, first);
      try {
        return readData(machine, out, chunk);
      } finally {
        machine.core.tally_js_array_free(out);
      }
    });
    first = to;
    return made;
  });
  return new (vectorOf(vector))(chunks.length === 0 ? [...vector.data] : chunks);
}

function wrongTweak(): never {
  throw new TallystickError("tweaks", "tweaks must be text or integers");
}
