// SPDX-License-Identifier: Apache-2.0
import { columnSize } from "./column.js";
import { TallystickError } from "./errors.js";
import type { Text } from "./exports.js";
import { Format, makeFormat } from "./format.js";
import { describe, type FormatDescription } from "./formats.js";
import { Keyring } from "./keyring.js";
import { type CoreModule, hasSimd, packedModule, start } from "./load.js";
import { checkOptions, Machine } from "./machine.js";
import { nativeCore } from "./native.js";
import { Policy } from "./policy.js";
import { type Combined, combine, type Share, split, verify } from "./shares.js";
import { Tokenizer, type TokenizerOptions } from "./tokenizer.js";

export type { ArrowVector } from "./arrow.js";
export type { IntegerArray, Texts } from "./column.js";
export { type CharacterClass, InvalidValueError, type Reason, TallystickError } from "./errors.js";
export type { Format } from "./format.js";
export type { FormatDescription, FormatName, PlainFormatName } from "./formats.js";
export type { FormatOptions } from "./presets.js";
export type { Keyring, KeyInfo, Root, RootKey } from "./keyring.js";
export type { CoreModule } from "./load.js";
export type { ByteStream, CsvDialect, Policy, Protector, Row, Rule } from "./policy.js";
export { type Combined, type Share, ShareError, type Verdict } from "./shares.js";
export type { OnInvalid, Tokenizer, TokenizerOptions } from "./tokenizer.js";

export interface LoadOptions {
  /** The core, for runtimes that compile no bytes: import it from `tallystick/core-simd.wasm`. */
  module?: CoreModule;
  /** Whether to take the core with SIMD128; by default, if this machine runs it. */
  simd?: boolean;
  /** Node.js: whether to take the native addon, which must then be there; by default, if it is there. */
  native?: boolean;
}

/**
 * Starts the core: the native addon, if it is there and neither `module` nor `simd` asks for WebAssembly, else
 * WebAssembly. Each call makes an instance with a memory of its own.
 */
export async function load(options: LoadOptions = {}): Promise<Tallystick> {
  checkOptions(options, "module", "simd", "native");
  const { module } = options, asksForWasm = module !== undefined || options.simd !== undefined;
  if (options.native ?? !asksForWasm) {
    const core = nativeCore();
    if (typeof core !== "string") {
      return new Tallystick(new Machine(core), undefined, true);
    }
    if (options.native === true) {
      throw new TallystickError("native", core);
    }
  }
  if (module === undefined) {
    const simd = options.simd ?? hasSimd();
    return new Tallystick(await start(await packedModule(simd)), simd);
  }
  const compiled = module instanceof WebAssembly.Module ? module : await WebAssembly.compile(module);
  return new Tallystick(await start(compiled), undefined);
}

/** An instance of the core. {@link load} makes it. */
export class Tallystick {
  readonly version: string;
  /** Whether its core uses SIMD128; undefined: it was given as a module, or is native. */
  readonly simd: boolean | undefined;
  /** Whether its core is the native addon, and not WebAssembly. */
  readonly native: boolean;
  /** The names of all formats. */
  readonly formatNames: readonly string[];
  readonly #machine: Machine;

  /** @internal Use {@link load}. */
  constructor(machine: Machine, simd: boolean | undefined, native = false) {
    const { core } = machine, names: string[] = [];
    if (core.tally_js_column_size() > columnSize) {
      throw new TallystickError("internal", "the core is of another version than the package");
    }
    for (let at: Text = 0; (at = core.tally_format_name_at(names.length)) !== 0; ) {
      names.push(machine.text(at)!);
    }
    this.#machine = machine;
    this.simd = simd;
    this.native = native;
    this.formatNames = names;
    this.version = machine.text(core.tally_version())!;
  }

  /** Makes a format of its name, or of its name as `type` with options. */
  format(description: FormatDescription): Format {
    return makeFormat(this.#machine, describe(description));
  }

  /** Makes a tokenizer: a format with a key of 16, 24 or 32 bytes, which is copied. */
  tokenizer(
    format: Format | FormatDescription, key: Uint8Array | ArrayBuffer | undefined, options: TokenizerOptions = {},
  ): Tokenizer {
    if (format instanceof Format && format.machine !== this.#machine) {
      throw new TallystickError("argument", "the format belongs to another instance");
    }
    checkOptions(options, "namespace", "onInvalid");
    return new Tokenizer(format instanceof Format ? format : this.format(format), key, options);
  }

  /** Reads a policy: TOML, or the same as an object. */
  policy(policy: string | object): Policy {
    return new Policy(this.#machine, policy);
  }

  /** Reads the file of a key ring. Nothing of it is authenticated before it is unlocked. */
  keyring(file: string | Uint8Array | ArrayBuffer): Keyring {
    return new Keyring(this.#machine, file);
  }

  /** Splits a secret of 1 to 16,384 bytes into shares of which any `threshold` recover it. */
  split(secret: Uint8Array | ArrayBuffer, options: { threshold: number; count: number; label?: string }): Uint8Array[] {
    return split(this.#machine, secret, options);
  }

  /** Reads one share, and checks it against the name of its set. */
  verify(share: Uint8Array | ArrayBuffer): Share {
    return verify(this.#machine, share);
  }

  /** Recovers a secret from shares in any order. `set` chooses one of several sets. */
  combine(shares: readonly (Uint8Array | ArrayBuffer)[], options: { set?: Uint8Array | ArrayBuffer } = {}): Combined {
    return combine(this.#machine, shares, options);
  }
}
