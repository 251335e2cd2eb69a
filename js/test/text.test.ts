// SPDX-License-Identifier: Apache-2.0
//
// Tokens in text: the vectors, chunks that are cut anywhere, and a server that streams as language models do.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { loadText, type TextProtector } from "tallystick/text";
import { bytes } from "./vectors.js";

const root = process.env.TALLYSTICK_TREE!, dist = `${root}/build/js/dist`;
const core = await loadText(), key = Uint8Array.from({ length: 32 }, (_, i) => i);
const EMAIL = { name: "email", key, namespace: "e-mail", patterns: [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/] };
const NAME = { name: "name", key, namespace: "name", patterns: [/Dear (?<value>\p{Lu}\p{L}+)/u] };
const protector = core.protector([EMAIL, NAME]);
const MAIL = "jane.doe@example.org", TOKEN = protector.token("email", MAIL);

interface Vector {
  frame: "unicode" | "ascii" | "email"; kind: string; namespace: string; scope: string; check_bits: number; key: string;
  value: string; token: string;
}

test("the vectors, of values that are text", () => {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const vectors = JSON.parse(readFileSync(`${root}/vectors/text_tokens.json`, "utf8")) as Vector[];
  let seen = 0;
  for (const one of vectors) {
    let value: string;
    try {
      value = decoder.decode(bytes(one.value));
    } catch {
      continue;
    }
    const made = core.protector(
      [{ name: one.kind, key: bytes(one.key), namespace: one.namespace }],
      { frame: one.frame, checkBits: one.check_bits, scope: one.scope },
    );
    const token = decoder.decode(bytes(one.token));
    assert.equal(made.token(one.kind, value), token);
    assert.equal(made.reveal(`<${token}>`), `<${value}>`);
    made.close();
    seen++;
  }
  assert.ok(seen >= 5, `${seen} of ${vectors.length} vectors`);
});

test("what a program loads for text has at most 60 kB of gzip", () => {
  const names = ["text", "restorer", "spans", "errors", "format", "keyring", "load", "machine", "shares", "core-text"];
  const size = gzipSync(Buffer.concat(names.map((name) => readFileSync(`${dist}/${name}.js`))), { level: 9 }).length;
  assert.ok(size <= 60_000 && size > 10_000, `${size} bytes`);
});

test("patterns and spans are protected, and a protected text stays", () => {
  const text = `Dear Zoe, write to ${MAIL}, or to ${MAIL} \u{1f680}.`, made = protector.protect(text);
  assert.equal(made, `Dear ${protector.token("name", "Zoe")}, write to ${TOKEN}, or to ${TOKEN} \u{1f680}.`);
  assert.equal(protector.reveal(made), text);
  assert.equal(protector.protect(made), made);
  const whole = { start: 0, end: made.length, kind: "name" };
  assert.equal(protector.reveal(protector.protectSpans(made, [whole])), text);
  assert.ok(protector.protectSpans(made, [whole]).includes(TOKEN), "a token of the own keys stays as it is");
  const over = protector.protectSpans("abcdef", [{ start: 1, end: 3, kind: "email" }, { start: 2, end: 5, kind: "name" }]);
  assert.equal(over, `a${protector.token("name", "bcde")}f`);
  const id = core.protector([{ ...NAME, name: "id", patterns: [/id=(?<value>[0-9]*)|ID[0-9]+/] }]);
  assert.equal(id.protect("id=123 ID456 id="), `id=${id.token("id", "123")} ${id.token("id", "ID456")} id=`);
  assert.throws(() => protector.protectSpans("abc", [{ start: 2, end: 4, kind: "name" }]), RangeError);
  assert.throws(() => core.protector([{ ...EMAIL, patterns: [] }]).protect("a"), { code: "argument", message: /nothing finds/ });
  assert.throws(() => protector.token("email", ""), { code: "invalid" });
  assert.throws(() => protector.token("email", "\ud800"), { code: "invalid" });
  assert.throws(() => protector.token("mail", "a"), { code: "argument" });
  const long = "ü".repeat(5000);
  assert.equal(protector.reveal(protector.token("name", long)), long);
});

