// SPDX-License-Identifier: Apache-2.0
import type { Exports } from "./exports.js";
import { Machine } from "./machine.js";
import type { TextExports } from "./text-exports.js";

/** The smallest module with an instruction of SIMD128: i32.const 0, i8x16.splat, i8x16.popcnt. */
const SIMD = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253,
  98, 11,
]);

/** Whether this machine runs WebAssembly with SIMD128. */
export function hasSimd(): boolean {
  return WebAssembly.validate(SIMD);
}

/** The bytes of a module that core/build.py packed. */
export async function unpack(packed: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/** What `load` takes in place of the core that the package brings. */
export type CoreModule = WebAssembly.Module | BufferSource;

export async function packedModule(simd: boolean): Promise<WebAssembly.Module> {
  const packed = simd ? await import("./core-simd.js") : await import("./core-plain.js");
  return WebAssembly.compile(await unpack(packed.default));
}

/** The largest request that crypto.getRandomValues fulfils. */
const MOST_RANDOM = 65_536;

/** Starts an instance of the core. */
export async function start<Core extends Exports | TextExports = Exports>(module: WebAssembly.Module): Promise<Machine<Core>> {
  let memory: Exports["memory"] | undefined;
  const entropy = (at: number, size: number): number => {
    try {
      const out = new Uint8Array(memory!.buffer, at, size);
      for (let i = 0; i < size; i += MOST_RANDOM) {
        crypto.getRandomValues(out.subarray(i, i + MOST_RANDOM));
      }
      return 0;
    } catch {
      return 1;
    }
  };
  const instance = await WebAssembly.instantiate(module, { tallystick: { entropy } });
  const core = instance.exports as unknown as Core & Partial<Exports> & { _initialize(): void };
  memory = core.memory;
  core._initialize();
  return new Machine<Core>(core);
}
