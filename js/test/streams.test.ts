// SPDX-License-Identifier: Apache-2.0
//
// Files as streams: the tokens are those of records, and every other byte stays, wherever chunks end.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { type ByteStream, InvalidValueError, type Protector, TallystickError } from "tallystick";
import { load } from "./core.js";
import { through } from "./through.js";
import { bytes } from "./vectors.js";

const root = process.env.TALLYSTICK_TREE!;
const ts = await load();
const keys = ts.keyring(readFileSync(`${root}/go/keyring/testdata/people.keys`, "utf8"))
  .unlockSync(bytes("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"));
const RULES = `
[columns]
phone = { format = "phone", key = "people:1", namespace = "phone" }
name = { format = { type = "ascii" }, key = "people:1", namespace = "name" }
id = { format = { type = "integer", min = 0, max = 999_999_999 }, key = "people:1", namespace = "id", tweak = "plan" }
note = { format = "mask" }
`;
const HEAD = 'unlisted = "error"\nkeep = ["plan", "x"]\n';
const protector = open(HEAD + RULES);

function open(toml: string): Protector {
  return ts.policy(toml).open(keys);
}

const text = async (stream: ByteStream, given: Uint8Array | string, sizes?: readonly number[]): Promise<string> =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(await through(stream, given, sizes));

const CSV = '\ufeffid,"phone",x,plan,note,name\r\n17,+43 660 1234567,"a ""q"", b",gold,Anna,"O\'Neill, Tip"\r\n\n18,,é,"a,b",,Zoe Hall\n19,+43 660 1234567,3,,y,Anna Wu';
const RECORDS = [
  { id: "17", phone: "+43 660 1234567", plan: "gold", note: "Anna", name: "O'Neill, Tip" },
  { id: "18", phone: null, plan: "a,b", note: null, name: "Zoe Hall" },
  { id: "19", phone: "+43 660 1234567", plan: null, note: "y", name: "Anna Wu" },
];

test("CSV: fields become the tokens of records, and every other byte stays, wherever chunks end", async () => {
  const records = RECORDS.slice(0, 2), tokens = protector.protectRecords(records), field = (value: string | null): string =>
    value === null ? "" : /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  const [one, two] = tokens as typeof RECORDS;
  const whole = CSV.slice(0, CSV.indexOf("\n19")); /* the third row has no tweak */
  const wanted = `\ufeffid,"phone",x,plan,note,name\r\n${one!.id},${one!.phone},"a ""q"", b",gold,****,` +
    `"${one!.name!.replaceAll('"', '""')}"\r\n\n${two!.id},,é,"a,b",,${field(two!.name)}`;
  const made = await text(protector.protectCsv(), whole);
  assert.equal(made, wanted);
  await fc.assert(fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), async (sizes) => {
    assert.equal(await text(protector.protectCsv(), whole, sizes), wanted);
  }), { seed: 1, numRuns: 50 });
  const back = await text(protector.revealCsv(), made, [7]);
  assert.equal(back.replaceAll('"', ""), whole.replace("Anna,", "****,").replaceAll('"', ""));
  await assert.rejects(text(protector.protectCsv(), CSV), InvalidValueError);
});

test("CSV: the memory of a chunk is free for the next one as soon as it is written", async () => {
  const given = new TextEncoder().encode("note\nAnna\nZoe Hall\nO'Neill\n"), wanted = "note\n****\n*** ****\n*******\n";
  for (const chunk of [new Uint8Array(5), Buffer.alloc(5)]) {
    const { readable, writable } = ts.policy('[columns]\nnote = { format = "mask" }\n').open().protectCsv();
    const made = new Response(readable).text(), writer = writable.getWriter();
    for (let at = 0; at < given.length; at += chunk.length) {
      const part = given.subarray(at, at + chunk.length);
      chunk.set(part);
      await writer.write(chunk.subarray(0, part.length));
    }
    await writer.close();
    assert.equal(await made, wanted);
  }
});

