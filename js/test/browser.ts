// SPDX-License-Identifier: Apache-2.0
//
// The vectors in a browser: js/build.py makes one script of this file, which test_browser.py runs in a page
// and in a worker.
import { load } from "tallystick";
import * as vectors from "./vectors.js";

/** Checks the vectors, given as texts by the names of their files; returns how many there were. */
async function check(texts: Record<string, string>, simd: boolean): Promise<Record<string, number>> {
  const ts = await load({ simd }), read = (name: string): unknown => vectors.parse(texts[name]!);
  const counts: Record<string, number> = {};
  for (const file of vectors.FORMATS.filter((one) => texts[`formats_${one}`] !== undefined)) {
    counts[file] = await vectors.checkFormats(ts, read, file);
  }
  for (const file of vectors.TOKENS) {
    counts[file] = vectors.checkTokens(ts, read, file);
  }
  counts["keyrings"] = vectors.checkKeyrings(ts, read);
  counts["shares"] = vectors.checkShares(ts, read);
  return counts;
}

Object.assign(globalThis, { check });
if (typeof document === "undefined") {
  addEventListener("message", ({ data }: MessageEvent<[Record<string, string>, boolean]>) => {
    check(...data).then((counts) => postMessage(counts), (error: unknown) => postMessage(String(error)));
  });
}
