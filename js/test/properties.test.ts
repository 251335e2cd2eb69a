// SPDX-License-Identifier: Apache-2.0
//
// What comes from outside, at random: it is refused with an error of the package, or taken, and never a
// trap of WebAssembly. Seed and runs come from TALLYSTICK_SEED and TALLYSTICK_RUNS; by default they are always the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as arrow from "apache-arrow";
import { buildSync } from "esbuild";
import fc from "fast-check";
import { TallystickError } from "tallystick";
import { readFileSync } from "node:fs";
import { load } from "./core.js";
import { through } from "./through.js";
import { bytes } from "./vectors.js";

const ts = await load(), key = new Uint8Array(32).fill(7), root = process.env.TALLYSTICK_TREE!;
const run = { seed: Number(process.env.TALLYSTICK_SEED ?? 1), numRuns: Number(process.env.TALLYSTICK_RUNS ?? 300) };

/** Whether an error is one that the package throws on purpose; else it is thrown again. */
function isRefusal(error: unknown): true {
  if (error instanceof TypeError || (error instanceof TallystickError && error.code !== "internal")) {
    return true;
  }
  throw error;
}

function refused(call: () => unknown): boolean {
  try {
    call();
    return false;
  } catch (error) {
    return isRefusal(error);
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

const digits = ts.tokenizer("digits", key, { namespace: "n", onInvalid: "null" });
const ids = ts.tokenizer({ type: "integer", min: 0, max: 2 ** 31 - 1 }, key, { namespace: "n" });
const shorts = ts.tokenizer({ type: "integer", min: 0, max: 2 ** 16 - 1, allow_tiny_domain: true }, key, { namespace: "n" });
const TEXT = Uint8Array.from({ length: 40 }, (_, i) => 48 + (i % 7));

interface Parts {
  rows: number; offset: number; nulls: Uint8Array | null; offsets: number[]; text: number; isWide: boolean;
}

const parts: fc.Arbitrary<Parts> = fc.record({
  rows: fc.oneof(fc.nat(8), fc.constantFrom(-1, 0.5, NaN, 2 ** 31, 2 ** 32 + 1)), offset: fc.oneof(fc.nat(20), fc.constantFrom(-1, 2 ** 31)),
  nulls: fc.option(fc.uint8Array({ maxLength: 4 })), text: fc.nat(40), isWide: fc.boolean(),
  offsets: fc.oneof(
    fc.array(fc.constantFrom(0, 7, 14, 21, 28, 35), { maxLength: 9 }).map((all) => all.sort((a, b) => a - b)),
    fc.array(fc.integer({ min: -8, max: 64 }), { maxLength: 9 }),
  ),
});

function vectorOf(type: arrow.DataType, { rows, offset, nulls }: Parts, buffers: unknown[], dictionary?: arrow.Vector): arrow.Vector {
  const data = new arrow.Data(type, offset, rows, nulls === null ? 0 : 1, [...buffers, nulls ?? undefined] as never, [], dictionary);
  Object.assign(data, { length: rows, offset }); // which its constructor rounds
  return new arrow.Vector([data]);
}

/** Whether the parts have as many rows as they say. */
function isWhole({ rows, offset, nulls }: Parts): boolean {
  const isCount = [rows, offset].every((one) => Number.isInteger(one) && one >= 0 && one < 2 ** 31 - 1);
  return isCount && (nulls === null || nulls.length === 0 || 8 * nulls.length >= offset + rows);
}

/** Rows, where the bitmap has them. */
function rowsOf<T>({ rows, offset, nulls }: Parts, read: (row: number) => T): (T | null)[] {
  return Array.from({ length: rows }, (_, row) =>
    nulls !== null && nulls.length > 0 && ((nulls[(offset + row) >> 3]! >> ((offset + row) & 7)) & 1) === 0 ? null : read(row));
}

test("vectors of Arrow are refused if a buffer is shorter than their lengths and offsets say", () => {
  fc.assert(fc.property(parts, (given) => {
    const { rows, offsets, text, isWide } = given, used = offsets.slice(0, rows + 1), values = TEXT.slice(0, text);
    const isGood = isWhole(given) && (rows === 0 || (offsets.length > rows && used.every((one, i) => one >= (used[i - 1] ?? 0)) && used[rows]! <= text));
    const vector = isWide ? vectorOf(new arrow.LargeUtf8(), given, [BigInt64Array.from(offsets, BigInt), values])
      : vectorOf(new arrow.Utf8(), given, [Int32Array.from(offsets), values]);
    let made: unknown[] = [];
    assert.equal(!refused(() => (made = [...digits.protect(vector)])), isGood);
    if (isGood) {
      assert.deepEqual(made, digits.protect(rowsOf(given, (row) => String.fromCharCode(...values.slice(used[row], used[row + 1])))));
    }
  }), run);
  fc.assert(fc.property(parts, (given) => {
    const { rows, offsets, isWide } = given, numbers = offsets.map(Math.abs), isGood = isWhole(given) && numbers.length >= rows;
    const vector = isWide ? vectorOf(new arrow.Int64(), given, [undefined, BigInt64Array.from(numbers, BigInt)])
      : vectorOf(new arrow.Uint16(), given, [undefined, Uint16Array.from(numbers)]);
    let made: unknown[] = [];
    assert.equal(!refused(() => (made = [...(isWide ? ids : shorts).protect(vector)])), isGood);
    if (isGood) {
      assert.deepEqual(made.map((one) => one === null ? null : BigInt(one as number)), (isWide ? ids : shorts).protect(rowsOf(given, (row) => BigInt(numbers[row]!))));
    }
  }), run);
  const entries = ["1234567", "7654321", null, "x"], dictionary = arrow.vectorFromArray(entries, new arrow.Utf8());
  fc.assert(fc.property(parts, fc.boolean(), (given, isInside) => {
    const { rows, offsets } = given, indices = isInside ? offsets.map((one) => Math.abs(one) % 4) : offsets;
    const type = new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8()), vector = vectorOf(type, given, [undefined, Int8Array.from(indices)], dictionary);
    const wanted = isWhole(given) && indices.length >= rows ? rowsOf(given, (row) => indices[row]!) : [4];
    const isGood = wanted.every((index) => index === null || entries[index] !== undefined);
    let made: unknown[] = [];
    assert.equal(!refused(() => (made = [...digits.protect(vector)])), isGood);
    if (isGood) {
      assert.deepEqual(made, digits.protect(wanted.map((index) => index === null ? null : entries[index])));
    }
  }), run);
});

const protector = ts.policy(`
keep = ["a", "d"]
[columns]
b = { format = "unicode", key = "people:1", namespace = "b", on_invalid = "keep" }
"c.d[].e" = { format = "digits", key = "people:1", namespace = "e", on_invalid = "keep" }
`).open(ts.keyring(readFileSync(`${root}/go/keyring/testdata/people.keys`)).unlockSync(bytes("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")));
const table = ts.policy(`
unlisted = "keep"
[columns]
b = { format = "unicode", key = "people:1", namespace = "b", on_invalid = "keep" }
`).open(ts.keyring(readFileSync(`${root}/go/keyring/testdata/people.keys`)).unlockSync(bytes("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")));
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });

