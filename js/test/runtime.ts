// SPDX-License-Identifier: Apache-2.0
//
// Vectors, and a stream, in another runtime than Node.js: test_runtimes.py runs this file in Deno and in Bun. Other
// vectors of formats have long values, which take a minute.
import { readFileSync } from "node:fs";
import { argv } from "node:process";
import { load } from "tallystick";
import { loadText } from "tallystick/text";
import * as vectors from "./vectors.js";

const ts = await load(), read = (name: string): unknown => vectors.parse(readFileSync(`${argv[2]}/${name}.json`, "utf8"));
const counts = await vectors.checkAll(ts, read, ["presets", "numbers", "layouts", "one_way"]);
const protector = ts.policy('keep = ["id"]\n[columns]\nname = { format = "mask" }\n').open();
const csv = await new Response(new Blob(["id,name\n1,Ann\n"]).stream().pipeThrough(protector.protectCsv())).text();
const texts = (await loadText()).protector([{ name: "name", key: new Uint8Array(16), namespace: "n" }]);
const text = texts.reveal(`<${texts.token("name", "Zoë")}>`);
console.log(JSON.stringify({ counts, csv, text, native: ts.native, simd: ts.simd }));
