// SPDX-License-Identifier: Apache-2.0
//
// The vectors of all languages, and what reads them. It runs in Node and in a browser.
import type { FormatDescription, Tallystick } from "tallystick";

/** Reads a file of vectors/. */
export type Read = (name: string) => unknown;

/** Reads JSON; whole numbers of 16 digits or more become bigints. */
export function parse(text: string): unknown {
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, (part) =>
    part.startsWith('"') ? part : `{"$whole": "${part}"}`);
  return JSON.parse(marked, (_, value: { $whole?: string } | null) =>
    value?.$whole === undefined ? value : BigInt(value.$whole));
}

interface Text {
  value?: string;
  hex?: string;
  repeat?: string;
  times?: number;
}

interface FormatVector {
  format: FormatDescription;
  identity: string;
  one_way: boolean;
  keyed: boolean;
  smallest_domain: string | null;
  may_be_formula: boolean;
  examples: string[];
  key?: string;
  namespace?: string;
  tweak?: string | Text;
  values: (Text & {
    domain?: string | null; token?: string; token_hex?: string; token_sha256?: string; token_reason?: number; tweaked?: string;
    tweaked_hex?: string; tweaked_sha256?: string; tweaked_reason?: number; tweak?: string | Text;
  })[];
  revealed?: { token: string; value: string }[];
  invalid?: (Text & {
    reason: number; position?: number; class?: string; direction?: string; tweak?: string | Text;
    null_tweak?: boolean;
  })[];
}

const REASONS = ["", "short", "long", "foreign", "delimiter", "check", "tweak", "notation", "range", "normal"];
const CLASSES: Record<string, string> = {
  letter: "a letter", digit: "a digit", space: "a space", control: "a control character",
  other: "another character",
};
/** Longer texts take minutes together, on the core without SIMD128 or with a younger compiler of WebAssembly. */
export const LONG = 2000;
const MOST_DOMAIN = (1n << 64n) - 1n;

export function bytes(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

export function hex(given: Uint8Array): string {
  return Array.from(given, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A vector's text; undefined: bytes that no JavaScript string holds. */
function textOf(given: string | Text): string | undefined {
  if (typeof given === "string") {
    return given;
  }
  if (given.value !== undefined) {
    return given.value;
  }
  if (given.repeat !== undefined) {
    return given.repeat.repeat(given.times!);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes(given.hex!));
  } catch {
    return undefined;
  }
}

/** A failed vector ends the run. */
function equal(found: unknown, wanted: unknown, about: string): void {
  const [left, right] = [found, wanted].map((value) =>
    JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? `${part}n` : part)));
  if (left !== right) {
    throw new Error(`${about}: ${left?.slice(0, 300)}, not ${right?.slice(0, 300)}`);
  }
}

function fails(call: () => unknown, about: string): Error & { code: string } {
  try {
    call();
  } catch (error) {
    return error as Error & { code: string };
  }
  throw new Error(`${about}: nothing is thrown`);
}

async function isToken(got: string, plain?: string, inHex?: string, digest?: string): Promise<boolean> {
  const utf8 = new TextEncoder().encode(got);
  if (digest !== undefined) {
    return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8))) === digest;
  }
  return inHex !== undefined ? hex(utf8) === inHex : got === plain;
}

export const FORMATS = ["text", "presets", "numbers", "grouped", "layouts", "plans", "scripts", "names", "one_way", "coarser", "ciphers"];
export const TOKENS = ["tokens", "tokens_ciphers", "tokens_email", "tokens_mixed", "tokens_ranges", "tokens_unicode", "tokens_coarser"];

const seen = new WeakMap<Tallystick, Set<string>>();

/** The names of formats that vectors were checked of, on an instance. */
export function seenFormats(ts: Tallystick): Set<string> {
  const known = seen.get(ts) ?? new Set();
  seen.set(ts, known);
  return known;
}

/**
 * Every format and option: facts, tokens in both directions, faults; texts of more than `longest` characters are left out.
 * Returns how many were checked.
 */
