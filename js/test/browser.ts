// SPDX-License-Identifier: Apache-2.0
//
// The vectors and streams in a browser: js/build.py makes one script of this file, which test_browser.py runs in a
// page and in a worker, and tests/interop in a page.
import { load } from "tallystick";
import { loadText } from "tallystick/text";
import { samples } from "./through.js";
import * as vectors from "./vectors.js";

/** Checks the vectors, given as texts by the names of their files; returns how many there were. */
async function check(texts: Record<string, string>, simd: boolean): Promise<Record<string, number>> {
  return vectors.checkAll(await load({ simd }), (name) => vectors.parse(texts[name]!), simd ? Infinity : vectors.LONG);
}

/** What streams make, and whether the Content Security Policy lets a text run as a script. */
async function stream(): Promise<Record<string, string>> {
  const made = await samples(await load(), await loadText());
  await new Promise((done) => setTimeout(done)); // a debugger's script, which began this, may evaluate texts
  try {
    return { ...made, eval: String(new Function("return true")()) };
  } catch (error) {
    return { ...made, eval: (error as Error).name };
  }
}

Object.assign(globalThis, { check, load, stream });
if (typeof document === "undefined") {
  addEventListener("message", ({ data }: MessageEvent<[Record<string, string>, boolean]>) => {
    Promise.all([check(...data), stream()]).then((found) => postMessage(found), (error: unknown) => postMessage(String(error)));
  });
}
