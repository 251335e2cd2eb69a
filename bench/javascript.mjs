// SPDX-License-Identifier: Apache-2.0
//
// Columns and values in Node.js, beside the packages ff3 and @noble/ciphers of npm. Prints JSON: of each group the cases in turn,
// with processor time in seconds for one value, a number for each repetition.
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";

const [package_, repetitions] = [process.argv[2], Number(process.argv[3])];
const require = createRequire(`${package_}/package.json`);
const { load } = await import(`${package_}/dist/index.js`);
const arrow = require("apache-arrow"), FF3Cipher = require("ff3/lib/FF3Cipher"), { FF1 } = require("@noble/ciphers/ff1.js");

const ROWS = 1 << 18, FEW = 2000;
const key = new Uint8Array(16).fill(7);
const values = Array.from({ length: ROWS }, (_, i) => String(4_000_000_000_000_000 + i * 7919));
const vector = arrow.vectorFromArray(values, new arrow.Utf8());
const numbers = BigInt64Array.from(values, BigInt);
const peer = new FF3Cipher("2DE79D232DF5585D68CE47882AE256D6", "CBD09280979564");
const other = FF1(10, key), digitsOf = (value) => Array.from(value, Number);

function tokenizer(ts, format) {
  return ts.tokenizer(format, key, { namespace: "bench" });
}

function one(protect) {
  return () => {
    for (let i = 0; i < FEW; i++) {
      protect(values[i]);
    }
  };
}

const simd = await load({ simd: true }), plain = await load({ simd: false });
const native = await load({ native: true }).catch(() => undefined); // js/build.py says why there is none
const integer = { type: "integer", min: 0, max: 9_999_999_999_999_999n };
const groups = {
  "columns of 16 digits": {
    "Tallystick, an Arrow vector": [() => fast.protect(vector), ROWS],
    "an array of strings": [() => fast.protect(values), ROWS],
    "a BigInt64Array": [() => integers.protect(numbers), ROWS],
    "FF1, an Arrow vector": [() => ff1.protect(vector), ROWS],
    "without SIMD128, an Arrow vector": [() => slow.protect(vector), ROWS],
    ...(native && {
      "native, an Arrow vector": [() => own.protect(vector), ROWS],
      "native, an array of strings": [() => own.protect(values), ROWS],
      "native, a BigInt64Array": [() => ownIntegers.protect(numbers), ROWS],
      "native, FF1, an Arrow vector": [() => ownFf1.protect(vector), ROWS],
    }),
    "@noble/ciphers of npm (FF1)": [one((value) => other.encrypt(digitsOf(value)).join("")), FEW],
    "ff3 of npm (FF3-1)": [one((value) => peer.encrypt(value)), FEW],
  },
  "one value of 16 digits": {
    Tallystick: [one((value) => fast.protect(value)), FEW],
    "Tallystick, FF1": [one((value) => ff1.protect(value)), FEW],
    ...(native && { "Tallystick, native": [one((value) => own.protect(value)), FEW] }),
    "@noble/ciphers of npm (FF1)": [one((value) => other.encrypt(digitsOf(value)).join("")), FEW],
    "ff3 of npm (FF3-1)": [one((value) => peer.encrypt(value)), FEW],
  },
};
const fast = tokenizer(simd, "digits"), slow = tokenizer(plain, "digits"), integers = tokenizer(simd, integer);
const ff1 = tokenizer(simd, { type: "digits", cipher: "ff1" });
const [own, ownIntegers, ownFf1] = native === undefined ? []
  : ["digits", integer, { type: "digits", cipher: "ff1" }].map((format) => tokenizer(native, format));

const same = tokenizer(simd, { type: "digits", cipher: "ff1", tweak_hex: "" });
for (const value of values.slice(0, 100)) {
  if (same.protect(value) !== other.encrypt(digitsOf(value)).join("")) {
    throw new Error("@noble/ciphers and Tallystick have different FF1");
  }
}

const found = {};
for (const [title, cases] of Object.entries(groups)) {
  found[title] = Object.fromEntries(Object.keys(cases).map((label) => [label, []]));
  for (let turn = -2; turn < repetitions; turn++) { // the first two are for the compiler
    for (const [label, [run, amount]] of Object.entries(cases)) {
      globalThis.gc?.();
      const before = performance.now(), used = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(used), wall = (performance.now() - before) / 1e3;
      if (turn >= 0) {
        found[title][label].push(Math.min((user + system) / 1e6, wall) / amount);
      }
    }
  }
}
console.log(JSON.stringify(found));
