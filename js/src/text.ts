// SPDX-License-Identifier: Apache-2.0
//
// Tokens in text, as a module of its own: its core is an eighth of the size of the other.
import { TallystickError } from "./errors.js";
import type { Address } from "./exports.js";
import { closed } from "./format.js";
import { Keyring } from "./keyring.js";
import { type CoreModule, start, unpack } from "./load.js";
import { bytesOf, checkOptions, checkRing, encode, encoder, isWellFormed, type Machine, roomFor, stringOf } from "./machine.js";
import { Restorer } from "./restorer.js";
import { apart, join, type Span } from "./spans.js";
import type { TextExports } from "./text-exports.js";

export { TallystickError } from "./errors.js";
export type { Keyring, KeyInfo, Root, RootKey } from "./keyring.js";
export type { CoreModule } from "./load.js";
export type { Restorer } from "./restorer.js";
export type { Span } from "./spans.js";

/**
 * How tokens are written; all are revealed: `⟦email:…⟧`, or `tly-email-…`, or as that, but for e-mail addresses
 * `tly-email.…@tly.example`.
 */
export type Frame = "unicode" | "ascii" | "email";
const FRAMES: readonly Frame[] = ["unicode", "ascii", "email"];

/** What surrounds tokens. Revealed values are escaped, so that they stay data there. */
export type Context = "text" | "json" | "html";
const CONTEXTS: readonly Context[] = ["text", "json", "html"];

/** A kind of values, such as "email", with its key. */
export interface Kind {
  /** The label in tokens, which is not authenticated: 1 to 32 of a-z, 0-9 and _, a letter first, not tly last. */
  readonly name: string;
  /** 16, 24 or 32 bytes, or the reference of a data key in `keyring`, whose rights are obeyed. */
  readonly key: Uint8Array | ArrayBuffer | string;
  /** Equal values of one key and namespace have equal tokens. 1 to 256 bytes of UTF-8. */
  readonly namespace: string;
  /** What is a value of the kind; a group named `value` that takes part in a match is it alone. A slow pattern takes as long as it takes. */
  readonly patterns?: readonly RegExp[];
}

export interface TextOptions {
  frame?: Frame;
  /** 40 to 128, in steps of 8; by default 64. An invented token is revealed with a chance of 2^-checkBits for a key. */
  checkBits?: number;
  /** A tenant, a user or a conversation: tokens of another scope are not revealed. At most 256 bytes. */
  scope?: string;
  /** An unlocked ring with the keys that kinds name. It may be closed afterwards. */
  keyring?: Keyring;
  /** False: the protector only protects. */
  reveal?: boolean;
}

const MOST_KEYS = 16, MOST_VALUE = 4096, TOKEN = 6624;

/** Starts the core of tokens in text. Each call makes an instance with a memory of its own. */
export async function loadText(options: { module?: CoreModule } = {}): Promise<TextCore> {
  checkOptions(options, "module");
  let { module } = options;
  if (module === undefined) {
    const packed = await import("./core-text.js");
    module = await unpack(packed.default);
  }
  return new TextCore(await start<TextExports>(module instanceof WebAssembly.Module ? module : await WebAssembly.compile(module)));
}

/** An instance of the core of tokens in text. {@link loadText} makes it. */
export class TextCore {
  readonly version: string;
  readonly #machine: Machine<TextExports>;

  /** @internal Use {@link loadText}. */
  constructor(machine: Machine<TextExports>) {
    this.#machine = machine;
    this.version = machine.text(machine.core.tally_version())!;
  }

