// SPDX-License-Identifier: Apache-2.0
//
// The package as npm packs and installs it: without a network, with strict types, and without side effects.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { buildSync } from "esbuild";

const built = `${process.env.TALLYSTICK_TREE!}/build/js`, npm = `${process.execPath}/../../lib/node_modules/npm/bin/npm-cli.js`;
const CONSUMER = `
import { type FormatDescription, load, type Protector, type Tokenizer } from "tallystick";
import { loadText } from "tallystick/text";

const ts = await load({ native: false });
const format: FormatDescription = { type: "card", keep_last: 4 };
const cards: Tokenizer = ts.tokenizer(format, new Uint8Array(16), { namespace: "card" });
const one: string = cards.protect("4111111111111111"), many: (string | null)[] = cards.reveal([one, null]);
const whole: Int32Array = ts.tokenizer({ type: "integer", min: 0, max: 99_999_999 }, new Uint8Array(16), { namespace: "i" }).protect(Int32Array.of(1));
const protector: Protector = ts.policy('[columns]\\na = { format = "mask" }').open();
const stream: ReadableStream<Uint8Array> = new Blob(["a\\nb\\n"]).stream().pipeThrough(protector.protectCsv());
// @ts-expect-error: there is no such option
ts.format({ type: "card", keep_lost: 4 });
console.log(many[0], whole.length, await new Response(stream).text(), (await loadText()).version === ts.version);
`;

test("npm packs and installs it offline, its types are strict, and an import that is not used leaves nothing", () => {
  const folder = mkdtempSync(`${tmpdir()}/packed-`);
  const run = (...given: string[]): string => execFileSync(process.execPath, given, {
    cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], env: { PATH: process.env.PATH, HOME: folder, npm_config_cache: `${folder}/cache` },
  });
  try {
    const [{ filename, files }] = JSON.parse(run(npm, "pack", built, "--json")) as [{ filename: string; files: { path: string }[] }];
    const folders = new Set(files.map(({ path }) => path.split("/")[0]));
    assert.deepEqual([...folders].sort(), ["LICENSE", "README.md", "dist", "package.json", "prebuilds"]);
    writeFileSync(`${folder}/package.json`, '{ "type": "module", "private": true }');
    run(npm, "install", "--offline", "--no-audit", "--no-fund", `./${filename}`);
    writeFileSync(`${folder}/consumer.ts`, CONSUMER.replace("ts.format({", "() => ts.format({"));
    const compilerOptions = {
      strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false, module: "nodenext",
      target: "es2022", lib: ["es2022", "dom"], types: [],
    };
    writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, files: ["consumer.ts"] }));
    run(`${built}/node_modules/typescript/bin/tsc`, "-p", ".");
    assert.equal(run("consumer.js"), "4111111111111111 1 a\n*\n true\n");
    const contents = 'import { load } from "tallystick";\nimport { loadText } from "tallystick/text";\nexport const own = 1;\n';
    const made = buildSync({ stdin: { contents, resolveDir: folder }, ["bundle"]: true, format: "esm", minify: true, write: false, logLevel: "silent" });
    assert.equal(made.outputFiles[0]!.text, "var o=1;export{o as own};\n");
    assert.deepEqual(Object.keys((JSON.parse(readFileSync(`${folder}/package-lock.json`, "utf8")) as { packages: object }).packages), ["", "node_modules/tallystick"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
