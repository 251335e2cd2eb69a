// SPDX-License-Identifier: Apache-2.0
import { codeOf, TallystickError } from "./errors.js";
import type { Address, Exports, Status, Text } from "./exports.js";

const PROBLEM_PLACE = 256;
const PROBLEM_SIZE = 1024;
/** More scratch memory than this is given back after a call. */
const KEPT = 1 << 22;
const LARGEST = 0x7fff_0000;

export const encoder = new TextEncoder();
/** With its byte order mark, which belongs to the value. */
export const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** What calls of every core need. */
type Base = Pick<Exports, "memory" | "tally_go_alloc" | "tally_go_free" | "tally_status_text">;

/** What a finalizer frees; it must not hold the object itself. */
export interface Held {
  free(): void;
}

/**
 * An instance of the core: its memory, and calls that work in it. All that a call hands over lies in
 * scratch memory, which is wiped when the call ends.
 */
export class Machine<Core extends Base = Exports> {
  readonly core: Core & Partial<Exports>;
  /** The memory as bytes. A call of the core may move it: read this again afterwards. */
  bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #scratch: Address = 0;
  #capacity = 0;
  #used = 0;
  #problem: Address = 0;
  #lent = false;
  /** Wipes what was never closed, when it is collected. */
  readonly forgotten = new FinalizationRegistry<Held>((held) => held.free());

  constructor(core: Core & Partial<Exports>) {
    this.core = core;
    this.bytes = new Uint8Array(core.memory.buffer);
    this.#view = new DataView(core.memory.buffer);
  }

  /** Looks at the memory again, which has another buffer after it has grown. */
  refresh(): void {
    if (this.bytes.buffer !== this.core.memory.buffer) {
      this.bytes = new Uint8Array(this.core.memory.buffer);
      this.#view = new DataView(this.core.memory.buffer);
    }
  }

  get view(): DataView {
    this.refresh();
    return this.#view;
  }