  /** Reads the file of a key ring. Nothing of it is authenticated before it is unlocked. */
  keyring(file: string | Uint8Array | ArrayBuffer): Keyring {
    return new Keyring(this.#machine as unknown as Machine, file);
  }

  /** Makes a protector for some kinds: of at most 16 pairs of key and namespace. */
  protector(kinds: readonly Kind[], options: TextOptions = {}): TextProtector {
    checkOptions(options, "frame", "checkBits", "scope", "keyring", "reveal");
    return new TextProtector(this.#machine, kinds, options);
  }
}

/** What a finalizer needs of a protector. */
class Keys {
  readonly addresses: Address[] = [];

  constructor(readonly core: TextExports) {}

  free(): void {
    for (const address of this.addresses.splice(0)) {
      this.core.tally_go_text_key_free(address);
    }
  }
}

/** Protects and reveals values in text. Close it to wipe its keys. */
export class TextProtector {
  readonly #machine: Machine<TextExports>;
  readonly #frame: number;
  readonly #kinds = new Map<string, { key: Address; mayProtect: boolean; patterns: readonly RegExp[] }>();
  readonly #reveals: Address[] = [];
  #keys: Keys | undefined;

  /** @internal Use {@link TextCore.protector}. */
  constructor(machine: Machine<TextExports>, kinds: readonly Kind[], options: TextOptions) {
    this.#machine = machine;
    this.#frame = FRAMES.indexOf(options.frame ?? "unicode");
    if (this.#frame < 0) {
      throw new TallystickError("argument", "frame must be 'unicode', 'ascii' or 'email'");
    }
    const keys = new Keys(machine.core), spaces = new Map<string, Address>();
    this.#keys = keys;
    try {
      for (const kind of kinds) {
        this.#add(kind, options, keys, spaces);
      }
      if (keys.addresses.length === 0 || keys.addresses.length > MOST_KEYS) {
        throw new TallystickError("argument", `a protector has 1 to ${MOST_KEYS} pairs of key and namespace`);
      }
    } catch (error) {
      keys.free();
      throw error;
    }
    machine.forgotten.register(this, keys, this);
  }

  #add(kind: Kind, options: TextOptions, keys: Keys, spaces: Map<string, Address>): void {
    checkOptions(kind, "name", "key", "namespace", "patterns");
    const where = `kind ${typeof kind.name === "string" ? JSON.stringify(kind.name) : this.#kinds.size}`, { keyring } = options, named = typeof kind.key === "string";
    for (const [what, given] of [["name", kind.name], ["namespace", kind.namespace], ["scope", options.scope ?? ""]]) {
      if (typeof given !== "string") {
        throw new TypeError(`${where}: ${what} must be a string`); // another type could mean another scope
      }
    }
    if (this.#kinds.has(kind.name)) {
      throw new TallystickError("argument", `${where}: it is there twice`);
    }
    checkRing(keyring, "keyring");
    if (named && keyring === undefined) {
      throw new TallystickError("keyring", `${where}: its key is text, the name of a key; pass its key ring, or the key as bytes`);
    }
    if (named && keyring!.demandsSignatures) {
      throw new TallystickError("policy", `${where}: the key ring demands signed policies, and kinds of a program have none`);
    }
    const rights = named ? keyring!.keys.find((one) => one.reference === kind.key) : undefined;
    const key = named ? keyring!.tokenizerKey(kind.key as string) : bytesOf(kind.key as Uint8Array, `${where}: key`);
    try {
      keys.addresses.push(this.#derive(key, kind.namespace, options, where));
    } finally {
      if (named) {
        key.fill(0);
      }
    }
    let address = keys.addresses.at(-1)!;
    this.#seal(address, kind.name, new Uint8Array(1), where); // refuses names of kinds
    const body = this.#seal(address, "same", new Uint8Array(1)); // that of equal keys and namespaces is equal
    const known = spaces.get(body);
    if (known === undefined) {
      spaces.set(body, address);
    } else {
      keys.core.tally_go_text_key_free(keys.addresses.pop()!);
      address = known;
    }
    if (options.reveal !== false && rights?.mayReveal !== false && !this.#reveals.includes(address)) {
      this.#reveals.push(address);
    }
    this.#kinds.set(kind.name, { key: address, mayProtect: rights?.mayProtect !== false, patterns: Array.from(kind.patterns ?? [], finds) });
  }

  #derive(key: Uint8Array, namespace: string, options: TextOptions, where: string): Address {
    const machine = this.#machine, scope = options.scope ?? "", bits = options.checkBits ?? 64;
    if (!Number.isInteger(bits) || bits < 0 || bits > 255) {
      throw new TallystickError("text_check_bits", "checkBits must be 40 to 128, in steps of 8");
    }
    if (!isWellFormed(namespace) || !isWellFormed(scope)) {
      throw new TallystickError("namespace", `${where}: namespace and scope must be well-formed text`);
    }
    return machine.run(key.length + roomFor(namespace) + roomFor(scope), () => {
      const at = machine.put(key), status = machine.take(4);
      const name = machine.take(roomFor(namespace)), scopeAt = machine.take(roomFor(scope));
      const made = machine.core.tally_go_text_key_new(
        at, key.length, name, encode(namespace, machine.bytes, name), scopeAt, encode(scope, machine.bytes, scopeAt),
        bits, status,
      );
      const found = machine.u32(status);
      if (found === 1) {
        throw new TallystickError("namespace", `${where}: a namespace has 1 to 256 bytes of UTF-8, and a scope at most 256`);
      }
      machine.check(found, where);
      return made;
    });
  }

  #open(): Keys {
    if (this.#keys === undefined) {
      throw closed("protector");
    }
    return this.#keys;
  }

