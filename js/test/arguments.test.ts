// SPDX-License-Identifier: Apache-2.0
//
// Arguments of a wrong type: an error that names the argument and never shows it, on every core alike.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { FormatDescription, Keyring, RootKey } from "tallystick";
import { loadText } from "tallystick/text";
import { load } from "./core.js";
import { bytes } from "./vectors.js";

const root = process.env.TALLYSTICK_TREE!, ts = await load();
const ROOT = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", key = bytes(ROOT);
const ring = (): Keyring => ts.keyring(readFileSync(`${root}/go/keyring/testdata/people.keys`, "utf8"));

const typeError = (words: RegExp) => (error: Error): boolean => {
  assert.ok(error instanceof TypeError, String(error));
  assert.match(error.message, words);
  assert.ok(!error.message.includes(ROOT) && !error.message.includes("hidden"), error.message);
  return true;
};

test("a root key that is neither bytes, nor a CryptoKey, nor shares is a TypeError that does not show it", async () => {
  for (const given of [ROOT, 5, null, undefined, true, Symbol(ROOT)]) {
    await assert.rejects(ring().unlock(given as unknown as RootKey), typeError(/^root key: pass its 32 bytes, a CryptoKey, or/));
  }
  const wrong: unknown[] = [[...key], {}, [ROOT], new Uint16Array(key), new Uint16Array(key.slice().buffer), new Float64Array(4)];
  for (const given of wrong) {
    await assert.rejects(ring().unlock(given as RootKey), typeError(/^root key: pass a Uint8Array or an ArrayBuffer$/));
  }
  for (const given of [...wrong, ROOT, 5, null, undefined, { shares: [] }]) {
    assert.throws(() => ring().unlockSync(given as Uint8Array), typeError(/^root key: pass a Uint8Array or an ArrayBuffer$/));
  }
  assert.equal(ring().unlockSync(key.slice().buffer).key("people:1").length, 32);
  await assert.rejects(ring().unlock({ shares: ROOT } as unknown as RootKey), { code: "root_key" });
});

test("a CryptoKey of a pair is no root key, although it can be exported", async () => {
  for (const name of ["Ed25519", "X25519"]) { // the public ones have 32 bytes
    const pair = await crypto.subtle.generateKey({ name }, true, name === "Ed25519" ? ["sign", "verify"] : ["deriveBits"]) as CryptoKeyPair;
    for (const one of [pair.publicKey, pair.privateKey]) {
      await assert.rejects(ring().unlock(one), typeError(/^root key: the CryptoKey is one of a key pair; pass a secret one/));
    }
  }
});

test("where a text belongs, anything else is a TypeError with the name of the argument", async () => {
  const keys = ring().unlockSync(key), digits = ts.format("digits"), two = { threshold: 2, count: 2 };
  const text = (await loadText()).protector([{ name: "email", key, namespace: "e" }]);
  for (const given of [5, true, { length: -1e9 }, { length: 3 }, ["hidden"], new String("hidden"), Symbol("hidden")] as never[]) {
    assert.throws(() => digits.domainOf(given), typeError(/^value: pass a string$/));
    assert.throws(() => text.token("email", given), typeError(/^value: pass a string$/));
    assert.throws(() => keys.key(given), typeError(/^reference: pass a string$/));
    assert.throws(() => ts.tokenizer("digits", key, { namespace: given }), typeError(/^namespace: pass a string$/));
    assert.throws(() => ts.split(key, { ...two, label: given }), typeError(/^label: pass a string$/));
  }
  assert.equal(keys.key("people:1").length, 32);
});

test("where bytes or shares belong, text and numbers are a TypeError with the name of the argument", () => {
  const shares = ts.split(key, { threshold: 2, count: 2 });
  for (const given of ["0123456789abcdef", 16, null, [...key.slice(16)], new Uint16Array(8)] as unknown[]) {
    assert.throws(() => ts.combine(shares, { set: given as Uint8Array }), typeError(/^set: pass a Uint8Array or an ArrayBuffer$/));
    assert.throws(() => ts.combine([shares[0]!, given as Uint8Array]), typeError(/^share 1: pass/));
    assert.throws(() => ts.tokenizer("digits", given as Uint8Array), typeError(/^key: pass/));
    assert.throws(() => ts.split(given as Uint8Array, { threshold: 2, count: 2 }), typeError(/^secret: pass/));
  }
  assert.throws(() => ts.combine("hidden" as unknown as Uint8Array[]), typeError(/^shares: pass an array of shares$/));
  const { set } = ts.verify(shares[0]!);
  assert.deepEqual(ts.combine(shares, { set: set.slice().buffer as ArrayBuffer }).secret, key);
});

