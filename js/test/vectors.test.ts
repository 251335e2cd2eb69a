// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Tallystick } from "tallystick";
import { isNative, load } from "./core.js";
import * as vectors from "./vectors.js";

const root = process.env.TALLYSTICK_TREE!;
const read = (name: string): unknown => vectors.parse(readFileSync(`${root}/vectors/${name}.json`, "utf8"));

function suite(kind: string, ts: Tallystick, files: readonly string[]): void {
  for (const file of files) {
    test(`formats_${file} (${kind})`, async () => {
      assert.ok((await vectors.checkFormats(ts, read, file)) > 50);
    });
  }
  for (const file of vectors.TOKENS) {
    test(`${file} (${kind})`, () => {
      assert.ok(vectors.checkTokens(ts, read, file) > 5);
    });
  }
  test(`key rings (${kind})`, () => {
    assert.ok(vectors.checkKeyrings(ts, read) > 100);
  });
  test(`shares (${kind})`, () => {
    assert.ok(vectors.checkShares(ts, read) > 5);
  });
}

if (isNative) {
  suite("native", await load(), vectors.FORMATS);
} else {
  suite("SIMD128", await load({ simd: true }), vectors.FORMATS);
  // Those of long values take minutes of processor time without vectors.
  suite("plain", await load({ simd: false }), ["presets", "numbers", "layouts", "one_way"]);
}

const any = await load();

test("refused formats", () => {
  assert.ok(vectors.checkRefused(any, read) > 500);
});

test("policies", () => {
  assert.ok(vectors.checkPolicies(any, read) > 500);
});

test("reasons", () => {
  const digits = any.tokenizer("digits", new Uint8Array(16), { namespace: "d" });
  const texts = read("formats_reasons") as { reason: number; text: string }[];
  assert.throws(() => digits.protect("1"), { message: texts[0]!.text });
});