  /** The token of a value of a kind. One of over 4096 bytes becomes several, side by side. */
  token(kind: string, value: string): string {
    this.#open();
    const found = this.#kinds.get(kind);
    if (found === undefined) {
      const known = Array.from(this.#kinds.keys(), (name) => JSON.stringify(name)).join(", ");
      throw new TallystickError("argument", `the protector has no such kind; pass one of ${known}`);
    }
    if (!found.mayProtect) {
      throw new TallystickError("rights", `kind ${JSON.stringify(kind)}: the key ring lets this key only reveal`);
    }
    if (!isWellFormed(stringOf(value, "value"))) {
      throw new TallystickError("invalid", "a value has a lone surrogate, which is no character");
    }
    const bytes = encoder.encode(value);
    if (bytes.length === 0) {
      throw new TallystickError("invalid", "an empty value has no token");
    }
    let made = "";
    for (let at = 0, end = 0; at < bytes.length; at = end) {
      end = Math.min(at + MOST_VALUE, bytes.length);
      while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) {
        end--;
      }
      made += this.#seal(found.key, kind, bytes.subarray(at, end));
    }
    bytes.fill(0);
    return made;
  }

  #seal(key: Address, kind: string, value: Uint8Array, where = ""): string {
    const machine = this.#machine;
    return machine.run(roomFor(kind) + value.length + TOKEN, () => {
      const name = machine.take(roomFor(kind)), at = machine.put(value), out = machine.take(TOKEN), size = machine.take(4);
      const length = encode(kind, machine.bytes, name);
      machine.check(
        machine.core.tally_go_text_protect(key, this.#frame, name, length, at, value.length, out, size), where,
      );
      return machine.decode(out, machine.u32(size));
    });
  }

