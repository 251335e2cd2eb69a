// SPDX-License-Identifier: Apache-2.0
import { TallystickError } from "./errors.js";
import type { Address } from "./exports.js";
import { closed } from "./format.js";
import { bytesOf, encode, type Machine, roomFor } from "./machine.js";
import type { TextExports } from "./text-exports.js";

/** Bytes that are restored at a time, for bounded memory. */
const PIECE = 1 << 16;

/** What a finalizer needs of a restorer. */
class Held {
  constructor(readonly core: TextExports, readonly address: Address) {}

  free(): void {
    this.core.tally_text_restorer_free(this.address);
  }
}

/** Reveals the tokens of a text that arrives in chunks, which may be cut anywhere. It holds back what may be a token. */
export class Restorer<Chunk extends string | Uint8Array = string> {
  readonly #machine: Machine<TextExports>;
  readonly #check: () => unknown;
  #held: Held | undefined;
  /** Whether the chunks of this text are strings; undefined: there was none. */
  #isText: boolean | undefined;
  /** The first half of a character that the last chunk cut. */
  #half = "";
  /** The first bytes of a character. */
  #cut: Uint8Array = new Uint8Array(0);

  /** @internal Use {@link TextProtector.restorer}. `check` throws if the keys are gone. */
  constructor(machine: Machine<TextExports>, keys: readonly Address[], context: number, check: () => unknown) {
    this.#machine = machine;
    this.#check = check;
    const held = machine.run(4 * keys.length + 4, () => {
      const at = machine.put(new Uint8Array(Uint32Array.from(keys).buffer)), status = machine.take(4);
      const made = machine.core.tally_go_text_restorer_new(at, keys.length, context, status);
      machine.check(machine.u32(status));
      return new Held(machine.core, made);
    });
    this.#held = held;
    machine.forgotten.register(this, held, this);
  }

  get #address(): Address {
    this.#check();
    if (this.#held === undefined) {
      throw closed("restorer");
    }
    return this.#held.address;
  }

  /** Tokens that were revealed. */
  get restored(): number {
    return Number(this.#machine.core.tally_text_restored(this.#address));
  }

  /** Complete tokens that none of the keys made. They stay as they are. */
  get refused(): number {
    return Number(this.#machine.core.tally_text_refused(this.#address));
  }

  /** Takes a chunk, and returns what is certain by now. */
  feed(chunk: Chunk): Chunk {
    const isText = typeof chunk === "string";
    if (this.#isText !== undefined && this.#isText !== isText) {
      throw new TypeError("the chunks of a text are all strings, or all bytes");
    }
    const bytes = isText ? undefined : bytesOf(chunk, "chunk");
    this.#isText = isText;
    if (bytes !== undefined) {
      return this.#pieces(bytes, false) as Chunk;
    }
    const text = this.#half + (chunk as string), last = text.charCodeAt(text.length - 1);
    const whole = last >= 0xd800 && last < 0xdc00 ? text.length - 1 : text.length;
    this.#half = text.slice(whole);
    return this.#texts(text.slice(0, whole), false) as Chunk;
  }

  /** Returns the rest: the text ends here. The next chunk begins another one. */
  finish(): Chunk {
    const isText = this.#isText, half = this.#half;
    this.#isText = undefined;
    this.#half = "";
    return (isText === false ? this.#pieces(new Uint8Array(0), true) : this.#texts(half, true)) as Chunk;
  }

  #texts(text: string, finish: boolean): string {
    const bytes = new Uint8Array(roomFor(text)), cut = this.#cut;
    const made = this.#pieces(bytes.subarray(0, encode(text, bytes, 0)), finish, cut);
    const whole = finish ? made.length : wholeCharacters(made);
    this.#cut = made.slice(whole);
    try {
      return decode(made.subarray(0, whole));
    } catch (error) {
      this.close(); // the rest of the text is lost
      throw error;
    } finally {
      for (const one of [bytes, made, cut]) {
        one.fill(0);
      }
    }
  }

  #pieces(bytes: Uint8Array, finish: boolean, before: Uint8Array = new Uint8Array(0)): Uint8Array {
    const machine = this.#machine, restorer = this.#address, { core } = machine, made = [before];
    for (let at = 0, first = true; first || at < bytes.length; first = false) {
      const piece = bytes.subarray(at, at + PIECE), last = finish && at + piece.length >= bytes.length ? 1 : 0;
      const capacity = core.tally_text_restore_capacity(restorer, piece.length);
      made.push(machine.run(piece.length + capacity + 4, () => {
        const chunk = machine.put(piece), out = machine.take(capacity), size = machine.take(4);
        machine.check(core.tally_text_restore(restorer, chunk, piece.length, last, out, capacity, size));
        return machine.bytes.slice(out, out + machine.u32(size));
      }));
      at += piece.length;
    }
    const whole = new Uint8Array(made.reduce((sum, one) => sum + one.length, 0));
    made.reduce((to, one) => (whole.set(one, to), to + one.length), 0);
    made.slice(1).forEach((one) => one.fill(0));
    return whole;
  }

  /** Wipes what is held back. It may be called twice. */
  close(): void {
    if (this.#held !== undefined) {
      this.#machine.forgotten.unregister(this);
      this.#held.free();
      this.#held = undefined;
      this.#cut.fill(0);
      this.#half = "";
    }
  }
}

/** The bytes before the first ones of a character that is not whole. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte >= 0xc0) {
      return bytes.length - (back < (byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4) ? back : 0);
    }
  }
  return bytes.length;
}

/** Text from bytes of `encode`, where a lone surrogate has three. A value that is no text is an error. */
function decode(bytes: Uint8Array): string {
  try {
    return decoded(bytes);
  } catch {
    throw new TallystickError("invalid", "the value of a token is not text in UTF-8; feed the text as bytes");
  }
}

function decoded(bytes: Uint8Array): string {
  let text = "", from = 0;
  for (let at = bytes.indexOf(0xed); at >= 0; at = bytes.indexOf(0xed, at + 3)) {
    if (bytes[at + 1]! >= 0xa0 && (bytes[at + 2]! & 0xc0) === 0x80) {
      const unit = 0xd000 | ((bytes[at + 1]! & 63) << 6) | (bytes[at + 2]! & 63);
      text += decoder.decode(bytes.subarray(from, at)) + String.fromCharCode(unit);
      from = at + 3;
    }
  }
  return text + decoder.decode(bytes.subarray(from));
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