test("addresses have tokens that are addresses, and those of the own keys stay", () => {
  const own = core.protector([EMAIL, NAME], { frame: "email" }), other = core.protector([{ ...EMAIL, namespace: "other" }], { frame: "email" });
  const token = own.token("email", MAIL), foreign = other.token("email", MAIL);
  assert.match(token, /^tly-email\.[0-9a-z]+@tly\.example$/);
  assert.match(own.token("name", "Zoe"), /^tly-name-/);
  const text = `From ${MAIL} and ${foreign}`, made = own.protect(text);
  assert.equal(made, `From ${token} and ${own.token("email", foreign)}`);
  assert.equal(own.protect(made), made);
  assert.equal(protector.reveal(made), text);
});

test("what a span covers behind a token, or between tokens, is protected too", () => {
  const own = core.protector([EMAIL, NAME], { frame: "ascii" }), token = own.token("name", "Zoe");
  for (const text of [`${token}0`, `${token}abc`, `${token}${token}`, `${token}t${token}`, `${own.token("name", "v".repeat(5000))}x`]) {
    const made = own.protectSpans(text, [{ start: 0, end: text.length, kind: "name" }]);
    assert.equal(own.reveal(made), own.reveal(text));
    assert.equal(made.replaceAll(/tly-name-[0-9a-z]+?(?=tly-|$)/g, ""), "", text);
    assert.ok(text.startsWith(token.slice(0, 9)) && (text === token + token) === (made === text), text);
  }
});

test("what stands before the end of a frame is protected", () => {
  const number = "4111111111111111";
  for (const frame of ["unicode", "ascii", "email"] as const) {
    const own = core.protector([EMAIL, NAME], { frame }), token = own.token("email", MAIL);
    const domain = frame === "email" ? "@tly.example" : "", body = token.replace("\u27e7", "").replace(domain, "");
    const split = `${body.slice(0, -9)}@${body.slice(-9)}.${number}.tly.example`;
    for (const text of [`${body}${number}\u27e7`, `${body}@${number}.tly.example`, `${body}${number}${domain}`, split]) {
      const start = text.indexOf(number), made = own.protectSpans(text, [{ start, end: start + number.length, kind: "name" }]);
      assert.equal(made, text.replace(number, own.token("name", number)));
    }
    assert.equal(own.protectSpans(token, [{ start: 0, end: token.length, kind: "name" }]), token);
  }
});

test("a scope, a namespace and a name are text, and no message has a key that was given as text", () => {
  for (const [kind, options] of [[{}, { scope: 5 }], [{ namespace: 5 }, {}], [{ name: undefined }, {}], [{ patterns: ["x+"] }, {}]]) {
    assert.throws(() => core.protector([{ ...EMAIL, ...(kind as object) }], options as object), TypeError);
  }
  const hex = "00112233445566778899aabbccddeeff";
  assert.throws(() => core.protector([{ ...EMAIL, key: hex }]), (error: Error) => !error.message.includes(hex));
  for (const checkBits of [64.9, 2 ** 32 + 64, -8]) {
    assert.throws(() => core.protector([EMAIL], { checkBits }), { code: "text_check_bits" });
  }
  const letters = [..."abcdefghijklmnopq"].map((name) => ({ name, key, namespace: "same" }));
  assert.equal(core.protector(letters).token("q", "x").replace("q", "a"), core.protector(letters).token("a", "x"));
});

test("a value that is no text is an error for strings, and its bytes for bytes", () => {
  const binary = (JSON.parse(readFileSync(`${root}/vectors/text_tokens.json`, "utf8")) as Vector[]).find((one) => one.kind === "api_key2")!;
  const made = core.protector([{ name: "k", key: bytes(binary.key), namespace: binary.namespace }], { checkBits: binary.check_bits, scope: binary.scope });
  const token = Buffer.from(bytes(binary.token));
  assert.throws(() => made.reveal(token.toString()), { code: "invalid" });
  const restorer = made.restorer<Uint8Array>();
  assert.equal(Buffer.concat([restorer.feed(token), restorer.finish()]).toString("hex"), binary.value);
});

test("values that are revealed stay data in JSON and HTML", () => {
  const value = '"a" <b> & \\', token = protector.token("name", value);
  assert.deepEqual(JSON.parse(protector.reveal(JSON.stringify({ a: token }), { context: "json" })), { a: value });
  assert.equal(protector.reveal(token, { context: "html" }), "&quot;a&quot; &lt;b&gt; &amp; \\");
  assert.throws(() => protector.reveal(token, { context: "xml" as "html" }), { code: "argument" });
});