test("bytes of a subclass that says another length are taken as they are", () => {
  class Short extends Uint8Array {
    override get length(): number {
      return 16;
    }
  }
  const shares = ts.split(key, { threshold: 2, count: 3 }), digits = ts.tokenizer("digits", key, { namespace: "d" });
  const token = digits.protect("7654321");
  assert.throws(() => ts.tokenizer("digits", new Short(1 << 20), { namespace: "d" }), { code: "key_size" });
  assert.equal(ts.tokenizer("digits", new Short(key), { namespace: "d" }).protect("7654321"), token);
  assert.deepEqual(ts.combine([...shares.slice(1), new Uint8Array(1 << 20)].map((share) => new Short(share))).secret, key);
  assert.deepEqual(ts.verify(new Short(shares[0]!)), ts.verify(shares[0]!));
  assert.throws(() => ts.split(new Short(1 << 20), { threshold: 2, count: 2 }), { code: "argument" });
  assert.equal(digits.protect("7654321"), token);
});

test("a policy or format that is nested too deep, or in itself, is a TypeError", () => {
  const own: { type: string; a?: unknown } = { type: "hidden" };
  own.a = [own];
  const deep = (levels: number, isList: boolean): object => Array.from({ length: levels }).reduce<object>((inner) => (isList ? [inner] : { a: inner }), {});
  for (const given of [own, deep(3000, true), deep(3000, false), deep(101, false)]) {
    assert.throws(() => ts.policy(given), typeError(/nested too deep, or has itself inside$/));
    assert.throws(() => ts.format(given as FormatDescription), typeError(/nested too deep, or has itself inside$/));
  }
  for (const levels of [60, 90]) {
    assert.throws(() => ts.policy(deep(levels, false)), { code: "policy" });
  }
  for (const given of [undefined, null, 5, Symbol("hidden"), () => "hidden"]) {
    assert.throws(() => ts.policy(given as unknown as string), typeError(/^policy: pass text in TOML, or an object/));
  }
});

test("a kind of text that is not there, or is no text, is not shown", async () => {
  const text = (await loadText()).protector([{ name: "email", key, namespace: "e" }]), kind = "hidden@example.org";
  const fails = (call: () => unknown, name: string, words: RegExp): void =>
    assert.throws(call, (error: Error) => error.name === name && words.test(error.message) && !error.message.includes("hidden"));
  fails(() => text.token(kind, "email"), "TallystickError", /no such kind; pass one of "email"$/);
  fails(() => text.protectSpans(kind, [{ start: 0, end: 5, kind }]), "TallystickError", /no such kind/);
  const wrong = { name: { kind } as unknown as string, key, namespace: "e" };
  const core = await loadText();
  fails(() => core.protector([wrong]), "TypeError", /^kind 0: name must be a string$/);
});

test("a misspelt option is refused, since it would leave the default", async () => {
  const set = ts.split(key, { threshold: 2, count: 3 }), core = await loadText();
  const text = core.protector([{ name: "email", key, namespace: "e" }]), policy = ts.policy("[columns]\na = { format = { type = \"mask\" } }");
  const calls: Record<string, (options: object) => unknown> = {
    "namespace, onInvalid": (options) => ts.tokenizer("digits", key, { namespace: "d", ...options }),
    "threshold, count, label": (options) => ts.split(key, { threshold: 2, count: 3, ...options }),
    set: (options) => ts.combine(set, options),
    reveal: (options) => policy.open(undefined, options),
    "frame, checkBits, scope, keyring, reveal": (options) => core.protector([{ name: "email", key, namespace: "e" }], options),
    context: (options) => text.reveal("text", options),
  };
  for (const [names, call] of Object.entries(calls)) {
    assert.throws(() => call({ on_invalid: "keep" }), typeError(new RegExp(`^there is no option "on_invalid"; the options are ${names}$`)));
    call({});
  }
  assert.throws(() => ts.split(key, undefined as never), typeError(/^options must be an object with threshold, count, label$/));
  await assert.rejects(load({ SIMD: false } as never), typeError(/^there is no option "SIMD"/));
  await assert.rejects(loadText(null as never), typeError(/^options must be an object with module$/));
});

