// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import * as arrow from "apache-arrow";
import { buildSync } from "esbuild";
import { InvalidValueError, ShareError, TallystickError } from "tallystick";
import { load } from "./core.js";
import { bytes, hex } from "./vectors.js";

const root = process.env.TALLYSTICK_TREE!, dist = `${root}/build/js/dist`;
const ts = await load(), key = Uint8Array.from({ length: 32 }, (_, i) => i);
const ROOT = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const digits = ts.tokenizer("digits", key, { namespace: "d" });

test("what a program loads, as bundlers make it, has at most 250 kB of gzip, and twice that in one file", () => {
  const bundled = buildSync({
    entryPoints: [`${dist}/index.js`], ["bundle"]: true, minify: true, format: "esm", write: false, external: ["./core-*.js"],
  }).outputFiles[0]!.contents;
  for (const kind of ["simd", "plain"]) {
    const size = gzipSync(Buffer.concat([bundled, readFileSync(`${dist}/core-${kind}.js`)]), { level: 9 }).length;
    assert.ok(size <= 250_000, `core-${kind}: ${size} bytes`);
    assert.ok(size > 100_000);
  }
  const whole = buildSync({ entryPoints: [`${dist}/index.js`], ["bundle"]: true, minify: true, format: "esm", write: false, platform: "neutral" });
  const size = gzipSync(whole.outputFiles[0]!.contents, { level: 9 }).length; // docs/reference/javascript.md says it
  assert.ok(size > 450_000 && size <= 490_000, `in one file: ${size} bytes`);
});

test("a core that is given as a module, or as bytes, makes the same tokens", async () => {
  for (const kind of ["simd", "plain"]) {
    const given = readFileSync(`${dist}/core-${kind}.wasm`);
    for (const module of [given, await WebAssembly.compile(given)]) {
      const other = await load({ module });
      const tokenizer = other.tokenizer("digits", key, { namespace: "d" });
      assert.equal(tokenizer.protect("5304218"), digits.protect("5304218"));
    }
  }
});

test("the core with SIMD128 has its lanes, and the plain one no instruction of them", () => {
  const swizzles = (kind: string): number => {
    const wasm = readFileSync(`${dist}/core-${kind}.wasm`);
    return wasm.toString("latin1").split("\xfd\x0e").length - 1; // i8x16.swizzle, which looks up in the S-boxes
  };
  assert.ok(swizzles("simd") > 100, `${swizzles("simd")}`);
  assert.ok(swizzles("plain") < 5, `${swizzles("plain")}`); // other bytes may look like it
});

test("arrays keep nulls and order, over several batches, with tweaks", () => {
  const values = Array.from({ length: 10_000 }, (_, i) => (i % 7 === 0 ? null : String(1_000_000 + i)));
  const tweaks = values.map((_, i) => `row ${i % 13}`);
  const tokens = digits.protect(values, tweaks);
  for (const i of [0, 1, 4095, 4096, 4097, 9_999]) {
    assert.equal(tokens[i], values[i] === null ? null : digits.protect(values[i]!, tweaks[i]));
  }
  assert.deepEqual(digits.reveal(tokens, tweaks), values);
  assert.deepEqual(digits.protect([]), []);
  assert.throws(() => digits.protect(["1234567"], []), { code: "tweaks" });
  assert.equal(digits.protect("1234567", null), digits.protect("1234567")); // as None in Python
  assert.throws(() => digits.protect(["1234567"], [null]), { reason: "tweak", row: 0 });
  assert.throws(() => digits.protect([1 as unknown as string]), TypeError);
  const long = "7654321".repeat(3000);
  for (const length of [-1e9, "x", NaN]) { // what is no text must not reserve less memory than the text takes
    assert.throws(() => digits.protect([long, { length } as unknown as string]), { name: "TypeError", message: /row 1/ });
  }
  assert.throws(() => digits.protect(undefined as unknown as string), TypeError);
});