test("CSV: many blocks, large records, no header, other dialects", async () => {
  const plain = open(HEAD + '[columns]\nphone = { format = "phone", key = "people:1", namespace = "phone" }\n');
  const rows = Array.from({ length: 30_000 }, (_, i) => `+43 660 ${1_000_000 + i}`);
  const padded = (values: readonly (string | null)[]): string =>
    `x,phone\n${values.map((value, i) => `${i === 20_000 ? "x".repeat(900_000) : i},${value}`).join("\n")}\n`;
  const tokens = plain.protect("phone", rows);
  assert.equal(await text(plain.protectCsv(), padded(rows), [100_000]), padded(tokens));
  assert.equal(await text(plain.protectCsv(), padded(rows), [10_000_000]), padded(tokens));
  assert.equal(await text(plain.revealCsv(), padded(tokens)), padded(rows));
  const headless = open(
    'unlisted = "keep"\n[csv]\nheader = false\ndelimiter = ";"\n[columns]\nf1 = { format = "digits", key = "people:1", namespace = "d" }\n',
  );
  const token = headless.protect("f1", ["5304218"])[0];
  assert.equal(await text(headless.protectCsv(), "a;5304218\nb;\n"), `a;${token}\nb;\n`);
  assert.equal(await text(headless.protectCsv(), ""), "");
});

test("CSV: what is wrong is an error that names row and column, and shows no value", async () => {
  const fails = async (given: string | Uint8Array, words: RegExp, by = protector): Promise<void> => {
    await assert.rejects(text(by.protectCsv(), given, [9]), (error: Error) => {
      assert.ok(error instanceof TallystickError);
      assert.match(error.message, words);
      assert.ok(!error.message.includes("secret"));
      return true;
    });
  };
  const head = "id,phone,plan,note,name\n";
  await fails("", /no header/);
  await fails("id,phone,plan,note\n", /column "name": there is no such column; .*; 4 columns were found$/);
  await fails(head.replace("name", "Name"), /column "name": one column differs only in case or spaces/);
  await fails("jane@secret.example,+43 660 1234567\n", /^column "phone": there is no such column; .*; 2 columns were found$/);
  await fails(head.replace("phone", "phone,phone"), /2 columns have this name/);
  await fails(head.replace("id", "id,surplus"), /field "surplus": the policy does not name it/);
  await fails(`${head}1,,gold,,\n2,secret,gold,,\n`, /column "phone", row 1: /);
  await fails(`${head}1,,gold,,\n2,secret\n`, /row 1: 2 fields, not 5/);
  await fails(`${head}1,"secret,gold,,\n`, /row 0: a quote is never closed/);
  await fails(`${head}1,"+43"secret,gold,,\n`, /row 0: text between a closing quote/);
  const masks = open('[columns]\nnote = { format = "mask" }\n'); // nothing is revealed, so no column has to be there
  await assert.rejects(text(masks.revealCsv(), "secret,x\n"), { message: /^the header, a field: the policy does not name it/ });
  await assert.rejects(text(masks.revealCsv(), "note,x\n"), { message: /^the header, field "x": the policy does not name it/ });
  await fails(new Uint8Array([0xff, 0xfe, 0x61, 0]), /UTF-16/);
  await fails(new Uint8Array([...new TextEncoder().encode(`${head}1,,gold,,`), 0xff, 0x0a]), /column "name", row 0: /);
  const bare = open('unlisted = "keep"\n[csv]\nquote = ""\n[columns]\nname = { format = "ascii", key = "people:1", namespace = "n" }\n');
  await fails(`name,x\n${Array.from({ length: 400 }, (_, i) => `secret${i},\n`).join("")}`, /a new value needs quotes, and the file has none/, bare);
  assert.throws(() => open('[csv]\nencoding = "utf-16"\n' + RULES).protectCsv(), /csv.encoding/);
  const only = ts.policy(HEAD + RULES).open(keys, { reveal: false });
  assert.throws(() => only.revealCsv(), { code: "argument" });
  assert.throws(() => only.revealNdjson(), { code: "argument" });
});