test("an option of a polluted prototype is refused: it would let invalid values pass in clear", async () => {
  const core = await loadText(), kind = { name: "email", key, namespace: "e" }, set = ts.split(key, { threshold: 2, count: 2 });
  const polluted = (name: string, value: unknown, call: () => unknown): void => {
    Object.defineProperty(Object.prototype, name, { value, ["configurable"]: true });
    try {
      assert.throws(call, typeError(new RegExp(`^option ${name} is inherited; set it on the object itself$`)));
    } finally {
      delete (Object.prototype as Record<string, unknown>)[name];
    }
  };
  polluted("onInvalid", "keep", () => ts.tokenizer("card", key, { namespace: "c" }).protect("hidden"));
  polluted("set", key, () => ts.combine(set));
  polluted("scope", "x", () => core.protector([kind]));
  polluted("patterns", [], () => core.protector([kind]));
  assert.throws(() => ts.tokenizer("digits", key, Object.create({ namespace: "d" }) as object), typeError(/^option namespace is inherited/));
});

test("a misspelt member of a kind is refused: its values would stay in clear", async () => {
  const core = await loadText(), kind = { name: "email", key, namespace: "e" };
  for (const given of [{ ...kind, pattern: [/hidden/] }, { ...kind, Patterns: [/hidden/] }]) {
    assert.throws(() => core.protector([given]), typeError(/^there is no option "[Pp]atterns?"; the options are name, key, namespace, patterns$/));
  }
  assert.throws(() => core.protector([null as never]), typeError(/^options must be an object with name, key/));
});

test("what is no text, and what is no key ring, is a TypeError with the name of the argument", async () => {
  const core = await loadText(), text = core.protector([{ name: "email", key, namespace: "e", patterns: [/hidden/] }]);
  for (const given of [undefined, null, 5, ["hidden"], new TextEncoder().encode("hidden")] as never[]) {
    for (const call of [() => text.protect(given), () => text.protectSpans(given, []), () => text.reveal(given)]) {
      assert.throws(call, typeError(/^text: pass a string$/));
    }
  }
  const policy = ts.policy('columns = { a = { format = "digits", key = "people:1", namespace = "a" } }');
  for (const given of [null, {}, "hidden", key] as never[]) {
    assert.throws(() => policy.open(given), typeError(/^ring: pass a key ring$/));
    assert.throws(() => core.protector([{ name: "email", key: "people:1", namespace: "e" }], { keyring: given }), typeError(/^keyring: pass a key ring$/));
  }
});

test("a function or a symbol in a format or policy is refused: it would leave the default", () => {
  for (const given of [() => 4, Symbol("hidden")]) {
    assert.throws(() => ts.format({ type: "digits", keep_last: given } as never), typeError(/^a format or policy has a (function|symbol) where a value belongs$/));
    assert.throws(() => ts.policy({ unlisted: given, columns: { a: { format: "mask" } } }), typeError(/where a value belongs$/));
  }
  assert.equal(ts.format({ type: "digits", keep_last: undefined } as never).identity, ts.format("digits").identity);
});

test("a field whose name is a symbol is one that the policy does not name", () => {
  const columns = { a: { format: "digits", key: "people:1", namespace: "a" } }, also = Symbol("also"), keys = ring().unlockSync(key);
  const record = { a: "1234567", [also]: "hidden" };
  assert.throws(() => ts.policy({ columns }).open(keys).protectRecords([record]), { code: "policy", message: /field "Symbol\(also\)": the policy does not name it/ });
  const kept = ts.policy({ unlisted: "keep", columns }).open(keys).protectRecords([record])[0]!;
  assert.equal(kept[also], "hidden");
  const inner = ts.policy({ columns: { "b{}": columns.a } }).open(keys).protectRecords([{ b: { [also]: "1234567" } }])[0]!;
  assert.notEqual(inner.b[also], "1234567");
});
