// SPDX-License-Identifier: Apache-2.0
//
// Vectors of the package apache-arrow, which is not imported: results are made by the constructors of
// the vector that is given.
import { columnSize, putColumn, putTexts, roomForTexts, type Texts } from "./column.js";
import { TallystickError } from "./errors.js";
import type { Address } from "./exports.js";
import type { Machine } from "./machine.js";

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

/** A type as the C data interface writes it. */
function typeText(type: Type): string {
  switch (type.typeId) {
    case UTF8:
      return "u";
    case LARGE_UTF8:
      return "U";
    case INT: {
      const text = INTEGERS[type.bitWidth ?? 0] ?? "?";
      return type.isSigned === true ? text : text.toUpperCase();
    }
    case DECIMAL: {
      const width = type.bitWidth ?? 128;
      return `d:${type.precision},${type.scale}${width === 128 ? "" : `,${width}`}`;
    }
    case DATE:
      return type.unit === 0 ? "tdD" : "tdm";
    case TIMESTAMP:
      return `ts${"smun"[type.unit ?? 0]}:${type.timezone ?? ""}`;
    case DICTIONARY:
      return typeText(type.indices!);
  }
  throw new TallystickError(
    "type",
    "this type of Arrow vector is not taken; cast it to Utf8, LargeUtf8, integers, Decimal, Date, Timestamp, or a " +
      "dictionary of these",
  );
}

function bytesIn(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function roomForData(data: Data): number {
  const own = (data.values?.byteLength ?? 0) + (data.valueOffsets?.byteLength ?? 0) + data.length / 8 + 128;
  const dictionary = data.dictionary === undefined ? 0 : roomForData(only(data.dictionary));
  return own + 2 * columnSize + dictionary;
}

function only(vector: ArrowVector): Data {
  if (vector.data.length !== 1) {
    throw new TallystickError("array", "a dictionary of several chunks is not taken; unify its dictionary first");
  }
  return vector.data[0] as Data;
}

/** Copies a chunk to memory, and describes it. */
function putData(machine: Machine, data: Data): Address {
  const rows = data.length, type = typeText(data.type);
  const dictionary = data.type.typeId === DICTIONARY ? putData(machine, only(data.dictionary!)) : 0;
  let validity = 0;
  if (data.nullCount !== 0 && data.nullBitmap !== undefined && data.nullBitmap.length > 0) {
    validity = machine.take((rows + 7) >> 3);
    const bits = data.nullBitmap, { bytes } = machine;
    for (let row = 0; row < rows; row++) {
      const bit = data.offset + row;
      if (((bits[bit >> 3]! >> (bit & 7)) & 1) === 1) {
        bytes[validity + (row >> 3)]! |= 1 << (row & 7);
      }
    }
  }
  const nulls = validity === 0 ? 0 : data.nullCount;
  const values = machine.lend(data.values === undefined ? new Uint8Array(0) : bytesIn(data.values));
  if (type !== "u" && type !== "U") {
    return putColumn(machine, type, rows, nulls, validity, values, 0, dictionary);
  }
  const offsets = machine.lend(bytesIn(data.valueOffsets!.subarray(0, rows + 1)));
  return putColumn(machine, type, rows, nulls, validity, offsets, values);
}

/** Makes a chunk of what the core made. */
function readData(machine: Machine, made: Address, like: Data): Data {
  const { core } = machine, rows = core.tally_js_array_length(made), nulls = core.tally_js_array_nulls(made);
  const taken = (index: number, size: number): Uint8Array<ArrayBuffer> => machine.own(made, index, size);
  const validity = nulls === 0 ? new Uint8Array(0) : taken(0, (rows + 7) >> 3);
  const Chunk = like.constructor as unknown as MakeData;
  if (like.type.typeId === UTF8 || like.type.typeId === LARGE_UTF8) {
    const isLarge = like.type.typeId === LARGE_UTF8, raw = taken(1, (isLarge ? 8 : 4) * (rows + 1)).buffer;
    const offsets = isLarge ? new BigInt64Array(raw) : new Int32Array(raw);
    const values = taken(2, Number(offsets[rows]!));
    return new Chunk(like.type, 0, rows, nulls, [offsets, values, validity]);
  }
  const sample = like.values as unknown as { BYTES_PER_ELEMENT: number; constructor: unknown };
  const width = like.type.typeId === DECIMAL ? (like.type.bitWidth ?? 128) / 8 : bytesPerValue(like);
  const Values = sample.constructor as new (buffer: ArrayBuffer) => ArrayBufferView;
  const values = new Values(taken(1, width * rows).buffer);
  if (like.type.typeId !== DICTIONARY) {
    return new Chunk(like.type, 0, rows, nulls, [undefined, values, validity]);
  }
  const entries = readData(machine, core.tally_js_array_dictionary(made), only(like.dictionary!));
  const vector = new (vectorOf(like.dictionary!))([entries]);
  const { type } = like, Kind = type.constructor as unknown as MakeType;
  const own = new Kind(type.dictionary, type.indices, undefined, type.isOrdered);
  return new Chunk(own, 0, rows, nulls, [undefined, values, validity], [], vector);
}

function bytesPerValue(data: Data): number {
  const { type } = data;
  const bits =
    type.typeId === DICTIONARY ? type.indices!.bitWidth! : type.typeId === INT ? type.bitWidth! :
    type.typeId === DATE && type.unit === 0 ? 32 : 64;
  return bits / 8;
}

/** Protects or reveals a vector, chunk by chunk. */
export function transformVector(
  machine: Machine, vector: ArrowVector, tweaks: Texts | ArrowVector | undefined, tokenizer: Run,
): ArrowVector {
  if (tweaks !== undefined && tweaks.length !== vector.length) {
    throw new TallystickError("tweaks", `tweaks must have one text for each of ${vector.length} rows`);
  }
  const own = tweaks === undefined || Array.isArray(tweaks) ? (tweaks as Texts | undefined)
    : Array.from(tweaks as unknown as Iterable<unknown>, (tweak) =>
        tweak === null || typeof tweak === "string" ? tweak : typeof tweak === "bigint" || typeof tweak === "number"
          ? String(tweak) : wrongTweak());
  let first = 0;
  const chunks = (vector.data as readonly Data[]).map((data) => {
    const to = first + data.length;
    const room = roomForData(data) + (own === undefined ? 0 : roomForTexts(own, first, to)) + 1024;
    const made = machine.run(room, () => {
      const column = putData(machine, data);
      const given = own === undefined ? 0 : putTexts(machine, own, first, to);
      const out = tokenizer.run(column, given, first);
      try {
        return readData(machine, out, data);
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
