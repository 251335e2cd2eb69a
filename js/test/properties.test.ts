// SPDX-License-Identifier: Apache-2.0
//
// What comes from outside, at random: it is refused with an error of the package, or taken, and never a
// trap of WebAssembly. Always from the same seed.
import { test } from "node:test";
import fc from "fast-check";
import { TallystickError } from "tallystick";
import { readFileSync } from "node:fs";
import { load } from "./core.js";

const ts = await load(), key = new Uint8Array(32).fill(7), root = process.env.TALLYSTICK_TREE!;
const run = { seed: 1, numRuns: 300 };

function refused(call: () => unknown): boolean {
  try {
    call();
    return false;
  } catch (error) {
    if (error instanceof TypeError || (error instanceof TallystickError && error.code !== "internal")) {
      return true;
    }
    throw error;
  }
}

/** Bytes, or a good file with some of its bytes changed. */
function files(good: Uint8Array): fc.Arbitrary<Uint8Array> {
  const edits = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 4 });
  const edited = edits.map((all) => {
    const copy = good.slice();
    all.forEach(([at, byte]) => (copy[at] = byte));
    return copy;
  });
  return fc.oneof(fc.uint8Array({ maxLength: 300 }), edited, edits.map((all) => good.slice(0, all[0]?.[0] ?? 0)));
}

test("key rings", () => {
  const good = readFileSync(`${root}/go/keyring/testdata/people.keys`);
  fc.assert(fc.property(files(new Uint8Array(good)), (file) => {
    refused(() => ts.keyring(file).unlockSync(key));
  }), run);
});

test("shares", () => {
  const [first, second] = ts.split(key, { threshold: 2, count: 2, label: "x" });
  fc.assert(fc.property(fc.array(files(first!), { maxLength: 5 }), (given) => {
    given.forEach((share) => ts.verify(share));
    const taken = !refused(() => ts.combine([...given, second!]));
    const isWhole = given.some((share) => Buffer.from(share).equals(first!));
    if (taken !== isWhole) {
      throw new Error("a secret came from shares that are not good, or did not come from those that are");
    }
  }), run);
});

test("policies", () => {
  const good = new TextEncoder().encode('keep = ["a"]\n[columns]\nb = { format = { type = "card" }, key = "p:1", namespace = "n" }\n');
  const text = fc.oneof(fc.string({ unit: "binary" }), files(good).map((file) => new TextDecoder().decode(file)));
  fc.assert(fc.property(text, (toml) => {
    refused(() => ts.policy(toml));
  }), run);
  fc.assert(fc.property(fc.object(), (object) => {
    refused(() => ts.policy(object));
  }), run);
});

test("values of any text are refused, or come back", () => {
  const names = ["digits", "letters", "ascii", "unicode", "email", "phone", "card", "date", "ipv6", "uuid", "iban"] as const;
  const tokenizers = names.map((name) => ts.tokenizer(name, key, { namespace: "n", onInvalid: "null" }));
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 40 }), fc.string({ maxLength: 40 }), fc.stringMatching(/^[0-9 -]{0,30}$/), fc.stringMatching(/^[a-z. @:]{0,30}$/));
  fc.assert(fc.property(fc.array(fc.option(text), { maxLength: 20 }), fc.nat(names.length - 1), (values, i) => {
    const tokenizer = tokenizers[i]!, tokens = tokenizer.protect(values), back = tokenizer.reveal(tokens);
    values.forEach((value, row) => {
      const alone = value === null ? null : (tokenizer.protect(value) as string | null);
      if (tokens[row] !== alone || (tokens[row] !== null && back[row] !== value)) {
        throw new Error(`${names[i]}, row ${row}: other results`);
      }
    });
  }), run);
});
