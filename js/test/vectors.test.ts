// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Tallystick } from "tallystick";
import { isNative, load } from "./core.js";
import * as vectors from "./vectors.js";

const root = process.env.TALLYSTICK_TREE!;
const read = (name: string): unknown => vectors.parse(readFileSync(`${root}/vectors/${name}.json`, "utf8"));

function suite(kind: string, ts: Tallystick, longest?: number): void {
  for (const file of vectors.FORMATS) {
    test(`formats_${file} (${kind})`, async () => {
      assert.ok((await vectors.checkFormats(ts, read, file, longest)) > 50);
    });
  }
  for (const file of vectors.TOKENS) {
    test(`${file} (${kind})`, () => {
      assert.ok(vectors.checkTokens(ts, read, file) > 5);
    });
  }
  test(`ipcrypt (${kind})`, () => {
    assert.ok(vectors.checkIpcrypt(ts, read) > 30);
  });
  test(`every format has vectors (${kind})`, () => {
    assert.deepEqual([...vectors.seenFormats(ts)].sort(), [...ts.formatNames].sort());
  });
  test(`key rings (${kind})`, () => {
    assert.ok(vectors.checkKeyrings(ts, read) > 100);
  });
  test(`shares (${kind})`, () => {
    assert.ok(vectors.checkShares(ts, read) > 5);
  });
}

if (isNative) {
  suite("native", await load());
} else {
  suite("SIMD128", await load({ simd: true }));
  suite("plain", await load({ simd: false }), vectors.LONG);
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