test("each value of an array is read once, so that what a getter gives later has no say", () => {
  const reads = [0, 0], later = "7".repeat(300_000);
  const changing = (first: unknown, next: unknown, which: number): never => Object.defineProperty(["7654321"], 0, {
    get: () => {
      digits.protect("7654321"); // a call during another
      return reads[which]!++ === 0 ? first : next;
    },
  }) as never;
  const once = (call: () => unknown, wanted: unknown, tweaks = 0): void => {
    reads.fill(0);
    assert.deepEqual(call(), wanted);
    assert.deepEqual(reads, [1, tweaks]);
  };
  const token = digits.protect("1234567"), keeps = ts.tokenizer("digits", key, { namespace: "d", onInvalid: "keep" });
  const ids = ts.tokenizer({ type: "integer", min: 0, max: 10n ** 18n }, key, { namespace: "i" });
  once(() => digits.protect(changing("1234567", later, 0)), [token]);
  once(() => digits.reveal(changing(token, later, 0)), ["1234567"]);
  once(() => digits.protect(changing("1234567", later, 0), changing("a", later, 1)), [digits.protect("1234567", "a")], 1);
  once(() => keeps.protect(changing("x\ud800", "secret\ud800", 0)), ["x\ud800"]);
  once(() => ids.protect(changing(5n, 2n ** 70n, 0)), ids.protect([5n]));
  const vector = arrow.vectorFromArray(["1234567"], new arrow.Utf8());
  reads.fill(0);
  assert.deepEqual([...digits.protect(vector, changing("a", later, 1))], [digits.protect("1234567", "a")]);
  assert.deepEqual(reads, [0, 1]);
  const data = arrow.vectorFromArray(["1234567", null], new arrow.Utf8()).data[0]!, bitmap = data.nullBitmap;
  let again = 0;
  Object.defineProperties(data, { nullCount: { value: 1 }, nullBitmap: { get: () => (again++ === 0 ? bitmap : new Uint8Array(1)) } });
  assert.deepEqual([...digits.protect(new arrow.Vector([data]))], [token, null]);
});

test("a call that takes more memory than it reserved is an error, and wipes nothing of others", async () => {
  const { Machine } = await import(`${dist}/machine.js`) as { Machine: new (core: object) => Own };
  type Own = { bytes: Uint8Array; take(size: number): number; run(size: number, call: () => void): void };
  const memory = new WebAssembly.Memory({ initial: 2 });
  const machine = new Machine({ memory, tally_go_alloc: () => 64, tally_go_free: () => undefined });
  machine.bytes.fill(7);
  assert.throws(() => machine.run(16, () => void machine.take(1 << 16)), { code: "internal" });
  assert.ok(machine.bytes.subarray(64 + (1 << 14)).every((byte) => byte === 7));
});

test("an invalid value is an error that names its row and never the value, or null, or kept", () => {
  const rows = Array.from({ length: 5000 }, () => "7654321");
  rows[4321] = "76543x1secret";
  assert.throws(() => digits.protect(rows), (error: InvalidValueError) => {
    assert.ok(error instanceof InvalidValueError && error instanceof TallystickError);
    assert.deepEqual([error.row, error.reason, error.position, error.character], [4321, "foreign", 6, "a letter"]);
    assert.ok(!error.message.includes("secret"));
    return true;
  });
  const lone = "765\ud8004321", nulls = ts.tokenizer("digits", key, { namespace: "d", onInvalid: "null" });
  const keeps = ts.tokenizer("digits", key, { namespace: "d", onInvalid: "keep" });
  assert.deepEqual(nulls.protect(["x", null, "7654321", lone]), [null, null, digits.protect("7654321"), null]);
  assert.deepEqual(keeps.protect(["x", lone]), ["x", lone]);
  assert.deepEqual([nulls.protect("x"), keeps.protect(lone)], [null, lone]);
  for (const format of ["mask", "pseudonym"] as const) { // to these it is a valid value
    const own = ts.tokenizer(format, format === "mask" ? undefined : key, { namespace: "m", onInvalid: "keep" });
    assert.deepEqual(own.protect([lone, "x"]), [own.protect(lone), own.protect("x")]);
    assert.notEqual(own.protect(lone), lone);
  }
  assert.throws(() => digits.protect(lone), { reason: "foreign" });
});

