// SPDX-License-Identifier: Apache-2.0
//
// The vectors and streams in workerd, the runtime of Cloudflare Workers, which compiles no WebAssembly from bytes: cores
// are modules of the program. test_runtimes.py runs it; `env` has the vectors as texts.
import { load } from "tallystick";
import { loadText } from "tallystick/text";
import plain from "./core-plain.wasm";
import simd from "./core-simd.wasm";
import text from "./core-text.wasm";
import { samples } from "./through.js";
import * as vectors from "./vectors.js";

export default {
  async test(_: unknown, env: Record<string, string>): Promise<void> {
    const read = (name: string): unknown => vectors.parse(env[name]!);
    const counts = await vectors.checkAll(await load({ module: simd }), read, vectors.LONG);
    const streamed = await samples(await load({ module: plain }), await loadText({ module: text }));
    const refused = await load().then(() => "none", (error: unknown) => (error as Error).name);
    console.log(JSON.stringify({ counts, ...streamed, refused }));
  },
};