const LINES = [
  '{"id": 17, "phone": "+43 660 1234567", "plan":"gold", "x": 12345678901234567890.10, "note":"Anna"}',
  " ",
  '{"x":{"phone":["}",{"a":"\\""}]},"phone":null}\r',
  '{ "ph\\u006fne" : "+43 660 1234567" , "x" : "\\u00e9" }',
];

test("NDJSON: values become the tokens of records, and every other byte stays, wherever chunks end", async () => {
  const given = `\ufeff${LINES.join("\n")}`;
  const [one] = protector.protectRecords([{ id: "17", phone: "+43 660 1234567", plan: "gold" }]);
  const wanted = given.replaceAll("+43 660 1234567", one!.phone).replace("17,", `${one!.id},`).replace("Anna", "****");
  assert.equal(await text(protector.protectNdjson(), given), wanted);
  await fc.assert(fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), async (sizes) => {
    assert.equal(await text(protector.protectNdjson(), given, sizes), wanted);
  }), { seed: 1, numRuns: 50 });
  assert.equal(await text(protector.revealNdjson(), wanted, [5]), given.replace("Anna", "****"));
  const many = Array.from({ length: 9_000 }, (_, i) => `{"phone":"+43 660 ${1_000_000 + i}"}`);
  const tokens = protector.protect("phone", many.map((line) => (JSON.parse(line) as { phone: string }).phone));
  assert.equal(
    await text(protector.protectNdjson(), `${many.join("\n")}\n`), `${tokens.map((phone) => `{"phone":"${phone}"}`).join("\n")}\n`,
  );
  assert.equal(await text(protector.protectNdjson(), ""), "");
});

test("NDJSON: random objects come back byte for byte", async () => {
  const record = fc.record(
    { phone: fc.constantFrom("+43 660 1234567", null), x: fc.jsonValue(), plan: fc.string() }, { requiredKeys: ["phone"] },
  );
  await fc.assert(fc.asyncProperty(fc.array(record, { minLength: 1 }), async (records) => {
    const given = records.map((one, i) => JSON.stringify(one, undefined, i % 2 === 0 ? undefined : "\t").replaceAll("\n", "\r")).join("\n");
    const made = await text(protector.protectNdjson(), given);
    assert.deepEqual(made.split("\n").map((line) => JSON.parse(line) as unknown), protector.protectRecords(JSON.parse(JSON.stringify(records)) as typeof records));
    assert.equal(await text(protector.revealNdjson(), made), given);
  }), { seed: 1, numRuns: 100 });
});

test("NDJSON: what is wrong is an error that names record and field, and shows no value", async () => {
  const fails = async (given: string | Uint8Array, words: RegExp, by = protector): Promise<void> => {
    await assert.rejects(text(by.protectNdjson(), given), (error: Error) => {
      assert.ok(error instanceof TallystickError);
      assert.match(error.message, words);
      assert.ok(!error.message.includes("secret"));
      return true;
    });
  };
  const good = '{"phone":"+43 660 1234567"}\n';
  await fails(`${good}{"phone":"+43}secret`, /record 1: the line is not JSON/);
  await fails('["secret"]', /record 0: the line is not an object/);
  await fails(`${good}{"surplus":1}`, /record 1, field "surplus": the policy does not name it/);
  await fails('{"phone":true}', /field "phone": is neither text, nor a number, nor null/);
  await fails('{"phone":{}}', /field "phone": is neither text/);
  await fails('{"phone":null,"ph\\u006fne":"secret"}', /the field is there twice/);
  const keeps = open('unlisted = "keep"\n[columns]\nnote = { format = "mask" }\n');
  await fails(`{"note":"a"}\n{"note":"a","y":1,"\\u0079":"secret"}`, /record 1, field "y": the field is there twice/, keeps);
  assert.equal(await text(keeps.protectNdjson(), '{"note":"a","y":{"y":1,"y":2}}'), '{"note":"*","y":{"y":1,"y":2}}');
  await fails('{"x":1}\n', /no record has a field of the policy/);
  await fails(`${good}{"x":1}\n{"phone":"secret"}\n`, /column "phone", row 2: /);
  await fails('{"phone":"+43 660 \\ud800"}', /column "phone", row 0: /);
  await fails(new Uint8Array([0x7b, 0xff]), /not UTF-8/);
  const digits = open('unlisted = "keep"\n[columns]\nd = { format = "digits", key = "people:1", namespace = "d" }\n');
  await fails(Array.from({ length: 100 }, (_, i) => `{"d":${5_304_218 + i}}`).join("\n"), /field "d": its token is no number/, digits);
});