test("integers: one, arrays, and typed arrays of every width", () => {
  const ids = ts.tokenizer({ type: "integer", min: 0, max: 2_000_000_000 }, key, { namespace: "id" });
  const token = ids.protect(4711);
  assert.equal(token, Number(ids.protect("4711")));
  assert.equal(ids.protect(4711n), BigInt(token));
  assert.equal(ids.reveal(token), 4711);
  assert.deepEqual(ids.protect([4711n, null]), [BigInt(token), null]);
  const tiny = ts.tokenizer({ type: "integer", min: 0, max: 127, allow_tiny_domain: true }, key, { namespace: "tiny" });
  for (const Kind of [Int8Array, Uint8Array, Int16Array, Uint16Array, Int32Array, Uint32Array, BigInt64Array, BigUint64Array]) {
    const own = Kind.BYTES_PER_ELEMENT < 4 ? tiny : ids, value = own === tiny ? 47 : 4711, isBig = Kind.name.startsWith("Big");
    const filled = (number: number): Int32Array => new Kind(3).fill((isBig ? BigInt(number) : number) as never) as unknown as Int32Array;
    const given = filled(value), made = own.protect(given);
    assert.deepEqual([made, given, own.reveal(made)], [filled(own.protect(value)), filled(value), filled(value)]);
  }
  class Wide extends Int32Array {
    override get [Symbol.toStringTag](): "Int32Array" {
      return "BigInt64Array" as "Int32Array";
    }
  }
  assert.deepEqual([...ids.protect(Wide.of(1, 2))], [ids.protect(1), ids.protect(2)]);
  const rows = Int32Array.from({ length: 4100 }, (_, i) => i), tokens = [...ids.protect(rows)];
  class OfOne extends Int32Array {
    constructor(given: number) { // as `subarray` calls it, it makes a view of the whole buffer
      super(given);
    }
  }
  class Short extends Int32Array {
    override get length(): number {
      return 1;
    }
    override get BYTES_PER_ELEMENT(): number {
      return 1;
    }
    override subarray(): Int32Array<ArrayBuffer> {
      return new Int32Array(100_000);
    }
  }
  for (const given of [OfOne.from(rows), new Short(rows)]) {
    const made = ids.protect(given);
    assert.deepEqual(Array.from({ length: rows.length }, (_, i) => made[i]), tokens);
    assert.equal(made.constructor, given.constructor);
  }
  class Floats extends Int32Array {
    static get [Symbol.species](): Float64ArrayConstructor {
      return Float64Array;
    }
  }
  assert.throws(() => ids.protect(new Floats(2)), /^TypeError: the class of this typed array makes copies of another type/);
  assert.throws(() => ids.protect(new DataView(new ArrayBuffer(8)) as unknown as Int32Array), TypeError);
  const buffer = Buffer.of(47, 48), made = tiny.protect(buffer);
  assert.deepEqual([...buffer, ...made], [47, 48, tiny.protect(47), tiny.protect(48)]);
  const many = BigInt64Array.from({ length: 9000 }, (_, i) => BigInt(i));
  assert.deepEqual(ids.reveal(ids.protect(many)), many);
  assert.throws(() => ids.protect(BigInt64Array.of(1n, -1n)), { row: 1, reason: "range" });
  assert.throws(() => ids.protect(1.5), TypeError);
  assert.throws(() => ids.protect([null, 4711] as never), /^TypeError: an array may not hold numbers; pass a typed array/);
  assert.throws(() => ids.protect(2n ** 64n), TypeError);
  const bytes_ = ts.tokenizer({ type: "integer", min: -128, max: 127, allow_tiny_domain: true }, key, { namespace: "b" });
  assert.deepEqual(bytes_.reveal(bytes_.protect(Int8Array.of(1, 2))), Int8Array.of(1, 2));
});

