// SPDX-License-Identifier: Apache-2.0
//
// Vectors and streams in another runtime than Node.js: test_runtimes.py runs this file in Deno and in Bun. Values
// of more than 2000 characters take a minute.
import { readFileSync } from "node:fs";
import { argv } from "node:process";
import { load } from "tallystick";
import { loadText } from "tallystick/text";
import { samples } from "./through.js";
import * as vectors from "./vectors.js";

const ts = await load(), read = (name: string): unknown => vectors.parse(readFileSync(`${argv[2]}/${name}.json`, "utf8"));
const counts = await vectors.checkAll(ts, read, vectors.LONG);
console.log(JSON.stringify({ counts, ...(await samples(ts, await loadText())), native: ts.native, simd: ts.simd }));
