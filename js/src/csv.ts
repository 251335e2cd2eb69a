// SPDX-License-Identifier: Apache-2.0
import { columnSize, putColumn } from "./column.js";
import { TallystickError } from "./errors.js";
import type { Address } from "./exports.js";
import { bytesOf, type Machine } from "./machine.js";
import type { ColumnWork, Policy } from "./policy.js";

/** Bytes and records that are transformed at once, if no record is larger. */
const BLOCK = 1 << 18, RECORDS = 1 << 13;
const LARGEST_RECORD = 1 << 24;
/** Of the structs of csv.h. */
const FIELD = 16, SCAN = 32, COLUMN = 24, RESULT = 24;
const UNQUOTABLE = 5;
const MARK = [0xef, 0xbb, 0xbf] as const;

interface Scanned {
  records: number;
  consumed: number;
  /** Of a record. */
  columns: number;
  fields: Address;
  bytes: Address;
  size: bigint;
  dialect: Address;
}

/**
 * A CSV file as it passes: fields of the policy's columns are replaced, and every other byte stays.
 * csv.h finds the fields and writes them.
 */
export class CsvTransformer implements Transformer<Uint8Array, Uint8Array> {
  readonly #machine: Machine;
  readonly #policy: Policy;
  readonly #work: readonly ColumnWork[];
  readonly #checkNames: (names: readonly string[]) => void;
  #parts: Uint8Array[] = [];
  #size = 0;
  #enough = BLOCK;
  #names: readonly string[] | undefined;
  #wanted: readonly number[] = [];
  #rows = 0;

  constructor(
    machine: Machine, policy: Policy, work: readonly ColumnWork[], checkNames: (names: readonly string[]) => void,
  ) {
    const { encoding } = policy.csv;
    if (encoding !== undefined && !/^utf-?8$/i.test(encoding)) {
      throw new TallystickError("policy", "csv.encoding: this package reads and writes UTF-8 alone");
    }
    this.#machine = machine;
    this.#policy = policy;
    this.#work = work;
    this.#checkNames = checkNames;
  }

  transform(chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void {
    const part = bytesOf(chunk, "chunk").slice(); // who wrote it may use its memory for the next one
    this.#parts.push(part);
    this.#size += part.length;
    if (this.#size >= this.#enough) {
      this.#run(false, controller);
    }
  }

  flush(controller: TransformStreamDefaultController<Uint8Array>): void {
    this.#run(true, controller);
  }

  #run(last: boolean, controller: TransformStreamDefaultController<Uint8Array>): void {
    const bytes = new Uint8Array(this.#size);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    at = this.#names === undefined ? this.#start(bytes, last, controller) : 0;
    for (let size = BLOCK; this.#names !== undefined && at < bytes.length; ) {
      const end = Math.min(at + size, bytes.length), done = this.#block(bytes.subarray(at, end), last && end === bytes.length);
      if (done.length > 0) {
        controller.enqueue(done.text);
        at += done.length;
        size = BLOCK;
      } else if (end < bytes.length) {
        size *= 2;
      } else {
        break;
      }
    }
    if (bytes.length - at > LARGEST_RECORD) {
      throw this.#bad(this.#rows, "the record has more than 16 MiB; check for a quote that is never closed");
    }
    this.#parts = at === bytes.length ? [] : [bytes.slice(at)];
    this.#size = bytes.length - at;
    this.#enough = Math.max(BLOCK, 2 * this.#size);
  }

  /** Reads the names, and passes what is before the first row; returns its size. */
  #start(bytes: Uint8Array, last: boolean, controller: TransformStreamDefaultController<Uint8Array>): number {
    const { header } = this.#policy.csv;
    if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
      throw new TallystickError("csv", "the text is UTF-16; this package reads and writes UTF-8 alone");
    }
    let at = MARK.every((byte, i) => bytes[i] === byte) ? 3 : 0;
    while (header && (bytes[at] === 10 || bytes[at] === 13)) {
      at++;
    }
    const rest = bytes.subarray(at), machine = this.#machine;
    const found = machine.run(rest.length + SCAN + 64, () => {
      const scanned = this.#scan(rest, last, 0, [], 1);
      return scanned.records === 0 ? undefined : scanned;
    });
    if (found === undefined) {
      if (last && header) {
        throw new TallystickError("csv", "there is no header: the input is empty");
      }
      if (last) {
        controller.enqueue(bytes);
      }
      return last ? bytes.length : 0;
    }
    const names = header ? this.#header(rest, last, found.columns)
      : Array.from({ length: found.columns }, (_, index) => `f${index}`);
    this.#check(names);
    this.#names = names;
    const used = new Set(this.#work.flatMap(({ rule }) => [rule.column, rule.tweak ?? rule.column]));
    this.#wanted = names.flatMap((name, index) => (used.has(name) ? [index] : []));
    const size = at + (header ? found.consumed : 0);
    if (size > 0) {
      controller.enqueue(bytes.slice(0, size));
    }
    return size;
  }