  /** Runs `call`, which may `take` so many bytes in so many pieces, and wipes them. */
  run<T>(size: number, call: () => T, pieces = 16): T {
    const total = Math.ceil(size) + PROBLEM_SIZE + 16 * (pieces + 2);
    if (this.#used !== 0) {
      throw new TallystickError("internal", "a call of the core began during another");
    }
    if (total > this.#capacity) {
      this.#release();
      const capacity = Math.max(total, 1 << 14), scratch = total < LARGEST ? this.core.tally_go_alloc(capacity) : 0;
      if (scratch === 0) {
        throw new TallystickError("memory", "there is not enough memory; pass fewer values in one call");
      }
      this.#scratch = scratch;
      this.#capacity = capacity;
    }
    this.refresh();
    this.#used = 0;
    this.#problem = this.take(PROBLEM_SIZE);
    this.bytes[this.#problem] = 0;
    this.bytes[this.#problem + PROBLEM_PLACE] = 0;
    try {
      return call();
    } finally {
      this.refresh();
      this.bytes.fill(0, this.#scratch, this.#scratch + this.#used);
      this.#used = 0;
      if (this.#lent) {
        this.#lent = false;
        this.core.unlend!();
      }
      if (this.#capacity > KEPT) {
        this.#release();
      }
    }
  }

  #release(): void {
    if (this.#capacity > 0) {
      this.core.tally_go_free(this.#scratch, this.#capacity);
    }
    this.#capacity = 0;
  }

  /** Scratch memory, aligned to 16 bytes. */
  take(size: number): Address {
    const at = this.#scratch + this.#used, used = this.#used + ((size + 15) & ~15);
    if (used > this.#capacity) { // what is used is wiped, so it must not be more
      throw new TallystickError("internal", "a call takes more memory than it reserved");
    }
    this.#used = used;
    return at;
  }

  put(bytes: Uint8Array): Address {
    const at = this.take(bytes.length);
    this.bytes.set(bytes, at);
    return at;
  }

  /** An address for bytes that the core reads during this call, as items of so many: where they are if it can, else a copy. */
  lend(bytes: Uint8Array, width: number): Address {
    if (!this.#canLend(bytes, width)) {
      return this.put(bytes);
    }
    this.#lent = true;
    return this.core.lend!(bytes);
  }

  /** Scratch memory that {@link lend} takes. */
  roomToLend(bytes: Uint8Array, width: number): number {
    return this.#canLend(bytes, width) ? 0 : bytes.length + 16;
  }

  /** Whether no other thread sees the bytes, and they are where the core can read them: aligned, to 8 bytes at most. */
  #canLend(bytes: Uint8Array, width: number): boolean {
    return this.core.lend !== undefined && isOwn(bytes) && bytes.byteOffset % Math.min(width, 8) === 0;
  }

  /** The first bytes of a buffer of an array that the core made, until that is freed. */
  buffer(made: Address, index: number, size: number): Uint8Array<ArrayBuffer> {
    const { core } = this;
    if (core.view !== undefined) {
      return new Uint8Array(core.view(made, index), 0, size);
    }
    const at = core.tally_js_array_buffer!(made, index);
    this.refresh();
    return this.bytes.subarray(at, at + size);
  }

  /** A whole buffer of so many bytes, which belongs to the caller. */
  own(made: Address, index: number, size: number): Uint8Array<ArrayBuffer> {
    const { core } = this;
    return core.take === undefined ? this.buffer(made, index, size).slice() : new Uint8Array(core.take(made, index), 0, size);
  }

  /** Where a function writes its `tally_problem`. */
  get problem(): Address {
    return this.#problem;
  }

  u32(at: Address): number {
    return this.view.getUint32(at, true);
  }

  u64(at: Address): bigint {
    return this.view.getBigUint64(at, true);
  }

  /** A text that ends in a zero, or undefined for NULL. */
  text(at: Text): string | undefined {
    if (typeof at === "string" || at === 0) {
      return at === 0 ? undefined : at;
    }
    this.refresh();
    return this.decode(at, this.bytes.indexOf(0, at) - at);
  }

  /** Bytes as text. */
  decode(at: Address, size: number): string {
    this.refresh();
    return decode(this.bytes, at, size);
  }

  /** Throws if a status is not 0. */
  check(status: Status, context = ""): void {
    if (status === 0) {
      return;
    }
    const place = this.text(this.#problem)!;
    const text = this.text(this.#problem + PROBLEM_PLACE)!;
    const words = text === "" ? this.text(this.core.tally_status_text(status))! : text;
    const where = [context, place].filter((part) => part !== "").join(": ");
    throw new TallystickError(codeOf(status), where === "" ? words : `${where}: ${words}`, place);
  }
}

/** Bytes as text. */
export function decode(bytes: Uint8Array, at: number, size: number): string {
  if (size <= 32) {
    let text = "";
    for (let i = at; i < at + size; i++) {
      const byte = bytes[i]!;
      if (byte >= 128) {
        return decoder.decode(bytes.subarray(at, at + size));
      }
      text += String.fromCharCode(byte);
    }
    return text;
  }
  return decoder.decode(bytes.subarray(at, at + size));
}

/** Whether no other thread sees these bytes. */
export function isOwn(bytes: Uint8Array): boolean {
  return Object.prototype.toString.call(bytes.buffer) === "[object ArrayBuffer]";
}

/** Room that a text may need. */
export function roomFor(text: string): number {
  return 3 * text.length;
}

/**
 * Writes a text to memory, and returns its size. A lone surrogate, which is no character, becomes
 * three bytes that are no UTF-8, so that the core finds the value invalid.
 */
export function encode(text: string, bytes: Uint8Array, at: Address): number {
  const length = text.length;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 128) {
      return i + encodeRest(i === 0 ? text : text.slice(i), bytes, at + i);
    }
    bytes[at + i] = unit;
  }
  return length;
}

const LONE = /\p{Surrogate}/u;

function encodeRest(text: string, bytes: Uint8Array, at: Address): number {
  if (!LONE.test(text)) {
    return encoder.encodeInto(text, bytes.subarray(at)).written;
  }
  const start = at;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (code >= 0xd800 && code < 0xe000) {
      bytes[at++] = 0xe0 | (code >> 12);
      bytes[at++] = 0x80 | ((code >> 6) & 63);
      bytes[at++] = 0x80 | (code & 63);
    } else {
      at += encoder.encodeInto(character, bytes.subarray(at, at + 4)).written;
    }
  }
  return at - start;
}

/** Whether a text is the same after it was written and read as UTF-8. */
export function isWellFormed(text: string): boolean {
  return !LONE.test(text);
}

/** A text that was given: the size of anything else may be wrong. */
export function stringOf(given: unknown, name: string): string {
  if (typeof given !== "string") {
    throw new TypeError(`${name}: pass a string`);
  }
  return given;
}

/** Throws if what was given is something else than a key ring: also that of the other module is one. */
export function checkRing(given: unknown, name: string): void {
  if (given !== undefined && typeof (given as { tokenizerKey?: unknown } | null)?.tokenizerKey !== "function") {
    throw new TypeError(`${name}: pass a key ring`);
  }
}

/**
 * Throws unless all options have a name that is known, and are the object's own: a misspelt one would leave the
 * default, and a polluted prototype would change it.
 */
export function checkOptions(options: object, ...names: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`options must be an object with ${names.join(", ")}`);
  }
  const other = Object.keys(options).find((name) => !names.includes(name));
  if (other !== undefined) {
    throw new TypeError(`there is no option ${JSON.stringify(other)}; the options are ${names.join(", ")}`);
  }
  const inherited = names.find((name) => name in options && !Object.hasOwn(options, name));
  if (inherited !== undefined) {
    throw new TypeError(`option ${inherited} is inherited; set it on the object itself`);
  }
}

/** The bytes of a view. A subclass, such as Node's Buffer, may have another `length`, `slice` or `subarray`. */
export function viewOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** Given bytes, also those of another realm. */
export function bytesOf(given: Uint8Array | ArrayBuffer, name: string): Uint8Array {
  const view: ArrayBufferView & { BYTES_PER_ELEMENT?: number } = given as unknown as Uint8Array;
  if (ArrayBuffer.isView(given) && (view.BYTES_PER_ELEMENT ?? 1) === 1) {
    return viewOf(view);
  }
  if (Object.prototype.toString.call(given) === "[object ArrayBuffer]") {
    return new Uint8Array(given);
  }
  throw new TypeError(`${name}: pass a Uint8Array or an ArrayBuffer`);
}