export async function checkFormats(ts: Tallystick, read: Read, file: string, longest = Infinity): Promise<number> {
  let checked = 0;
  for (const [i, vector] of (read(`formats_${file}`) as FormatVector[]).entries()) {
    const about = `formats_${file} ${i}`, format = ts.format(vector.format);
    const smallest = vector.smallest_domain === null ? undefined : BigInt(vector.smallest_domain);
    equal(
      [format.identity, format.isOneWay, format.isKeyed, format.mayBeFormula, format.examples],
      [vector.identity, vector.one_way, vector.keyed, vector.may_be_formula, vector.examples], about,
    );
    seenFormats(ts).add(format.name);
    equal(format.smallestDomain, smallest !== undefined && smallest > MOST_DOMAIN ? MOST_DOMAIN : smallest, about);
    const key = vector.key === undefined ? undefined : bytes(vector.key);
    const options = { namespace: vector.namespace ?? "" };
    const tokenizer = ts.tokenizer(format, format.isKeyed ? key : undefined, options);
    checked += await checkValues(tokenizer, vector, about, longest);
    for (const row of vector.invalid ?? []) {
      const value = textOf(row), tweak = row.tweak === undefined ? undefined : textOf(row.tweak);
      if (value === undefined || value.length > longest || row.null_tweak === true) {
        continue;
      }
      const direction = row.direction === "reveal" ? "reveal" : "protect";
      const error = fails(() => tokenizer[direction](value, tweak), about) as unknown as Record<string, unknown>;
      equal(
        [error.reason, error.position, error.character],
        [REASONS[row.reason], row.position ?? 0, CLASSES[row.class ?? ""]], `${about}: ${JSON.stringify(row).slice(0, 200)}`,
      );
      checked++;
    }
    tokenizer.close();
  }
  return checked;
}

async function checkValues(
  tokenizer: ReturnType<Tallystick["tokenizer"]>, vector: FormatVector, about: string, longest: number,
): Promise<number> {
  const values: string[] = [], tokens: string[] = [];
  let checked = 0;
  for (const row of vector.values) {
    const value = textOf(row);
    if (value === undefined || value.length > longest) {
      continue;
    }
    checked++;
    if (row.token_reason === undefined) {
      const token = tokenizer.protect(value);
      if (!(await isToken(token, row.token, row.token_hex, row.token_sha256))) {
        throw new Error(`${about}: another token`);
      }
      if (value.length > LONG) {
        equal(vector.one_way ? value : tokenizer.reveal(token), value, about);
        continue; // a long value takes the time of many
      }
      values.push(value);
      tokens.push(token);
    } else {
      equal(reasonOf(() => tokenizer.protect(value), about), REASONS[row.token_reason], about);
    }
    const own = row.tweak ?? vector.tweak, tweak = own === undefined ? undefined : textOf(own);
    if (tweak !== undefined && row.tweaked_reason !== undefined) {
      equal(reasonOf(() => tokenizer.protect(value, tweak), about), REASONS[row.tweaked_reason], about);
    }
    if (tweak === undefined || (row.tweaked ?? row.tweaked_hex ?? row.tweaked_sha256) === undefined) {
      continue;
    }
    const tweaked = tokenizer.protect(value, tweak);
    if (!(await isToken(tweaked, row.tweaked, row.tweaked_hex, row.tweaked_sha256))) {
      throw new Error(`${about}: another token under a tweak`);
    }
    if (!vector.one_way) {
      equal(tokenizer.reveal(tweaked, tweak), value, about);
    }
  }
  for (const { token, value } of vector.revealed ?? []) {
    equal(tokenizer.reveal(token), value, about);
  }
  if (values.length > 0 && takesColumns(tokenizer)) {
    equal(tokenizer.protect([null, ...values]), [null, ...tokens], `${about} as an array`);
    equal(vector.one_way ? values : tokenizer.reveal(tokens), values, `${about} as an array`);
  }
  if (!vector.one_way) {
    equal(tokens.map((token) => tokenizer.reveal(token)), values, about);
  }
  return checked;
}

function reasonOf(call: () => unknown, about: string): unknown {
  return (fails(call, about) as unknown as Record<string, unknown>).reason;
}

/** Whether a format takes columns of text: integers of 19 digits are a column of integers. */
function takesColumns(tokenizer: ReturnType<Tallystick["tokenizer"]>): boolean {
  try {
    tokenizer.protect([null]);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === "type") {
      return false;
    }
    throw error;
  }
}