test("vectors of Apache Arrow", () => {
  const values = ["7654321", null, "1234567", "7654321"], wanted = digits.protect(values);
  const texts = [
    arrow.vectorFromArray(values, new arrow.Utf8()),
    arrow.vectorFromArray(values, new arrow.LargeUtf8()),
    arrow.vectorFromArray(values, new arrow.Dictionary(new arrow.Utf8(), new arrow.Int16())),
    arrow.vectorFromArray([null, "9999999", ...values, "1"], new arrow.Utf8()).slice(2, 6),
    arrow.vectorFromArray(values.slice(0, 1), new arrow.Utf8()).concat(arrow.vectorFromArray(values.slice(1), new arrow.Utf8())),
  ];
  for (const vector of texts) {
    const made = digits.protect(vector);
    assert.deepEqual([...made], wanted);
    assert.equal(made.nullCount, 1);
    assert.equal(String(made.type), String(vector.type));
    assert.deepEqual([...digits.reveal(made)], values);
  }
  const table = new arrow.Table({ a: digits.protect(texts[2]!), b: texts[2]! });
  const back = arrow.tableFromIPC(arrow.tableToIPC(table));
  assert.deepEqual([...back.getChild("a")!, ...back.getChild("b")!], [...wanted, ...values]);
  const tweaks = arrow.vectorFromArray(["a", "b", "c", "d"], new arrow.Utf8());
  assert.deepEqual([...digits.protect(texts[0]!, tweaks)], digits.protect(values, ["a", "b", "c", "d"]));

  const ids = ts.tokenizer({ type: "integer", min: 0, max: 2_000_000_000 }, key, { namespace: "id" });
  const numbers = arrow.vectorFromArray([1n, null, 3n], new arrow.Int64());
  assert.deepEqual([...ids.protect(numbers)], ids.protect([1n, null, 3n]));
  for (const Kind of [arrow.Int16, arrow.Int32, arrow.Uint32, arrow.Uint64]) {
    const own = ts.tokenizer({ type: "integer", min: 0, max: 30_000 }, key, { namespace: "id" });
    const vector = arrow.vectorFromArray(["Uint64"].includes(Kind.name) ? [1n, null, 3n] : [1, null, 3], new Kind()), made = own.protect(vector);
    assert.deepEqual([...made].map((one) => one === null ? null : Number(one)), own.protect([1n, null, 3n]).map((one) => one === null ? null : Number(one)));
    assert.deepEqual([String(made.type), ...own.reveal(made)], [String(vector.type), ...vector]);
  }
  const cents = ts.tokenizer({ type: "decimal", min: "0", max: "99999.99", scale: 2 }, key, { namespace: "cents" });
  const prices = new arrow.Vector([arrow.makeData({ type: new arrow.Decimal(2, 7, 128), data: Uint32Array.of(1234, 0, 0, 0, 9_999_999, 0, 0, 0) })]);
  const priced = cents.protect(prices), digitsOf = (text: string): number => Number(text.replace(".", ""));
  assert.deepEqual([...priced].map((one) => (one as Uint32Array)[0]), ["12.34", "99999.99"].map((one) => digitsOf(cents.protect(one))));
  assert.deepEqual([...cents.reveal(priced)], [...prices]);
  const words = new Uint32Array(new ArrayBuffer(36), 4, 8);
  words.set(prices.data[0]!.values as Uint32Array);
  const moved = cents.protect(new arrow.Vector([arrow.makeData({ type: new arrow.Decimal(2, 7, 128), data: words })]));
  assert.deepEqual([...moved], [...priced]);
  const seconds = ts.tokenizer({ type: "timestamp" }, key, { namespace: "seen" }), moment = Date.UTC(2024, 1, 29, 12, 30, 1);
  for (const type of [new arrow.TimestampSecond(), new arrow.TimestampMillisecond("UTC"), new arrow.TimestampMicrosecond(), new arrow.TimestampNanosecond()]) {
    const vector = arrow.vectorFromArray([moment, null], type), made = seconds.protect(vector);
    assert.notEqual(made.get(0), vector.get(0));
    assert.deepEqual([String(made.type), ...seconds.reveal(made)], [String(type), ...vector]);
  }

  const days = ts.tokenizer("date", key, { namespace: "birth" }), day = Date.UTC(1970, 0, 31);
  for (const type of [new arrow.DateDay(), new arrow.DateMillisecond()]) {
    const made = days.protect(arrow.vectorFromArray([new Date(day)], type));
    assert.equal(new Date(made.get(0) as number).toISOString().slice(0, 10), days.protect("1970-01-31"));
  }
  assert.throws(() => digits.protect(arrow.vectorFromArray([1.5], new arrow.Float64())), { code: "type" });
});

