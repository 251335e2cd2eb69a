// SPDX-License-Identifier: Apache-2.0
import { TallystickError } from "./errors.js";
import { bytesOf } from "./machine.js";

const RECORDS = 4096;
const LARGEST_LINE = 1 << 24;
const NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

/** A value of an object, as it stands in a line. */
interface Member {
  key: string;
  from: number;
  to: number;
}

interface Line {
  text: string;
  members: Member[];
}

/** What the fields of some records become: text, or null. `first` is the number of the first record. */
export type FieldWork = (records: Record<string, string | null>[], first: number) => Record<string, unknown>[];

/** NDJSON as it passes: values of the policy's fields are replaced, and every other byte stays. */
export class NdjsonTransformer implements Transformer<Uint8Array, Uint8Array> {
  readonly #work: FieldWork;
  readonly #used: ReadonlySet<string>;
  readonly #replaced: readonly string[];
  readonly #checkNames: (names: readonly string[], row: number) => void;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #encoder = new TextEncoder();
  #rest = "";
  #rows = 0;
  #found = false;

  constructor(
    work: FieldWork, replaced: readonly string[], tweaks: readonly string[],
    checkNames: (names: readonly string[], row: number) => void,
  ) {
    this.#work = work;
    this.#replaced = replaced;
    this.#used = new Set([...replaced, ...tweaks]);
    this.#checkNames = checkNames;
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
    if (this.#rows > 0 && !this.#found && this.#replaced.length > 0) {
      throw new TallystickError("json", "no record has a field of the policy; check the names of its columns");
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
    const lines = new Map<number, Line>(), fields: Record<string, string | null>[] = [];
    texts.forEach((text, index) => {
      const start = this.#rows + fields.length === 0 && text.startsWith("\ufeff") ? 1 : 0;
      if (text.slice(start).trim() !== "") {
        const row = this.#rows + fields.length, members = this.#members(text, start, row);
        lines.set(index, { text, members });
        fields.push(this.#fields(text, members, row));
      }
    });
    const made = this.#work(fields, this.#rows);
    let record = 0;
    const out = texts.map((text, index) => {
      const line = lines.get(index), row = record;
      return line === undefined ? text : this.#written(line, fields[row]!, made[record++]!, this.#rows + row);
    });
    this.#rows += fields.length;
    return out;
  }

  /** The top-level members of an object in a line, which JSON.parse has found well formed. */
  #members(text: string, start: number, row: number): Member[] {
    let parsed: unknown;
    try {
      parsed = JSON.parse(text.slice(start));
    } catch {
      throw new TallystickError("json", `record ${row}: the line is not JSON`);
    }
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
      throw new TallystickError("json", `record ${row}: the line is not an object`);
    }
    const members: Member[] = [];
    for (let at = text.indexOf("{") + 1; ; ) {
      at = skip(text, at, /[\s,]/);
      if (text[at] === "}") {
        break;
      }
      const end = valueEnd(text, at), key = JSON.parse(text.slice(at, end)) as string;
      const from = skip(text, end, /[\s:]/), to = valueEnd(text, from);
      members.push({ key, from, to });
      at = to;
    }
    const keys = members.map(({ key }) => key), twice = keys.find((key, i) => this.#used.has(key) && keys.indexOf(key) !== i);
    if (twice !== undefined) {
      throw new TallystickError("json", `record ${row}, field ${JSON.stringify(twice)}: the field is there twice`);
    }
    this.#checkNames(keys, row);
    return members;
  }

  #fields(text: string, members: readonly Member[], row: number): Record<string, string | null> {
    const fields: Record<string, string | null> = Object.create(null) as Record<string, string | null>;
    for (const { key, from, to } of members) {
      if (this.#used.has(key)) {
        const literal = text.slice(from, to);
        if (literal !== "null" && !/^["0-9-]/.test(literal)) {
          throw new TallystickError("json", `record ${row}, field ${JSON.stringify(key)}: is neither text, nor a number, nor null`);
        }
        fields[key] = literal === "null" ? null : literal.startsWith('"') ? (JSON.parse(literal) as string) : literal;
      }
    }
    this.#found ||= this.#replaced.some((key) => key in fields);
    return fields;
  }

  #written(line: Line, before: Record<string, string | null>, after: Record<string, unknown>, row: number): string {
    const { text, members } = line;
    let out = "", at = 0;
    for (const { key, from, to } of members) {
      const value = after[key] as string | null;
      if (!this.#replaced.includes(key) || value === before[key]) {
        continue;
      }
      const isNumber = text[from] !== '"';
      if (isNumber && value !== null && !NUMBER.test(value)) {
        throw new TallystickError(
          "json", `record ${row}, field ${JSON.stringify(key)}: its token is no number; take a format for numbers, or send it as text`,
        );
      }
      out += text.slice(at, from) + (value === null ? "null" : isNumber ? value : JSON.stringify(value));
      at = to;
    }
    return out + text.slice(at);
  }
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