/** What a stream makes, or undefined if it refuses. */
async function passed(stream: Parameters<typeof through>[0], given: Uint8Array, chunks?: readonly number[]): Promise<Uint8Array | undefined> {
  try {
    return await through(stream, given, chunks);
  } catch (error) {
    isRefusal(error);
    return undefined;
  }
}

test("CSV of any bytes is refused, or comes back, wherever chunks end", async () => {
  const good = new TextEncoder().encode('a,b,c\r\n1,"Zo\u00eb ""Q""",x\n\n2,,"y, z"\n3,Anna Lee,\n'), cells = fc.constantFrom("b", ",", '"', "\n", "\r\n", "Anna", "\u{1f680}", "\ufeff", " ");
  const cut = fc.oneof(files(good), fc.array(cells, { maxLength: 30 }).map((all) => new TextEncoder().encode(`a,b\n${all.join("")}`)));
  const bare = (given: Uint8Array): string => Buffer.from(given).toString("latin1").replaceAll('"', "");
  await fc.assert(fc.asyncProperty(cut, sizes, async (given, chunks) => {
    const made = await passed(table.protectCsv(), given);
    assert.deepEqual(await passed(table.protectCsv(), given, chunks), made);
    if (made !== undefined) {
      assert.equal(bare((await passed(table.revealCsv(), made, chunks))!), bare(given));
    }
  }), run);
});