const TOML = `
unlisted = "error"
keep = ["plan"]
[columns]
phone = { format = "phone", key = "people:1", namespace = "phone" }
id = { format = { type = "integer", min = 0, max = 999_999_999 }, key = "people:1", namespace = "id", tweak = "plan" }
note = { format = "mask" }
`;
const ring = (): string => readFileSync(`${root}/go/keyring/testdata/people.keys`, "utf8");

test("a policy with a key ring protects records, and reveals them", async () => {
  const keys = ts.keyring(ring()), policy = ts.policy(TOML);
  assert.throws(() => policy.open(), { code: "keyring" });
  assert.throws(() => policy.open(keys), /column "phone"/);
  await keys.unlock(bytes(ROOT));
  const protector = policy.open(keys);
  keys.close();
  assert.throws(() => keys.key("people:1"), { code: "closed" });
  const records = [
    { id: 17, phone: "+43 660 1234567", plan: "gold", note: "Anna" }, { phone: null, plan: null }, { phone: "+43 660 1234567" },
  ];
  const made = protector.protectRecords(records);
  assert.equal(made[0]!.phone, protector.protect("phone", ["+43 660 1234567"])[0]);
  assert.notEqual(made[0]!.id, 17);
  assert.equal(made[0]!.note, "****");
  assert.deepEqual(protector.revealRecords(made), [{ ...records[0], note: "****" }, records[1], records[2]]);
  assert.throws(() => protector.protectRecords([{ other: 1 }]), /field "other": the policy does not name it/);
  assert.throws(() => protector.protectRecords([{ phone: {} }]), { code: "type" });
  assert.throws(() => protector.protectRecords([{ plan: "a" }, { phone: "x" }]), { row: 1 });
  assert.throws(() => protector.protect("id", ["1"]), { code: "tweaks" });
  for (const value of ["1", ["1"]] as string[][]) {
    assert.throws(() => protector.protect("id", value, null as never), { code: "tweaks", message: /pass the values of column "plan"/ });
  }
  assert.throws(() => policy.open(ts.keyring(ring()).unlockSync(bytes(ROOT)), { reveal: false }).reveal("phone", []), { code: "argument" });
  protector.close();
  assert.throws(() => protector.protectRecords(records), { code: "closed" });
});

test("rights of a ring are obeyed, and a ring that demands signatures opens no policy", () => {
  interface Vector { text: string; root_key: string; result: string; rights?: string[]; signers?: string[]; held: string[] }
  const all = (JSON.parse(readFileSync(`${root}/vectors/keyrings.json`, "utf8")) as Vector[]).filter((one) => one.result === "opens");
  const limited = all.find((one) => one.rights?.includes("protect") === true && one.rights.includes("reveal") && one.signers?.length === 0)!;
  const keys = ts.keyring(limited.text).unlockSync(bytes(limited.root_key));
  limited.rights!.forEach((may, i) => {
    const reference = limited.held[i]!;
    const protector = ts.policy(`[columns]\na = { format = "digits", key = "${reference}", namespace = "n" }`).open(keys);
    assert.throws(() => (may === "protect" ? protector.reveal("a", ["1234567"]) : protector.protect("a", ["1234567"])), { code: "rights" });
    assert.equal((may === "protect" ? protector.protect("a", ["1234567"]) : protector.reveal("a", ["1234567"])).length, 1);
    assert.throws(() => keys.key(reference), { code: "rights" });
  });
  const signed = all.find((one) => (one.signers ?? []).length > 0)!;
  const demands = ts.keyring(signed.text).unlockSync(bytes(signed.root_key));
  assert.throws(() => ts.policy('[columns]\na = { format = "mask" }').open(demands), { code: "policy", message: /signed/ });
});

test("a root key is bytes, a CryptoKey or shares", async () => {
  const extractable = await crypto.subtle.importKey("raw", bytes(ROOT) as BufferSource, "AES-GCM", true, ["encrypt"]);
  const locked = await crypto.subtle.importKey("raw", bytes(ROOT) as BufferSource, "AES-GCM", false, ["encrypt"]);
  await ts.keyring(ring()).unlock(extractable);
  await assert.rejects(ts.keyring(ring()).unlock(locked), { code: "root_key" });
  await assert.rejects(ts.keyring(ring()).unlock(key.slice(1)), { code: "root_key" });
  await assert.rejects(ts.keyring(ring()).unlock({ shares: [] }), { code: "root_key" });
});