/** Cuts a text, or bytes, at some places. */
function cut<Chunk extends string | Uint8Array>(whole: Chunk, places: readonly number[]): Chunk[] {
  const at = [0, ...places.map((one) => one % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return at.slice(1).map((end, i) => whole.slice(at[i], end) as Chunk);
}

test("chunks may be cut anywhere, also within a character; everything else stays, lone surrogates too", () => {
  const pieces = fc.constantFrom(TOKEN, TOKEN.toUpperCase(), TOKEN.slice(0, -3), "\ud83d", "\u{1f680}", "\u27e6", "é", "tly-", "\udc00", "\n", "\ufeff", "\u0080\u07ff\ud7ff");
  const restorer = protector.restorer(), binary = protector.restorer<Uint8Array>();
  fc.assert(fc.property(fc.array(fc.oneof(pieces, fc.string({ unit: "binary" })), { maxLength: 12 }), fc.array(fc.nat(), { maxLength: 12 }), (parts, places) => {
    const text = parts.join(""), wanted = protector.reveal(text);
    assert.equal(cut(text, places).map((chunk) => restorer.feed(chunk)).join("") + restorer.finish(), wanted);
    if (!text.includes(TOKEN) && !text.includes(TOKEN.toUpperCase()) && !text.includes(TOKEN.slice(0, -3))) {
      assert.equal(wanted, text);
    }
    const raw = Buffer.from(text), made = cut<Uint8Array>(raw, places).map((chunk) => binary.feed(chunk));
    assert.equal(Buffer.concat([...made, binary.finish()]).toString(), protector.reveal(raw.toString()));
  }), { numRuns: 500, seed: 1 });
  const before = restorer.refused, foreign = core.protector([{ ...EMAIL, key: key.slice(16) }]).token("email", MAIL);
  assert.equal(restorer.feed(foreign) + restorer.finish(), foreign);
  assert.equal(restorer.refused, before + 1);
  assert.throws(() => (restorer.feed("a"), restorer.feed(Buffer.from("a") as never)), TypeError);
});

test("a restorer holds back what may be a token, and nothing else", () => {
  const restorer = protector.restorer();
  assert.equal(restorer.feed(`Write to ${TOKEN.slice(0, 9)}`), "Write to ");
  assert.equal(restorer.feed(TOKEN.slice(9)), MAIL);
  assert.equal(restorer.feed(" soon. \u27e6"), " soon. ");
  assert.equal(restorer.feed("1\u27e7"), "\u27e61\u27e7");
  assert.equal(restorer.finish(), "");
});

/** The text of an answer of a language model that a server sends in events of a few characters, cut as sockets please. */
async function answer(made: TextProtector, text: string): Promise<string> {
  const events = Array.from({ length: Math.ceil(text.length / 3) }, (_, i) => text.slice(3 * i, 3 * i + 3))
    .map((delta) => `data: ${JSON.stringify({ delta })}\n\n`).join("");
  const raw = Buffer.from(events);
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    let at = 0;
    const send = (): void => {
      if (at >= raw.length) {
        response.end();
      } else {
        response.write(raw.subarray(at, at += 1 + (at * 7) % 50), () => setImmediate(send));
      }
    };
    send();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { body } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    let rest = "";
    const deltas = new TransformStream<string, string>({
      transform(chunk, controller) {
        const lines = (rest + chunk).split("\n\n");
        rest = lines.pop()!;
        lines.forEach((line) => controller.enqueue((JSON.parse(line.slice(6)) as { delta: string }).delta));
      },
    });
    const stream = body!.pipeThrough(new TextDecoderStream()).pipeThrough(deltas).pipeThrough(made.revealStream());
    let whole = "";
    for await (const chunk of stream as unknown as AsyncIterable<string>) {
      whole += chunk;
    }
    return whole;
  } finally {
    server.close();
  }
}

test("an answer that a server streams in events is revealed as it arrives", async () => {
  const text = "I wrote to **⟦⟧**: \u{1f680} and again, ⟦⟧!";
  assert.equal(await answer(protector, text.replaceAll("⟦⟧", TOKEN)), text.replaceAll("⟦⟧", MAIL));
});

test("a stream of bytes, and one that fails: nothing more comes out", async () => {
  const source = new Blob([`<p>${TOKEN}</p>`]).stream();
  assert.equal(await new Response(source.pipeThrough(protector.revealStream<Uint8Array>({ context: "html" }))).text(), `<p>${MAIL}</p>`);
  const own = core.protector([EMAIL]), stream = own.revealStream(), writer = stream.writable.getWriter(), reader = stream.readable.getReader();
  void writer.write("a").catch(() => undefined);
  assert.deepEqual(await reader.read(), { done: false, value: "a" });
  own.close();
  await assert.rejects(Promise.all([writer.write(TOKEN), reader.read()]), { code: "closed" });
});

test("keys of a ring and their rights; a protector that only protects", () => {
  const ROOT = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
  const ring = core.keyring(readFileSync(`${root}/go/keyring/testdata/people.keys`, "utf8")).unlockSync(bytes(ROOT));
  const plain = core.protector([{ ...EMAIL, key: ring.key("people:1") }]);
  const named = core.protector([{ ...EMAIL, key: "people:1" }], { keyring: ring });
  assert.equal(named.token("email", MAIL), plain.token("email", MAIL));
  assert.throws(() => core.protector([{ ...EMAIL, key: "people:1" }]), { code: "keyring" });
  assert.throws(() => core.protector([{ ...EMAIL, key: "people:99" }], { keyring: ring }), { code: "no_key" });
  ring.close();
  assert.equal(named.reveal(TOKEN), TOKEN);
  assert.throws(() => core.protector([EMAIL], { reveal: false }).reveal(TOKEN), { code: "rights" });
  interface Ring { text: string; root_key: string; result: string; rights?: string[]; held: string[] }
  const all = JSON.parse(readFileSync(`${root}/vectors/keyrings.json`, "utf8")) as Ring[];
  const limited = all.find((one) => one.result === "opens" && one.rights?.includes("protect") === true && one.rights.includes("reveal"))!;
  const keys = core.keyring(limited.text).unlockSync(bytes(limited.root_key));
  limited.rights!.forEach((may, i) => {
    const made = core.protector([{ ...EMAIL, key: limited.held[i]! }], { keyring: keys });
    assert.throws(() => (may === "protect" ? made.reveal("a") : made.token("email", "a")), { code: "rights" });
    assert.ok(may === "protect" ? made.token("email", "a") !== "" : made.reveal("a") === "a");
  });
});

test("wrong kinds, keys and options are refused", () => {
  const wrong: [object, object, string][] = [
    [{ name: "E-mail" }, {}, "text_kind"], [{ name: "mytly" }, {}, "text_kind"], [{ key: key.slice(1) }, {}, "key_size"],
    [{ namespace: "" }, {}, "namespace"], [{ namespace: "\ud800" }, {}, "namespace"], [{}, { checkBits: 41 }, "text_check_bits"],
    [{}, { frame: "xml" }, "argument"], [{}, { scope: "x".repeat(257) }, "namespace"],
  ];
  for (const [kind, options, code] of wrong) {
    assert.throws(() => core.protector([{ ...EMAIL, ...kind }], options), { code });
  }
  assert.throws(() => core.protector([]), { code: "argument" });
  assert.throws(() => core.protector([EMAIL, EMAIL]), { code: "argument" });
  const many = Array.from({ length: 17 }, (_, i) => ({ name: `a${i}`, key, namespace: `${i}` }));
  assert.throws(() => core.protector(many), { code: "argument" });
  assert.equal(core.protector(many.map((one) => ({ ...one, namespace: "same" }))).token("a16", "x").length > 0, true);
});

test("keys and values are wiped from the memory of WebAssembly", async () => {
  let memory: WebAssembly.Memory | undefined;
  const { instantiate } = WebAssembly;
  (WebAssembly as { instantiate: unknown }).instantiate = async (...given: [WebAssembly.Module, WebAssembly.Imports]) => {
    const instance = await instantiate(...given);
    memory = instance.exports.memory as WebAssembly.Memory;
    return instance;
  };
  const own = await loadText({ module: readFileSync(`${dist}/core-text.wasm`) });
  (WebAssembly as { instantiate: unknown }).instantiate = instantiate;
  const held = (given: string): boolean => Buffer.from(memory!.buffer).includes(given);
  const value = "a value that is nowhere else", made = own.protector([EMAIL]), restorer = made.restorer();
  const token = made.token("email", value);
  assert.ok(!held(value), "after protection");
  restorer.feed(token.slice(0, 20));
  assert.ok(held(token.slice(10, 20)), "the test finds what is held back");
  restorer.feed(token.slice(20));
  restorer.close();
  made.close();
  assert.ok(!held(value), "after restoring");
  assert.throws(() => restorer.feed("a"), { code: "closed" });
  assert.throws(() => made.token("email", "a"), { code: "closed" });
  assert.throws(() => made.protectSpans("a", []), { code: "closed" });
});
