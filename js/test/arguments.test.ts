// SPDX-License-Identifier: Apache-2.0
//
// Arguments of a wrong type: an error that names the argument and never shows it, on every core alike.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Keyring, RootKey } from "tallystick";
import { loadText } from "tallystick/text";
import { load } from "./core.js";
import { bytes } from "./vectors.js";

const root = process.env.TALLYSTICK_TREE!, ts = await load();
const ROOT = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", key = bytes(ROOT);
const ring = (): Keyring => ts.keyring(readFileSync(`${root}/go/keyring/testdata/people.keys`, "utf8"));

const typeError = (words: RegExp) => (error: Error): boolean => {
  assert.ok(error instanceof TypeError, String(error));
  assert.match(error.message, words);
  assert.ok(!error.message.includes(ROOT) && !error.message.includes("secret"), error.message);
  return true;
};

test("a root key that is neither bytes, nor a CryptoKey, nor shares is a TypeError that does not show it", async () => {
  for (const given of [ROOT, 5, null, undefined, true, Symbol(ROOT)]) {
    await assert.rejects(ring().unlock(given as unknown as RootKey), typeError(/^root key: pass its 32 bytes, a CryptoKey, or/));
  }
  for (const given of [[...key], {}, [ROOT]]) {
    await assert.rejects(ring().unlock(given as unknown as RootKey), typeError(/^root key: /));
  }
});

test("a kind of text that is not there, or is no text, is not shown", async () => {
  const text = (await loadText()).protector([{ name: "email", key, namespace: "e" }]), kind = "secret@example.org";
  const fails = (call: () => unknown, name: string, words: RegExp): void =>
    assert.throws(call, (error: Error) => error.name === name && words.test(error.message) && !error.message.includes("secret"));
  fails(() => text.token(kind, "email"), "TallystickError", /no such kind; pass one of "email"$/);
  fails(() => text.protectSpans(kind, [{ start: 0, end: 5, kind }]), "TallystickError", /no such kind/);
  const wrong = { name: { kind } as unknown as string, key, namespace: "e" };
  const core = await loadText();
  fails(() => core.protector([wrong]), "TypeError", /^kind 0: name must be a string$/);
});