const NESTED = `
unlisted = "error"
keep = ["id", "tags"]
[columns]
"contact.email" = { format = "email", key = "people:1", namespace = "e" }
"orders[].phone" = { format = "phone", key = "people:1", namespace = "p", tweak = "orders[].number" }
"attributes{}" = { format = "letters", key = "people:1", namespace = "a" }
'names[]."first.one"' = { format = "letters", key = "people:1", namespace = "n", tweak = "id" }
`;

test("paths lead into objects, lists and maps, in records and in NDJSON alike", async () => {
  const nested = open(NESTED), phone = "+43 660 1234567";
  const record = {
    id: "7", tags: { any: ["thing"] }, contact: { email: "jane@example.org" },
    orders: [{ phone, number: "1" }, { phone: null, number: "2" }, { number: "3" }, { phone, number: "2" }],
    attributes: { hair: "brown", "eyes.two": "green" }, names: [{ "first.one": "Janette" }],
  };
  const before = structuredClone(record), [made] = nested.protectRecords([record]);
  assert.deepEqual(record, before, "given records stay");
  const of = (column: string, value: string, tweak?: string): string => nested.protect(column, [value], tweak === undefined ? undefined : [tweak])[0]!;
  assert.deepEqual(made, {
    ...before, contact: { email: of("contact.email", "jane@example.org") },
    orders: [
      { phone: of("orders[].phone", phone, "1"), number: "1" }, { phone: null, number: "2" }, { number: "3" },
      { phone: of("orders[].phone", phone, "2"), number: "2" },
    ],
    attributes: { hair: of("attributes{}", "brown"), "eyes.two": of("attributes{}", "green") },
    names: [{ "first.one": of('names[]."first.one"', "Janette", "7") }],
  });
  assert.deepEqual(nested.revealRecords([made!]), [record]);
  const lines = [record, { id: 1 }, { id: "2", contact: null, orders: [], attributes: {}, names: null }, { id: "3", contact: {} }];
  const given = lines.map((line) => JSON.stringify(line, null, 1).replaceAll("\n", " ")).join("\n");
  const protectedLines = nested.protectRecords(lines).map((line) => JSON.stringify(line, null, 1).replaceAll("\n", " ")).join("\n");
  assert.equal(await text(nested.protectNdjson(), given, [13]), protectedLines);
  assert.equal(await text(nested.revealNdjson(), protectedLines), given);
});

test("a column that has the whole text of a path as its name comes first", () => {
  const nested = open(NESTED), email = "jane@example.org", token = nested.protect("contact.email", [email])[0]!;
  assert.deepEqual(nested.protectRecords([{ "contact.email": email }]), [{ "contact.email": token }]);
});