test("NDJSON of any bytes is refused, or comes back, wherever chunks end", async () => {
  const good = '{"a":1,"b":"Zo\\u00eb \\"Q\\" }","c":{"d":[{"e":"1234567"},{"e":null,"f":[{}]}]}}\n\n {"b" : null , "d":{"b":"]"}}\n{"a":[1.50,{"b":-1e3}]}';
  const fields = fc.record({ a: fc.jsonValue(), b: fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue()), c: fc.oneof(fc.jsonValue(), fc.record({ d: fc.array(fc.record({ e: fc.string() })) })) }, { requiredKeys: [] });
  const lines = fc.array(fields, { maxLength: 4 }).map((all) => new TextEncoder().encode(all.map((one) => JSON.stringify(one)).join("\n")));
  const parsed = (given: Uint8Array): unknown[] => new TextDecoder("utf-8").decode(given).split("\n").map((line) => line.trim() === "" ? line : JSON.parse(line) as unknown);
  await fc.assert(fc.asyncProperty(fc.oneof(files(new TextEncoder().encode(good)), lines), sizes, async (given, chunks) => {
    const made = await passed(protector.protectNdjson(), given);
    assert.deepEqual(await passed(protector.protectNdjson(), given, chunks), made);
    if (made !== undefined) {
      assert.deepEqual(parsed((await passed(protector.revealNdjson(), made, chunks))!), parsed(given));
    }
  }), run);
});

interface Page {
  PrintedError: new () => Error;
  readPrinted(text: string): Uint8Array;
  splitPrinted(text: string): string[];
  readTable(text: string, most: number): { delimiter: string; names: string[]; rows: string[][]; fault?: { row: number } };
  policyText(delimiter: string, choices: readonly object[], isKeyed: () => boolean): string;
}

const contents = ["printed", "table"].map((name) => `export * from "./${name}.ts";`).join("");
const { text: script } = buildSync({ stdin: { contents, resolveDir: `${root}/js/page` }, ["bundle"]: true, format: "esm", write: false }).outputFiles[0]!;
const page = await import(`data:text/javascript;base64,${Buffer.from(script).toString("base64")}`) as Page;

test("the page: printed shares of any text are read, or refused with a place", () => {
  const { printed, data } = (JSON.parse(readFileSync(`${root}/vectors/share_printed.json`, "utf8")) as { printed: string; data: string }[]).find((one) => one.printed.length > 200)!;
  assert.deepEqual(page.readPrinted(printed), bytes(data));
  const edits = fc.array(fc.tuple(fc.nat(printed.length), fc.nat(3), fc.string({ unit: "binary", maxLength: 3 })), { maxLength: 3 });
  const edited = edits.map((all) => all.reduce((text, [at, size, other]) => text.slice(0, at) + other + text.slice(at + size), printed));
  fc.assert(fc.property(fc.oneof(fc.string({ unit: "binary" }), edited), (text) => {
    assert.equal(page.splitPrinted(text).join("").trimStart(), text.trimStart()); // blanks alone are no share
    try {
      page.readPrinted(text);
    } catch (error) {
      assert.ok(error instanceof page.PrintedError);
    }
  }), run);
});