/** A ring that is split among three, under another set: its MAC is made anew, by docs/reference/keyring.md. */
async function splitRing(set: Uint8Array): Promise<string> {
  const text = readFileSync(`${root}/go/keyring/testdata/shared.keys`, "utf8").replace(/(?<="set": ")\w+/, hex(set)), body = text.slice(0, -68);
  const [utf8, algorithm] = [new TextEncoder(), { name: "HMAC", hash: "SHA-256", length: 256 }];
  const ikm = await crypto.subtle.importKey("raw", bytes(ROOT) as BufferSource, "HKDF", false, ["deriveKey"]);
  const mac = await crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: bytes(ts.keyring(text).id) as BufferSource, info: utf8.encode("tallystick keyring 1 authentication") },
    ikm, algorithm, false, ["sign"],
  );
  return `${body}${hex(new Uint8Array(await crypto.subtle.sign("HMAC", mac, utf8.encode(body))))}"\n}\n`;
}

test("shares of its root key open a ring; too few, foreign or mislabeled ones don't", async () => {
  const { id } = ts.keyring(readFileSync(`${root}/go/keyring/testdata/shared.keys`));
  const deal = (secret = bytes(ROOT), label = `tallystick keyring ${id}`): Uint8Array[] => ts.split(secret, { threshold: 2, count: 3, label });
  const shares = deal(), { set } = ts.verify(shares[0]!), text = await splitRing(set), foreign = deal();
  const open = (given: Uint8Array[], file = text): Promise<unknown> => ts.keyring(file).unlock({ shares: given });
  const keys = ts.keyring(text), wanted = hex(ts.keyring(text).unlockSync(bytes(ROOT)).key("people:1"));
  assert.deepEqual([keys.root.kind, keys.root.shares?.threshold, keys.root.shares?.count], ["shares", 2, 3]);
  assert.throws(() => keys.key("people:1"), TallystickError);
  await keys.unlock({ shares: [foreign[0]!, shares[2]!, new Uint8Array(9), shares[0]!] });
  assert.equal(hex(keys.key("people:1")), wanted);
  for (const [given, good, verdicts] of [
    [[], 0, []], [[shares[1]!], 1, ["good"]], [[shares[1]!, shares[1]!], 1, ["good", "repeated"]], [foreign, 0, foreign.map(() => "foreign")],
  ] as const) {
    await assert.rejects(open([...given]), (error: ShareError) => {
      assert.ok(error instanceof ShareError);
      assert.deepEqual([error.code, error.good, error.verdicts], ["shares_few", good, verdicts]);
      return true;
    });
  }
  for (const others of [deal(bytes(ROOT), "another ring"), deal(key.slice(1)), deal(key.map((byte) => byte ^ 1))]) {
    await assert.rejects(open(others, await splitRing(ts.verify(others[0]!).set)), { code: "root_key" });
  }
});

test("shares: any threshold of them recovers the secret, and bad ones are found", () => {
  const secret = crypto.getRandomValues(new Uint8Array(100));
  const shares = ts.split(secret, { threshold: 3, count: 5, label: "root kéy" });
  const damaged = shares[3]!.slice();
  damaged[damaged.length - 1]! ^= 1;
  const [foreign] = ts.split(secret, { threshold: 2, count: 2 }), none = new Uint8Array(3);
  const found = ts.combine([none, damaged, foreign!, shares[4]!, shares[1]!, shares[4]!, shares[0]!]);
  assert.equal(hex(found.secret), hex(secret));
  assert.deepEqual(found.verdicts, ["malformed", "damaged", "foreign", "good", "good", "repeated", "good"]);
  assert.deepEqual([found.share.label, found.share.threshold, found.share.count], ["root kéy", 3, 5]);
  assert.equal(ts.verify(damaged).verdict, "damaged");
  assert.throws(() => ts.combine(shares.slice(0, 2)), (error: ShareError) => error.good === 2 && error.threshold === 3 && error.code === "shares_few");
  assert.throws(() => ts.split(secret, { threshold: 1, count: 2 }), { code: "argument" });
  const largest = crypto.getRandomValues(new Uint8Array(16_384));
  assert.equal(hex(ts.combine(ts.split(largest, { threshold: 2, count: 255 }).slice(253)).secret), hex(largest));
});