test("what a path does not fit, and what no path names, is an error, in records and in NDJSON", async () => {
  const nested = open(NESTED), own: [object, RegExp][] = [
    [{ contact: { email: "a@example.org", phone: "secret" } }, /record 0, field "contact.phone": the policy does not name it/],
    [{ contact: "secret" }, /field "contact": the policy does not name it/],
    [{ contact: ["secret"] }, /field "contact": the policy does not name it/],
    [{ orders: { phone: "secret" } }, /field "orders.phone": the policy does not name it/],
    [{ orders: [{ note: "secret" }] }, /field "orders\[\].note": the policy does not name it/],
    [{ names: [{ "a.b": "secret" }] }, /field "names\[\].\\"a.b\\"": the policy does not name it/],
    [{ contact: { email: { secret: 1 } } }, /field "contact.email": is neither text, nor/],
    [JSON.parse('{"__proto__": {"email": "secret"}}') as object, /field "__proto__": the policy does not name it/],
  ];
  for (const [record, words] of own) {
    const fails = (error: Error): boolean => error instanceof TallystickError && words.test(error.message) && !error.message.includes("secret");
    assert.throws(() => nested.protectRecords([record as Record<string, unknown>]), fails, JSON.stringify(record));
    await assert.rejects(text(nested.protectNdjson(), JSON.stringify(record)), fails, JSON.stringify(record));
  }
  const keeps = open(NESTED.replace('unlisted = "error"', 'unlisted = "keep"')), wrong = { contact: ["a"] };
  const both = { "contact.email": "a@example.org", contact: { email: "b@example.org" } };
  assert.throws(() => keeps.protectRecords([both]), /it has both "contact.email" and "contact"/);
  assert.throws(() => keeps.protectRecords([wrong]), /step 1 of the path "contact.email" is not an object/);
  await assert.rejects(text(keeps.protectNdjson(), JSON.stringify(wrong)), /step 1 of the path/);
  await assert.rejects(text(keeps.protectNdjson(), '{"contact": {"email": "a@example.org", "email": "b@example.org"}}'), /field "email": the field is there twice/);
  assert.throws(
    () => open(NESTED.replace('tweak = "id"', 'tweak = "orders[].number"')), /its tweak "orders\[\].number" is in a list that it is not in/,
  );
});

test("records that are no plain objects, and those without a field of the policy, are errors that show no value", async () => {
  const keeps = open(RULES.replace(", tweak = \"plan\"", "").replace("[columns]", 'unlisted = "keep"\n[columns]')), phone = "secret";
  const fails = (given: unknown, name: string, words: RegExp, by = keeps): void => assert.throws(
    () => by.protectRecords(given as Record<string, unknown>[]),
    (error: Error) => error.name === name && words.test(error.message) && !error.message.includes(phone), JSON.stringify(given),
  );
  class Getter {
    get phone(): string {
      return phone;
    }
  }
  for (const record of [[phone], phone, 5, true, null, undefined, new Map([["phone", phone]]), new Getter(), new Date(), () => phone]) {
    fails([{ phone: null }, record], "TypeError", /^record 1: is not a plain object; pass /);
    assert.throws(() => keeps.revealRecords([record as unknown as Record<string, unknown>]), TypeError);
  }
  for (const records of [phone, { phone }, null]) {
    fails(records, "TypeError", /^records: pass an array/);
  }
  const quoted = open('unlisted = "keep"\n[columns]\n\'"a.b"\' = { format = "mask" }\n'), none = /^no record has a field of the policy/;
  const nested = open('unlisted = "keep"\n[columns]\n"orders[].phone" = { format = "mask" }\n"a.b" = { format = "mask" }\n');
  for (const [by, record] of [
    [keeps, { Phone: phone }], [quoted, { "a.b": phone }], [nested, { order: [{ phone }] }], [nested, { orders: [{ Phone: phone }], a: { B: phone } }],
  ] as const) {
    fails([record, record], "TallystickError", none, by);
    await assert.rejects(text(by.protectNdjson(), JSON.stringify(record)), { message: none });
  }
  assert.deepEqual(quoted.protectRecords([{ '"a.b"': phone }]), [{ '"a.b"': "******" }]);
  fails([{ "a.b": phone }], "TallystickError", /field "a\.b": the policy does not name it/, open(HEAD + '[columns]\nz = { format = "mask" }\n'));
  const plain: object[] = [{ note: null }, Object.assign(Object.create(null), { note: null }), runInNewContext("({ note: null })")];
  for (const record of [...plain, { Phone: 1, note: null }]) {
    assert.equal(keeps.protectRecords([record as Record<string, unknown>, {}]).length, 2);
  }
  for (const record of [{ orders: [] }, { orders: null }, { a: null }, { "a.b": null }] as Record<string, unknown>[]) {
    assert.deepEqual(nested.protectRecords([record]), [record]);
    assert.equal(await text(nested.protectNdjson(), JSON.stringify(record)), JSON.stringify(record));
  }
  assert.deepEqual([keeps.protectRecords([]), protector.protectRecords([{ plan: null }])], [[], [{ plan: null }]]);
});
