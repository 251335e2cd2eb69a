// SPDX-License-Identifier: Apache-2.0
import { TallystickError } from "./errors.js";
import { bytesOf } from "./machine.js";
import { type Change, noField, type Reader } from "./paths.js";

const RECORDS = 4096;
const LARGEST_LINE = 1 << 24;
const NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

/** A line with a record. */
interface Line {
  readonly text: string;
  readonly row: number;
}

/** A value, as it stands in a line. */
export class Span {
  #inside: (readonly [string | number, Span])[] | undefined;

  constructor(readonly line: Line, readonly from: number, readonly to: number) {}

  get literal(): string {
    return this.line.text.slice(this.from, this.to);
  }

  /** The values in an object or a list of well-formed JSON. */
  get inside(): readonly (readonly [string | number, Span])[] {
    return (this.#inside ??= this.#read());
  }

  #read(): (readonly [string | number, Span])[] {
    const { text } = this.line, isObject = text[this.from] === "{", found: (readonly [string | number, Span])[] = [];
    for (let at = skip(text, this.from + 1, /[\s,]/); at < this.to - 1; at = skip(text, at, /[\s,]/)) {
      let from = at, key: string | number = found.length;
      if (isObject) {
        const end = valueEnd(text, at);
        key = JSON.parse(text.slice(at, end)) as string;
        from = skip(text, end, /[\s:]/);
      }
      at = valueEnd(text, from);
      found.push([key, new Span(this.line, from, at)]);
    }
    return found;
  }
}

/** Reads lines. */
export const lines: Reader<Span> = {
  is: ({ line: { text }, from }) =>
    text[from] === "{" ? "object" : text[from] === "[" ? "array" : text[from] === "n" ? "null" : "other",
  inside: (span) => span.inside,
  field(span, name) {
    const [found, another] = span.inside.filter(([key]) => key === name);
    if (another !== undefined) {
      throw twice(span.line, name);
    }
    return found?.[1];
  },
};

function twice(line: Line, name: string | number): TallystickError {
  return new TallystickError("json", `record ${line.row}, field ${JSON.stringify(name)}: the field is there twice`);
}

/** A value as text: a number as it is written. */
export function textOfSpan(span: Span, row: number, field: string): string | null {
  const { literal } = span;
  if (literal !== "null" && !/^["0-9-]/.test(literal)) {
    throw new TallystickError("json", `record ${row}, field ${JSON.stringify(field)}: is neither text, nor a number, nor null`);
  }
  return literal === "null" ? null : literal.startsWith('"') ? (JSON.parse(literal) as string) : literal;
}

/** What becomes of the values of some records. `first` is the number of the first record. */
export type RecordWork = (records: Span[], first: number) => Change<Span>[];

/** NDJSON as it passes: values of the policy's columns are replaced, and every other byte stays. */
export class NdjsonTransformer implements Transformer<Uint8Array, Uint8Array> {
  readonly #work: RecordWork;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #encoder = new TextEncoder();
  #rest = "";
  #rows = 0;
  readonly #has: (record: Span) => boolean;
  #found = false;

  /** `has`: whether a record that `work` has seen has a field of the policy. */
  constructor(work: RecordWork, has: (record: Span) => boolean) {
    this.#work = work;
    this.#has = has;
  }

  transform(chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void {
    const text = this.#decode(chunk), end = text.lastIndexOf("\n") + 1;
    if (end > 0) {
      this.#lines(this.#rest + text.slice(0, end), controller);
      this.#rest = "";
    }
    this.#rest += text.slice(end);
    if (this.#rest.length > LARGEST_LINE) {
      throw new TallystickError("json", `record ${this.#rows}: the line has more than 16 MiB`);
    }
  }

  flush(controller: TransformStreamDefaultController<Uint8Array>): void {
    this.#lines(this.#rest + this.#decode(), controller);
    if (this.#rows > 0 && !this.#found) {
      throw noField("json");
    }
  }

  #decode(chunk?: Uint8Array): string {
    try {
      return chunk === undefined ? this.#decoder.decode() : this.#decoder.decode(bytesOf(chunk, "chunk"), { stream: true });
    } catch {
      throw new TallystickError("json", `record ${this.#rows} or one soon after it: the text is not UTF-8`);
    }
  }

  #lines(text: string, controller: TransformStreamDefaultController<Uint8Array>): void {
    const lines = text.split("\n");
    for (let from = 0; from < lines.length; from += RECORDS) {
      const part = lines.slice(from, from + RECORDS), made = this.#batch(part);
      const end = from + RECORDS < lines.length ? "\n" : "";
      const out = made.join("\n") + end;
      if (out !== "") {
        controller.enqueue(this.#encoder.encode(out));
      }
    }
  }

  #batch(texts: readonly string[]): string[] {
    const records: Span[] = [], changes = new Map<Line, Change<Span>[]>(), first = this.#rows;
    const all = texts.map((text): Line | undefined => {
      const row = first + records.length, start = row === 0 && text.startsWith("\ufeff") ? 1 : 0;
      if (text.slice(start).trim() === "") {
        return undefined;
      }
      const line = { text, row };
      records.push(record(line, start));
      return line;
    });
    for (const change of this.#work(records, first)) {
      const { line } = change.at, known = changes.get(line) ?? [];
      known.push(change);
      changes.set(line, known);
    }
    this.#found ||= records.some(this.#has);
    this.#rows += records.length;
    return texts.map((text, i) => written(text, changes.get(all[i]!) ?? []));
  }
}

/** The record of a line. */
function record(line: Line, start: number): Span {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line.text.slice(start));
  } catch {
    throw new TallystickError("json", `record ${line.row}: the line is not JSON`);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new TallystickError("json", `record ${line.row}: the line is not an object`);
  }
  const span = new Span(line, line.text.indexOf("{"), line.text.lastIndexOf("}") + 1), known = new Set<string | number>();
  for (const [name] of span.inside) {
    if (known.has(name)) {
      throw twice(line, name);
    }
    known.add(name);
  }
  return span;
}

/** A line with the texts of changes in the place of their values. */
function written(text: string, changes: readonly Change<Span>[]): string {
  let out = "", at = 0;
  for (const { at: { from, to }, rule, row, before, after } of [...changes].sort((a, b) => a.at.from - b.at.from)) {
    if (after === before) {
      continue;
    }
    const isNumber = text[from] !== '"';
    if (isNumber && after !== null && !NUMBER.test(after)) {
      throw new TallystickError(
        "json", `record ${row}, field ${JSON.stringify(rule.column)}: its token is no number; take a format for numbers, or send it as text`,
      );
    }
    out += text.slice(at, from) + (after === null ? "null" : isNumber ? after : JSON.stringify(after));
    at = to;
  }
  return out + text.slice(at);
}

function skip(text: string, at: number, what: RegExp): number {
  while (what.test(text[at]!)) {
    at++;
  }
  return at;
}

/** Where the value ends that begins at a place of well-formed JSON. */
function valueEnd(text: string, at: number): number {
  let depth = 0;
  do {
    const character = text[at]!;
    if (character === '"') {
      for (at++; text[at] !== '"'; at++) {
        at += text[at] === "\\" ? 1 : 0;
      }
      at++;
    } else if (character === "{" || character === "[") {
      depth++;
      at++;
    } else if (character === "}" || character === "]") {
      depth--;
      at++;
    } else if (depth > 0) {
      at++;
    } else {
      while (at < text.length && !/[\s,}\]]/.test(text[at]!)) {
        at++;
      }
    }
  } while (depth > 0);
  return at;
}