test("keys, values and secrets are wiped from the memory of WebAssembly", async () => {
  const module = await WebAssembly.compile(readFileSync(`${dist}/core-simd.wasm`));
  let memory: WebAssembly.Memory | undefined;
  const instantiate = WebAssembly.instantiate;
  (WebAssembly as { instantiate: unknown }).instantiate = async (...given: [WebAssembly.Module, WebAssembly.Imports]) => {
    const instance = await instantiate(...given);
    memory = instance.exports.memory as WebAssembly.Memory;
    return instance;
  };
  const own = await load({ module });
  (WebAssembly as { instantiate: unknown }).instantiate = instantiate;
  const held = (given: Uint8Array | string): boolean => Buffer.from(memory!.buffer).includes(typeof given === "string" ? given : Buffer.from(given));
  const secret = crypto.getRandomValues(new Uint8Array(32)), value = "8374650192837465";
  const tokenizer = own.tokenizer("digits", secret, { namespace: "d" });
  assert.ok(held(secret), "the test finds what is there");
  const token = tokenizer.protect(value);
  tokenizer.reveal([token, token]);
  tokenizer.reveal(token);
  assert.ok(!held(value), "a value");
  tokenizer.close();
  assert.ok(!held(secret), "a key");
  own.combine(own.split(secret, { threshold: 2, count: 2 }));
  assert.ok(!held(secret), "a shared secret");
  const keys = own.keyring(ring()).unlockSync(bytes(ROOT)), data = keys.key("people:1");
  assert.ok(!held(data) && !held(bytes(ROOT)), "a data key, a root key");
});

test("a closed tokenizer, a format of another instance and wrong keys are refused", async () => {
  const closed = ts.tokenizer("digits", key, { namespace: "d" });
  closed.close();
  closed.close();
  assert.throws(() => closed.protect("1234567"), { code: "closed" });
  for (const given of [["1234567"], [], null, new Int32Array(0), arrow.vectorFromArray([], new arrow.Utf8())] as string[][]) {
    assert.throws(() => closed.protect(given), { code: "closed" });
  }
  const other = await load({ simd: false });
  assert.throws(() => ts.tokenizer(other.format("digits"), key, { namespace: "d" }), { code: "argument" });
  assert.throws(() => ts.tokenizer("digits", key.slice(1), { namespace: "d" }), { code: "key_size" });
  assert.throws(() => ts.tokenizer("digits", undefined, { namespace: "d" }), { code: "key_size" });
  assert.throws(() => ts.tokenizer("mask", key), { code: "argument" });
  assert.throws(() => ts.tokenizer("digits", key, { namespace: "" }), { code: "namespace" });
  assert.throws(() => ts.format("digit" as "digits"), { code: "format", message: /did you mean 'digits'/ });
});

test("the options of the types are those of the documentation", () => {
  const source = readFileSync(`${root}/js/src/presets.ts`, "utf8").replaceAll(/ *\/\*\*.*\*\/\n/g, "");
  for (const name of ts.formatNames) {
    const [, own] = new RegExp(`^  ${name}: ([^]*?);\\n(?=  \\w+: |\\})`, "m").exec(source) ?? [];
    assert.ok(own !== undefined, name);
    const page = readFileSync(`${root}/docs/reference/formats/${name}.md`, "utf8").split("## Options")[1] ?? "";
    const typed = new Set([...own.matchAll(/(\w+)\??: /g)].map((match) => match[1]!));
    const table = /^\| option \|[^]*?\n(?!\|)/m.exec(`${page.split(/\n## /)[0]}\n\n`)?.[0] ?? "";
    const written = new Set([...table.matchAll(/^\| `(\w+)` \| /gm)].map((match) => match[1]!));
    assert.deepEqual([...typed].sort(), [...written].sort(), name);
  }
});