/** Formats that are refused, with the same words and places. */
export function checkRefused(ts: Tallystick, read: Read): number {
  const vectors = read("formats_refused") as { format: FormatDescription; place: string; message: string }[];
  for (const { format, place, message } of vectors) {
    if (message.includes("with a fraction or exponent") && !/\d\.\d/.test(JSON.stringify(format))) {
      continue; // JavaScript reads 1.0 as 1
    }
    const error = fails(() => ts.format(format), message) as unknown as { message: string; place: string };
    const words = ["; there are:", "a format: digits", "must be 'any'"].reduce((all, end) => all.split(end)[0]!, message);
    if (!error.message.includes(words) || !`format.${error.place}`.includes(place.replace(/^format$/, ""))) {
      throw new Error(`${error.message}, not ${place}: ${message}`);
    }
  }
  return vectors.length;
}

interface TokenVector {
  format: FormatDescription;
  key: string;
  namespace: string;
  tokens?: { value: string; token: string; tweak?: string }[];
  value?: string;
  token?: string;
  tweak?: string;
}

/** The older vectors of tokens. */
export function checkTokens(ts: Tallystick, read: Read, file: string): number {
  let checked = 0;
  for (const [i, vector] of (read(file) as TokenVector[]).entries()) {
    const about = `${file} ${i}`;
    const format = file === "tokens_unicode" ? { type: "unicode", ...(vector.format as object) } : vector.format;
    const made = ts.format(format as FormatDescription);
    seenFormats(ts).add(made.name);
    const tokenizer = ts.tokenizer(made, made.isKeyed ? bytes(vector.key) : undefined, { namespace: vector.namespace });
    const rows = [...(vector.tokens ?? []), ...(vector.token === undefined ? [] : [vector as { value: string; token: string; tweak?: string }])];
    for (const { value, token, tweak } of rows) {
      if (made.cipher !== "ff3-1") {
        equal(tokenizer.protect(value, tweak), token, about);
      }
      if (!made.isOneWay) {
        equal(tokenizer.reveal(token, tweak), value, about);
      }
      checked++;
    }
    tokenizer.close();
  }
  return checked;
}

/** Tokens of draft-denis-ipcrypt. Tweaks there are bytes that no text has, so random modes are only revealed. */
export function checkIpcrypt(ts: Tallystick, read: Read): number {
  const vectors = read("ipcrypt") as { mode: "nd"; key: string; value: string; tweak: string; token: string }[];
  for (const [i, { mode, key, value, tweak, token }] of vectors.entries()) {
    const tokenizer = ts.tokenizer({ type: "ipcrypt", mode }, bytes(key), { namespace: "x" }), own = tokenizer.protect(value);
    equal([own === token, tokenizer.reveal(own), tokenizer.reveal(token)], [tweak === "", value, value], `ipcrypt ${i}`);
    equal(tokenizer.reveal(tokenizer.protect([value, null, value])), [value, null, value], `ipcrypt ${i}`);
    if (tweak !== "") {
      const text = "tweak of bytes".slice(0, tweak.length / 2).padEnd(tweak.length / 2, "s"), tweaked = tokenizer.protect(value, text);
      equal(
        [tweaked.slice(0, tweak.length), tokenizer.reveal(tweaked, text)], [hex(new TextEncoder().encode(text)), value], `ipcrypt ${i}`,
      );
    }
    tokenizer.close();
  }
  seenFormats(ts).add("ipcrypt");
  return vectors.length;
}

interface RingVector {
  text: string; file: string; result: string; message: string; ring: string; root_key: string;
  rights?: string[]; signers?: string[]; held: string[]; references: string[]; keys: string[]; holders?: string[]; set?: string; threshold?: number;
}