  /**
   * Returns a text with tokens in the place of spans. Those that overlap are protected as one. Tokens of the same
   * keys stay as they are, so a text may be protected again.
   */
  protectSpans(text: string, spans: readonly Span[]): string {
    this.#open();
    const joined = join(spans, stringOf(text, "text").length);
    let made = "", at = 0;
    for (const { start, end, kind } of joined.length === 0 ? [] : apart(joined, this.#tokens(text))) {
      made += text.slice(at, start) + this.token(kind, text.slice(start, end));
      at = end;
    }
    return made + text.slice(at);
  }

  /** Returns a text with tokens in the place of all that the patterns of the kinds find, and of `spans`. */
  protect(text: string, spans: readonly Span[] = []): string {
    const patterns = [...this.#kinds].flatMap(([kind, { patterns }]) => patterns.map((pattern) => ({ kind, pattern })));
    if (patterns.length === 0) {
      throw new TallystickError("argument", "nothing finds values: give kinds patterns, or call protectSpans");
    }
    stringOf(text, "text");
    const found = patterns.flatMap(({ kind, pattern }) => Array.from(text.matchAll(pattern), ({ indices }) => {
      const [start, end] = indices!.groups?.value ?? indices![0]!;
      return { start, end, kind };
    }));
    return this.protectSpans(text, [...spans, ...found]);
  }

  /** Where tokens of the own keys are, as they were made. */
  #tokens(text: string): { start: number; end: number }[] {
    const { addresses } = this.#open(), made: { start: number; end: number }[] = [];
    if (!text.includes("tly-") && !text.includes("\u27e6")) {
      return made;
    }
    const restorer = new Restorer<string>(this.#machine, addresses, 0, () => this.#open()), likely = new RegExp(LIKELY);
    const restored = (one: string): string => restorer.feed(one) + restorer.finish();
    const isOwn = (one: string): boolean => restored(one) !== one;
    try {
      for (let found: RegExpExecArray | null; (found = likely.exec(text)) !== null; ) {
        const { index: start, 0: whole } = found;
        likely.lastIndex = start + 1;
        if (isOwn(whole)) {
          let size = whole.length;
          // What follows the body is not of the token, nor is the frame's end behind it.
          const isLonger = restored(whole) === restored(whole.slice(0, -1)) + whole.at(-1);
          for (let low = 0; isLonger && low < size; ) {
            const middle = (low + size) >> 1;
            [low, size] = isOwn(whole.slice(0, middle)) ? [low, middle] : [middle + 1, size];
          }
          likely.lastIndex = start + size;
          made.push({ start, end: start + size });
        }
      }
    } finally {
      restorer.close();
    }
    return made;
  }

  /** Returns a text with the values of all its tokens. Everything else stays as it is. */
  reveal(text: string, options: { context?: Context } = {}): string {
    const restorer = this.restorer<string>(options);
    try {
      return restorer.feed(stringOf(text, "text")) + restorer.finish();
    } finally {
      restorer.close();
    }
  }

  /** A restorer for a text that arrives in chunks: of strings, or of bytes in UTF-8. */
  restorer<Chunk extends string | Uint8Array = string>(options: { context?: Context } = {}): Restorer<Chunk> {
    this.#open();
    checkOptions(options, "context");
    const context = CONTEXTS.indexOf(options.context ?? "text");
    if (context < 0) {
      throw new TallystickError("argument", "context must be 'text', 'json' or 'html'");
    }
    if (this.#reveals.length === 0) {
      throw new TallystickError("rights", "this protector only protects");
    }
    return new Restorer<Chunk>(this.#machine, this.#reveals, context, () => this.#open());
  }

  /** A stream that reveals strings, or bytes in UTF-8. A text that breaks off keeps what was held back. */
  revealStream<Chunk extends string | Uint8Array = string>(options: { context?: Context } = {}): TransformStream<Chunk, Chunk> {
    const restorer = this.restorer<Chunk>(options);
    const pass = (made: () => Chunk, controller: TransformStreamDefaultController<Chunk>): void => {
      try {
        const chunk = made();
        if (chunk.length > 0) {
          controller.enqueue(chunk);
        }
      } catch (error) {
        restorer.close();
        throw error;
      }
    };
    return new TransformStream<Chunk, Chunk>({
      transform: (chunk, controller) => pass(() => restorer.feed(chunk), controller),
      flush: (controller) => {
        pass(() => restorer.finish(), controller);
        restorer.close();
      },
      cancel: () => restorer.close(),
    } as Transformer<Chunk, Chunk>);
  }

  /** Wipes the keys; restorers fail afterwards. It may be called twice. */
  close(): void {
    if (this.#keys !== undefined) {
      this.#machine.forgotten.unregister(this);
      this.#keys.free();
      this.#keys = undefined;
    }
  }
}

/** What may be a token, as it is made. */
const LIKELY = /\u27e6[a-z][a-z0-9_]{0,31}:[0-9a-hjkmnp-tv-z]{8,}\u27e7|tly-[a-z][a-z0-9_]{0,31}(?:-[0-9a-hjkmnp-tv-z]{8,}|\.[0-9a-hjkmnp-tv-z]{8,}@(?:[0-9a-hjkmnp-tv-z]+\.)*tly\.example)/g;

/** The same pattern, which finds all, and says where. */
function finds(pattern: RegExp): RegExp {
  if (!(pattern instanceof RegExp)) {
    throw new TypeError("patterns must be an array of regular expressions");
  }
  const { source, flags } = pattern;
  return new RegExp(source, [...new Set(`${flags.replace("y", "")}gd`)].join(""));
}