test("the page: a table is refused where a run refuses it, and the policy names its columns", async () => {
  const cells = fc.array(fc.constantFrom("a", "b.c", "[]", "{}", ",", ",", '"', '""', "\n", "\r\n", "\r", " "), { maxLength: 25 });
  const name = fc.array(fc.constantFrom(..."ab.[]{}\"\\ #=é"), { minLength: 1, maxLength: 6 }).map((all) => all.join(""));
  const names = fc.uniqueArray(name, { minLength: 1, maxLength: 4 }), quote = (one: string): string => `"${one.replaceAll('"', '""')}"`;
  await fc.assert(fc.asyncProperty(fc.constantFrom("a\n", "a,b"), cells, async (head, all) => {
    const text = `${head}${all.join("")}`, { names, fault } = page.readTable(text, 99);
    fc.pre(new Set(names).size === names.length);
    const made = ts.policy({ unlisted: "keep", columns: { [names[0]!]: { format: "mask", on_invalid: "null" } } }).open().protectCsv();
    const refusal = await through(made, text).then(() => undefined, (error: Error) => error.message);
    assert.equal(/^row (\d+):/.exec(refusal ?? "")?.[1] ?? (refusal && "header"), fault && (fault.row === 0 ? "header" : String(fault.row - 1)));
  }), run);
  await fc.assert(fc.asyncProperty(names, async (all) => {
    const text = `${all.map(quote).join(";")}\n${all.map(() => "xy").join(";")}\n`, { delimiter, names } = page.readTable(text, 9);
    fc.pre(delimiter === ";" || all.length === 1);
    const choices = names.map((column, i) => ({ column, format: i === 1 ? "keep" : "mask", options: "", namespace: column, tweak: "" }));
    const toml = page.policyText(delimiter, choices, () => false);
    let policy: ReturnType<typeof ts.policy> | undefined;
    try {
      policy = ts.policy(toml);
    } catch (error) { // a name such as a."b" is the path a.b, misspelled: the page shows the message
      assert.match((error as Error).message, /has quotes that it does not need/);
    }
    fc.pre(policy !== undefined);
    const made = await through(policy!.open().protectCsv(), text);
    assert.equal(new TextDecoder().decode(made).split("\n")[1], all.map((_, i) => (i === 1 ? "xy" : "**")).join(";"));
  }), run);
});

test("the page: tables of any text are read, and no name of a column adds to the policy", () => {
  const cells = fc.constantFrom("a", ",", ";", '"', "\n", "\r", "\ufeff");
  fc.assert(fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.array(cells).map((all) => all.join(""))), fc.nat(4), (text, most) => {
    const { names, rows } = page.readTable(text, most);
    assert.ok(rows.length <= most && rows.every((row) => row.length === names.length));
  }), run);
  fc.assert(fc.property(fc.array(fc.tuple(fc.string({ unit: "binary" }), fc.string()), { maxLength: 5 }), (rows) => {
    const quoted = [["a", "b"], ...rows].map((row) => row.map((field) => `"${field.replaceAll('"', '""')}"`).join(","));
    assert.deepEqual(page.readTable(quoted.join("\r\n"), 9).rows, rows);
  }), run);
  fc.assert(fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), fc.boolean(), (column, namespace, isKeyed) => {
    const choice = { column, format: "digits", options: "", namespace, tweak: "" };
    let found: { rules: readonly { namespace: string }[]; keep: readonly string[] } | undefined;
    refused(() => (found = ts.policy(page.policyText(",", [choice, { ...choice, format: "keep" }], () => isKeyed))));
    assert.ok(found === undefined || (found.rules.length === 1 && found.keep.length === 1 && found.rules[0]!.namespace === namespace));
  }), run);
});
