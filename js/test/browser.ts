// SPDX-License-Identifier: Apache-2.0
//
// The vectors in a browser: js/build.py makes one script of this file, which test_browser.py runs in a page
// and in a worker.
import { load } from "tallystick";
import * as vectors from "./vectors.js";

/** Checks the vectors, given as texts by the names of their files; returns how many there were. */
async function check(texts: Record<string, string>, simd: boolean): Promise<Record<string, number>> {
  const files = vectors.FORMATS.filter((one) => texts[`formats_${one}`] !== undefined);
  return vectors.checkAll(await load({ simd }), (name) => vectors.parse(texts[name]!), files);
}

Object.assign(globalThis, { check, load });
if (typeof document === "undefined") {
  addEventListener("message", ({ data }: MessageEvent<[Record<string, string>, boolean]>) => {
    check(...data).then((counts) => postMessage(counts), (error: unknown) => postMessage(String(error)));
  });
}
