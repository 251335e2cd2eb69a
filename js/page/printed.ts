// SPDX-License-Identifier: Apache-2.0
//
// The printed form of shares (docs/reference/share-format.md), as far as to read one without errors: the
// command line names errors more closely.

const SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const IGNORED = /[\p{White_Space}\p{Pd}\u00ad\u200b\ufeff]/gu;

/** A text that is no printed share; the message says where. */
export class PrintedError extends Error {}

/** Splits pasted text into shares. */
export function splitPrinted(text: string): string[] {
  return text.split(/(?=^\s*TALLYSTICK SHARE 1)/im).filter((one) => one.trim() !== "");
}

/** The bytes of a printed share. */
export function readPrinted(text: string): Uint8Array {
  const words = readGroups(text), count = words[0]! & 0x7fff, size = Math.ceil((8 * count) / 20) + 3;
  if (words[0]! >>> 15 !== 1 || count === 0 || count > 2000) {
    throw new PrintedError("the text is no printed share");
  }
  if (words.length !== size) {
    throw new PrintedError(`the text has ${words.length} groups, and the share ${size}: a line or group is missing or doubled`);
  }
  const [p, q] = checkWords(words.slice(0, -2));
  if (words.at(-2) !== p || words.at(-1) !== q) {
    throw new PrintedError("groups of several shares are mixed, or more than one is wrong");
  }
  const bits = words.slice(1, -2).map((word) => word.toString(2).padStart(20, "0")).join("");
  if (bits.slice(8 * count).includes("1")) {
    throw new PrintedError("the text is no printed share");
  }
  return Uint8Array.from({ length: count }, (_, i) => parseInt(bits.slice(8 * i, 8 * i + 8), 2));
}

function readGroups(text: string): number[] {
  const [body, after = ""] = text.replace(/^\s*#.*$/gm, "").replace(/^\s*TALLYSTICK SHARE 1:?/i, "").split(/^\s*END\s*$/im);
  if (after.trim() !== "") {
    throw new PrintedError("text follows END");
  }
  const symbols = [...body!.split(/\r\n|[\n\r]/).map(
    (line) => line.replace(IGNORED, "").replace(/^[0-9OIL]{1,3}:/i, ""),
  ).join("").toUpperCase().replaceAll("O", "0").replace(/[IL]/g, "1")].map((one) => SYMBOLS.indexOf(one));
  const words: number[] = [];
  for (let at = 0; at < symbols.length; at += 5) {
    const group = symbols.slice(at, at + 5), number = words.length + 1;
    const check = group.slice(0, 4).reduce((sum, symbol) => timesX(sum ^ symbol, 5, 0b101), 0) ^ (number % 31);
    if (group.length < 5 || group.includes(-1) || check !== group[4]) {
      throw new PrintedError(`line ${Math.ceil(number / 6)}, group ${((number - 1) % 6) + 1} is wrong, or one near it is missing or doubled`);
    }
    words.push(group.slice(0, 4).reduce((word, symbol) => word * 32 + symbol, 0));
  }
  if (words.length < 4) {
    throw new PrintedError("the text is no printed share");
  }
  return words;
}

/** A polynomial over GF(2) times x, modulo x^degree plus `rest`. */
function timesX(value: number, degree: number, rest: number): number {
  const shifted = value << 1;
  return shifted >> degree === 0 ? shifted : (shifted ^ (1 << degree) ^ rest);
}

function checkWords(words: readonly number[]): [number, number] {
  return [words.reduce((sum, word) => sum ^ word), words.reduce((sum, word) => timesX(sum, 20, 0b1001) ^ word, 0)];
}