/** Key rings: what opens, what is refused and why, and every key. */
export function checkKeyrings(ts: Tallystick, read: Read): number {
  const vectors = read("keyrings") as RingVector[];
  for (const [i, vector] of vectors.entries()) {
    const open = (): ReturnType<Tallystick["keyring"]> =>
      ts.keyring(vector.file ? bytes(vector.file) : vector.text).unlockSync(bytes(vector.root_key));
    if (vector.result !== "opens") {
      const error = fails(open, `ring ${i}`);
      equal([error.message, error.code], [vector.message, vector.result === "root key" ? "root_key" : "keyring"], `ring ${i}`);
      continue;
    }
    const ring = open();
    equal([ring.id, ring.keys.map((key) => key.reference)], [vector.ring, vector.held], `ring ${i}`);
    if (vector.rights !== undefined) {
      const rights = ring.keys.map((key) => [key.mayProtect ? "protect" : "", key.mayReveal ? "reveal" : ""].filter(Boolean).join(" "));
      equal([rights, ring.demandsSignatures], [vector.rights.map(String), (vector.signers ?? []).length > 0], `ring ${i}`);
    }
    const unwrap = (reference: string): Uint8Array =>
      (ring as unknown as { tokenizerKey(reference: string): Uint8Array }).tokenizerKey(reference);
    vector.references.forEach((reference, k) => {
      const wanted = vector.keys[k]!;
      if (wanted.startsWith("! ")) {
        const error = fails(() => unwrap(reference), `ring ${i}, ${reference}`);
        equal(error.message.endsWith(wanted.slice(2)) || error.code === "reference", true, `${error.message}, ${wanted}`);
      } else {
        equal(hex(unwrap(reference)), wanted, `ring ${i}, ${reference}`);
      }
    });
    ring.close();
  }
  return vectors.length;
}

interface PolicyVector {
  toml: string; result: string; place: string; message: string; columns: string[]; names: string[];
  keys: string[]; namespaces: string[]; tweaks: string[]; on_invalid: string[]; unlisted: string;
  keep: string[]; mixed_formats: string[];
}

/** Policies as TOML: what they say, or why and where they are refused. */
export function checkPolicies(ts: Tallystick, read: Read): number {
  const vectors = read("policies") as PolicyVector[], all = ts.formatNames.join(", ");
  for (const vector of vectors) {
    if (vector.result === "refused") {
      const error = fails(() => ts.policy(vector.toml), vector.toml), message = vector.message.replace("{formats}", all);
      const wanted = vector.place === "" ? message : `${vector.place}: ${message}`;
      equal(error.message, wanted, vector.toml);
      continue;
    }
    const policy = ts.policy(vector.toml), { rules } = policy;
    equal(
      [
        rules.map((rule) => rule.column), rules.map((rule) => rule.format.name), rules.map((rule) => rule.key),
        rules.map((rule) => rule.namespace), rules.map((rule) => (rule.tweak === undefined ? "-" : `=${rule.tweak}`)),
        rules.map((rule) => rule.onInvalid), policy.unlisted ?? "", policy.keep, policy.mixedFormats,
      ],
      [
        vector.columns, vector.names, vector.keys, vector.namespaces, vector.tweaks, vector.on_invalid,
        vector.unlisted, vector.keep, vector.mixed_formats,
      ],
      vector.toml,
    );
  }
  return vectors.length;
}

interface SharesVector {
  kind: number; threshold: number; count: number; label: string; secret: string; shares: string[];
}

/** Authentic shares that other implementations made. */
export function checkShares(ts: Tallystick, read: Read): number {
  let checked = 0;
  for (const [i, vector] of (read("authentic_shares") as SharesVector[]).entries()) {
    const shares = vector.shares.map(bytes);
    if (shares.length < vector.threshold) {
      continue;
    }
    const label = new TextDecoder().decode(bytes(vector.label));
    for (const share of shares) {
      const said = ts.verify(share);
      equal(
        [said.verdict, said.threshold, said.count, said.label, said.isFile, said.secretSize],
        ["good", vector.threshold, vector.count, label, vector.kind === 1, vector.secret.length / 2], `share of ${i}`,
      );
    }
    if (vector.kind === 1) {
      equal(fails(() => ts.combine(shares), `shares ${i}`).code, "kind", `shares ${i}`);
    } else {
      const found = ts.combine(shares);
      equal([hex(found.secret), found.verdicts], [vector.secret, shares.map(() => "good")], `shares ${i}`);
    }
    checked++;
  }
  return checked;
}

/** All of the above but policies and refused formats; returns how many there were. A format without vectors is an error. */
export async function checkAll(ts: Tallystick, read: Read, longest = Infinity): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const file of FORMATS) {
    counts[file] = await checkFormats(ts, read, file, longest);
  }
  for (const file of TOKENS) {
    counts[file] = checkTokens(ts, read, file);
  }
  counts["ipcrypt"] = checkIpcrypt(ts, read);
  counts["keyrings"] = checkKeyrings(ts, read);
  counts["shares"] = checkShares(ts, read);
  equal([...seenFormats(ts)].sort(), [...ts.formatNames].sort(), "formats with vectors");
  return counts;
}
