// SPDX-License-Identifier: Apache-2.0
//
// The native addon: when it is taken, that it gives the results of WebAssembly, and that it refuses whatever
// else than this package calls it with. A crash ends the process, and so fails the test.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";
import * as arrow from "apache-arrow";
import { load } from "tallystick";

const root = process.env.TALLYSTICK_TREE!, built = `${root}/build/js`;
const platform = `${process.platform}-${process.arch}`, file = `${built}/prebuilds/${platform}/tallystick.node`;
const key = Uint8Array.from({ length: 32 }, (_, i) => i);

type Call = (...given: unknown[]) => unknown;
type Core = { memory: { buffer: ArrayBuffer } } & Record<string, Call>;

function open(): Core {
  return (createRequire(import.meta.url)(file) as { open(): Core }).open();
}

test("it is taken by default, unless WebAssembly is asked for", async () => {
  assert.deepEqual([(await load()).native, (await load()).simd], [true, undefined]);
  assert.deepEqual([(await load({ native: false })).native, (await load({ native: false })).simd], [false, true]);
  assert.equal((await load({ simd: false })).native, false);
  assert.equal((await load({ module: readFileSync(`${built}/dist/core-simd.wasm`) })).native, false);
});

test("without an addon, or with one of another version, it is WebAssembly", () => {
  const folder = mkdtempSync(`${built}/package-`);
  const run = (code: string): string =>
    execFileSync(process.execPath, ["--input-type=module", "-e", `import { load } from "./dist/index.js"; ${code}`], { cwd: folder, encoding: "utf8" });
  const which = 'const { native } = await load(); const why = await load({ native: true }).catch((error) => `${error.code}: ${error.message}`);' +
    'process.stdout.write(`${native} ${typeof why === "string" ? why : ""}`)';
  try {
    for (const name of ["dist", "package.json", "prebuilds"]) {
      cpSync(`${built}/${name}`, `${folder}/${name}`, { recursive: true });
    }
    assert.equal(run(which), "true ");
    assert.equal(run(`process.getBuiltinModule = undefined; ${which}`), "false native: Node.js 20.16, 22.3 or newer is needed");
    const own = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as { version: string };
    writeFileSync(`${folder}/package.json`, JSON.stringify({ ...own, version: "0.0.1" }));
    assert.match(run(which), new RegExp(`^false native: the addon is of version ${own.version.replaceAll(".", "\\.")}, and the package of 0\\.0\\.1$`));
    writeFileSync(`${folder}/prebuilds/${platform}/tallystick.node`, "no addon");
    assert.match(run(which), new RegExp(`^false native: there is no addon for ${platform} that loads: `));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("it has every function of the core, and no others", () => {
  const source = readFileSync(`${root}/js/src/exports.ts`, "utf8");
  const wanted = [...source.matchAll(/^ {2}(\w+)\??\(/gm)].map((match) => match[1]!).filter((name) => name !== "tally_js_array_buffer");
  assert.deepEqual(Object.keys(open()).sort(), [...wanted, "memory"].sort());
});

test("columns and values are those of WebAssembly", async () => {
  const cores = [await load({ native: true }), await load({ native: false })];
  const formats = [
    "digits", "letters", "unicode", "email", "card", "date", "uuid", "mask", { type: "digits", cipher: "ff1" },
    { type: "alphabet", alphabet: "0123456789abcdef", max_length: 60 },
  ] as const;
  let seed = 1;
  const random = (below: number): number => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) % below;
  const samples = ["4111111111111111", "ann@example.org", "2024-02-29", "überall", "deadbeef00", "", "a".repeat(50)];
  const values = Array.from({ length: 9_000 }, (_, i) =>
    i % 11 === 0 ? null : i % 3 === 0 ? samples[random(samples.length)]! : String(random(2 ** 31)).repeat(1 + random(2)));
  const tweaks = values.map((_, i) => (i % 97 === 0 ? null : `t${i % 5}`));
  const vector = arrow.vectorFromArray(values, new arrow.Utf8()), wide = arrow.vectorFromArray(values, new arrow.LargeUtf8());
  const encoded = arrow.vectorFromArray(values, new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32()));
  for (const format of formats) {
    const [native, wasm] = cores.map((core) => {
      const { isKeyed } = core.format(format);
      const one = core.tokenizer(format, isKeyed ? key : undefined, { namespace: isKeyed ? "n" : "", onInvalid: "null" });
      const tokens = one.protect(values), rows = isKeyed ? one.protect(values, tweaks) : [];
      const vectors = [vector, wide, encoded, vector.slice(1000, 7001)].map((given) => [...one.protect(given)]);
      const alone = values.slice(0, 200).map((value) => one.protect(value));
      return { tokens, rows, vectors, alone, back: format === "mask" ? [] : one.reveal(tokens) };
    });
    assert.deepEqual(native, wasm, JSON.stringify(format));
  }
  const [native, wasm] = cores.map((core) => {
    const one = core.tokenizer({ type: "integer", min: 0, max: 2 ** 31 - 1 }, key, { namespace: "n" });
    const decimals = core.tokenizer({ type: "decimal", min: "0", max: "1000", scale: 2 }, key, { namespace: "n" });
    return [
      one.protect(Int32Array.from(values, (_, i) => i)), one.protect(values.map((_, i) => (i % 7 === 0 ? null : BigInt(i)))),
      decimals.protect("12.34"),
    ];
  });
  assert.deepEqual(native, wasm);
});

test("bytes that were lent, or taken away, are not read", () => {
  const core = open(), small = new Uint8Array(8), out = core.tally_go_alloc!(4096) as number;
  const lent = core.lend!(small) as number;
  assert.throws(() => core.tally_format_new!(0, lent, 9, out, out + 64), RangeError);
  assert.notEqual(core.tally_format_new!(0, lent, 8, out, out + 64), 0);
  assert.throws(() => core.tally_js_policy_text!(0, 0, 0, lent, 8), RangeError);
  structuredClone(small.buffer, { transfer: [small.buffer] });
  assert.throws(() => core.tally_format_new!(0, lent, 8, out, out + 64), RangeError);
  core.unlend!();
  assert.throws(() => core.tally_format_new!(0, lent, 0, out, out + 64), RangeError);
  assert.throws(() => core.lend!(new Uint8Array(new SharedArrayBuffer(8))), RangeError);
  assert.throws(() => core.lend!(1), RangeError);
  structuredClone(core.memory.buffer, { transfer: [core.memory.buffer] });
  assert.throws(() => core.tally_format_new!(0, out, 8, out + 16, out + 64), RangeError);
  assert.equal(typeof core.tally_version!(), "string");
});

/** A core with an object of each kind; what is at `out` is free to write to. */
function filled(): { core: Core; objects: number[]; out: number } {
  const core = open(), out = core.tally_go_alloc!(1 << 16) as number, bytes = new Uint8Array(core.memory.buffer);
  const problem = out + 8192, text = out + 64, view = new DataView(core.memory.buffer);
  const put = (given: string | Uint8Array, at = text): number => {
    const all = typeof given === "string" ? new TextEncoder().encode(given) : given;
    bytes.set(all, at);
    return all.length;
  };
  const made = (status: unknown): number => {
    assert.equal(status, 0);
    return view.getUint32(out, true);
  };
  const format = made(core.tally_format_new!(0, text, put('"digits"'), out, problem));
  put(key, out + 1024);
  const tokenizer = made(core.tally_tokenizer_new!(0, format, out + 1024, 32, text, put("n"), 0, out, problem));
  const worker = made(core.tally_worker_new!(tokenizer, out));
  const policy = made(core.tally_js_policy_new!(text, put('[columns]\na = { format = "mask" }\n'), out, problem));
  core.tally_js_rule!(policy, 0, out);
  const rule = view.getUint32(out, true);
  const ring = made(core.tally_go_ring_read!(out + 16_384, put(readFileSync(`${root}/go/keyring/testdata/people.keys`), out + 16_384), out, problem));
  put("u\0");
  new Int32Array(core.memory.buffer, out + 128, 3).set([0, 8, 16]);
  put("1234567887654321", out + 256);
  core.tally_js_column_init!(out + 320, text, 2, 0, 0, out + 128, out + 256, 0);
  const array = made(core.tally_js_array!(worker, 0, out + 320, 0, out, out + 512, out + 1024, problem));
  return { core, objects: [format, tokenizer, worker, policy, rule, ring, array], out };
}

test("a freed object is refused, and one that another needs lives on", () => {
  const { core, objects: [format, tokenizer, worker, policy, rule, , array], out } = filled();
  core.tally_format_free!(format);
  core.tally_tokenizer_free!(tokenizer);
  for (const call of [() => core.tally_format_name!(format), () => core.tally_worker_new!(tokenizer, out), () => core.tally_format_free!(format)]) {
    assert.throws(call, RangeError);
  }
  new Uint8Array(core.memory.buffer).set(new TextEncoder().encode("7654321"), out + 64);
  assert.equal(core.tally_go_value!(worker, 0, out + 64, 7, out + 64, 0, 0, out + 128, 32, out, out + 8), 0);
  core.tally_policy_free!(policy);
  assert.throws(() => core.tally_format_name!(rule), RangeError);
  const view = core.view!(array, 2) as ArrayBuffer, taken = core.take!(array, 1) as ArrayBuffer;
  assert.equal(view.byteLength, 16);
  core.tally_js_array_free!(array);
  assert.equal(view.byteLength, 0);
  assert.deepEqual([...new Int32Array(taken)], [0, 8, 16]);
  assert.throws(() => core.take!(array, 1), RangeError);
});

test("no arguments make it crash", () => {
  let seed = 7;
  const random = (below: number): number => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) % below;
  let refused = 0, taken = 0;
  for (let round = 0; round < 60; round++) {
    const { core, objects, out } = filled(), names = Object.keys(core).filter((name) => name !== "memory");
    const odd = [0, 1, 2, 3, 8, 16, 24, 32, 255, 4096, 65_535, 2 ** 20, 2 ** 31 - 1, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 8, 2 ** 53, -1, 0.5, NaN, 1n, 2n ** 64n - 1n, -1n, null, undefined, "", {}, new Uint8Array(16)];
    const argument = (): unknown =>
      [() => objects[random(objects.length)], () => out + 8 * random(8192), () => out + 64, () => out + 320, () => odd[random(odd.length)], () => random(64)][random(6)]!();
    for (let i = 0; i < 700; i++) {
      const name = names[random(names.length)]!, call = core[name]!;
      if (/_free$/.test(name) && random(40) !== 0) {
        continue;
      }
      if (random(8) === 0) { /* bytes at random, where structs may be read */
        const at = out + 8 * random(8192 - 8);
        new Uint8Array(core.memory.buffer).fill(random(256), at, at + random(64));
      }
      const sizes: Record<string, number> = { tally_format_new: 5, tally_tokenizer_new: 9, tally_go_value: 11, tally_js_column_init: 8, tally_js_array: 8, tally_csv_scan_records: 10, tally_csv_gather: 13, tally_csv_splice: 10, tally_go_shares_recover: 9 };
      const given = Array.from({ length: sizes[name] ?? 0 }, argument);
      for (let tries = 0; tries < 14; tries++) {
        try {
          call.call(core, ...given);
          taken++;
          break;
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error));
          refused++;
          if (!error.message.includes("number of arguments")) {
            break;
          }
          given.push(argument());
        }
      }
    }
  }
  assert.ok(taken > 2000 && refused > 2000, `${taken} taken, ${refused} refused`);
});

test("cores end with their objects, and with their thread", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let i = 0; i < 20; i++) {
    const ts = await load({ native: true });
    ts.tokenizer("digits", key, { namespace: "n" }).protect(["1234567"]);
    filled();
    collect();
  }
  await new Promise((done) => setTimeout(done, 10));
  const code = `import(${JSON.stringify(`file://${built}/dist/index.js`)}).then(({ load }) => load({ native: true })).then((ts) =>
    require("node:worker_threads").parentPort.postMessage(ts.tokenizer("digits", new Uint8Array(16), { namespace: "n" }).protect("1234567")))`;
  const tokens = await Promise.all([1, 2].map(() => new Promise((done, fail) => {
    const worker = new Worker(code, { eval: true });
    let token: unknown;
    worker.on("message", (given) => (token = given)).on("error", fail).on("exit", () => done(token));
  })));
  const own = (await load()).tokenizer("digits", new Uint8Array(16), { namespace: "n" }).protect("1234567");
  assert.deepEqual(tokens, [own, own]);
});