  #header(bytes: Uint8Array, last: boolean, columns: number): string[] {
    const machine = this.#machine, all = Array.from({ length: columns }, (_, index) => index);
    return machine.run(this.#room(bytes.length, columns, 1), () => {
      const scanned = this.#scan(bytes, last, columns, all, 1);
      return all.map((index) => {
        const gathered = this.#gather(scanned, columns, index);
        return machine.decode(gathered.values, new DataView(machine.bytes.buffer).getInt32(gathered.offsets + 4, true));
      });
    }, 6 * columns);
  }

  #check(names: readonly string[]): void {
    for (const { rule } of this.#work) {
      for (const name of [rule.column, rule.tweak ?? rule.column]) {
        const count = names.filter((one) => one === name).length;
        if (count !== 1) {
          const alike = names.some((one) => one.trim().toLowerCase() === name.trim().toLowerCase());
          const why = count > 1 ? `${count} columns have this name; rename them`
            : alike ? "one column differs only in case or spaces; write the name as in the file"
            : "there is no such column; check its spelling, the delimiter and whether the file has a header; " +
              `${names.length} ${names.length === 1 ? "column was" : "columns were"} found`;
          throw new TallystickError("csv", `column ${JSON.stringify(name)}: ${why}`);
        }
      }
    }
    this.#checkNames(names); // afterwards: it shows a name, which is a value if the file has no header
  }

  /** Room for a block, its fields and its columns. */
  #room(size: number, columns: number, records: number): number {
    const each = FIELD * records + 4 * (records + 1) + records / 8 + 2 * columnSize + COLUMN + 16;
    return 2 * size + SCAN + RESULT + 64 + columns * (each + 4) + this.#work.length * 192;
  }

  /** Replaces the fields of the complete records at the beginning of a block. */
  #block(block: Uint8Array, last: boolean): { text: Uint8Array; length: number } {
    const machine = this.#machine, { core } = machine, wanted = this.#wanted, width = wanted.length;
    const most = Math.max(1, Math.min(RECORDS, block.length));
    return machine.run(this.#room(block.length, width, most), () => {
      const scanned = this.#scan(block, last, this.#names!.length, wanted, most), { records, consumed } = scanned;
      if (records === 0) { /* what is left at the end is empty lines */
        return { text: block.slice(0, last ? block.length : 0), length: last ? block.length : 0 };
      }
      const columns = new Map<string, Address>();
      for (let index = 0; index < width; index++) {
        const { nulls, validity, offsets, values } = this.#gather(scanned, width, index);
        columns.set(
          this.#names![wanted[index]!]!,
          putColumn(machine, "u", records, nulls, nulls === 0 ? 0 : validity, offsets, values),
        );
      }
      const news = machine.take(COLUMN * Math.max(1, width)), made: Address[] = [];
      machine.bytes.fill(0, news, news + COLUMN * width);
      try {
        for (const { rule, run } of this.#work) {
          const tweaks = rule.tweak === undefined ? 0 : columns.get(rule.tweak)!;
          const array = run(columns.get(rule.column)!, tweaks, this.#rows);
          made.push(array);
          core.tally_js_csv_column(array, news + COLUMN * wanted.indexOf(this.#names!.indexOf(rule.column)));
        }
        const text = this.#splice(scanned, news, width);
        this.#rows += records;
        return { text, length: consumed };
      } finally {
        made.forEach((array) => core.tally_js_array_free(array));
      }
    }, 10 * width + 6 * this.#work.length);
  }

  #splice(scanned: Scanned, news: Address, width: number): Uint8Array {
    const machine = this.#machine, { core } = machine, records = BigInt(scanned.records), size = BigInt(scanned.consumed);
    const capacity = core.tally_csv_splice_capacity(size, news, width, records);
    const out = capacity < 1n << 30n ? core.tally_go_alloc(Number(capacity)) : 0, result = machine.take(RESULT);
    if (out === 0) {
      throw new TallystickError("memory", "there is not enough memory");
    }
    try {
      machine.check(core.tally_csv_splice(
        scanned.dialect, scanned.bytes, size, scanned.fields, records, news, width, out, capacity, result,
      ));
      if (machine.u32(result + 20) === UNQUOTABLE) {
        throw this.#bad(this.#rows + Number(machine.u64(result + 8)), "a new value needs quotes, and the file has none");
      }
      machine.refresh();
      return machine.bytes.slice(out, out + Number(machine.u64(result)));
    } finally {
      core.tally_go_free(out, Number(capacity));
    }
  }

  #scan(given: Uint8Array, last: boolean, columns: number, wanted: readonly number[], most: number): Scanned {
    const machine = this.#machine, { core } = machine, { delimiter, quote, skipInitialSpace } = this.#policy.csv;
    const bytes = machine.put(given), dialect = machine.take(8), list = machine.take(4 * wanted.length);
    const fields = machine.take(FIELD * wanted.length * most), out = machine.take(SCAN), { view } = machine;
    view.setUint32(dialect, 8, true);
    [delimiter.charCodeAt(0), quote === "" ? 0 : quote.charCodeAt(0), skipInitialSpace ? 1 : 0, 0].forEach(
      (byte, i) => view.setUint8(dialect + 4 + i, byte),
    );
    wanted.forEach((index, i) => view.setUint32(list + 4 * i, index, true));
    machine.check(core.tally_csv_scan_records(
      dialect, bytes, BigInt(given.length), last ? 1 : 0, columns, list, wanted.length, fields, BigInt(most), out,
    ));
    const records = Number(machine.u64(out)), error = machine.u32(out + 24), count = machine.u32(out + 28);
    if (error !== 0) {
      const why = [
        "", `${count} fields, not ${columns}`, "a quote is never closed", "text between a closing quote and the delimiter",
        "a field of 2 GiB or more",
      ][error]!;
      throw this.#bad(this.#rows + records, why);
    }
    const size = BigInt(given.length);
    return { records, consumed: Number(machine.u64(out + 8)), columns: count, fields, bytes, size, dialect };
  }

  #gather(scanned: Scanned, width: number, index: number): { nulls: number; validity: Address; offsets: Address; values: Address } {
    const machine = this.#machine, { core } = machine, { fields, records } = scanned, count = BigInt(records);
    const capacity = core.tally_csv_gather_capacity(fields, count, width, index);
    const offsets = machine.take(4 * (records + 1)), validity = machine.take((records + 7) >> 3);
    const values = machine.take(Number(capacity)), counts = machine.take(16), { quote } = this.#policy.csv;
    machine.check(core.tally_csv_gather(
      scanned.bytes, scanned.size, quote === "" ? 0 : quote.charCodeAt(0), fields, count, width, index, offsets, values,
      capacity, validity, counts, counts + 8,
    ));
    return { nulls: Number(machine.u64(counts)), validity, offsets, values };
  }

  #bad(row: number, why: string): TallystickError {
    return new TallystickError("csv", this.#names === undefined ? `the header: ${why}` : `row ${row}: ${why}`);
  }
}
