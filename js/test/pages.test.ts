// SPDX-License-Identifier: Apache-2.0
//
// The programs of docs/tutorials/javascript.md, docs/reference/javascript.md and README.md print what the
// pages say.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";

const root = process.env.TALLYSTICK_TREE!;

function blocks(page: string, language: string): string {
  return [...page.matchAll(new RegExp("^```" + language + "\\n([^]*?)^```$", "gm"))].map((match) => match[1]).join("");
}

for (const name of ["docs/tutorials/javascript.md", "docs/reference/javascript.md", "js/README.md"]) {
  test(name, () => {
    const page = readFileSync(`${root}/${name}`, "utf8"), folder = mkdtempSync(`${root}/build/js/page-`);
    try {
      writeFileSync(`${folder}/page.mjs`, blocks(page, "js"));
      const printed = execFileSync(process.execPath, [`${folder}/page.mjs`], {
        encoding: "utf8", env: { ...process.env, CHECKOUT: root },
      });
      assert.equal(printed, blocks(page, "text") || "2922 6108 0300 1111 4111 1111 1111 1111\n");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
