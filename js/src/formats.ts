// SPDX-License-Identifier: Apache-2.0

import type { FormatOptions } from "./presets.js";

/** The cipher of a format that encrypts words, and the tweak of a plain cipher. */
export interface CipherOptions {
  cipher?: "fast" | "ff1" | "ff1-2016" | "ff3-1";
  tweak_hex?: string;
}

/** A whole number; as bigint if it is beyond 2^53. */
export type Whole = number | bigint;

export type FormatName = keyof FormatOptions;

type Required_<O> = { [K in keyof O as undefined extends O[K] ? never : K]: O[K] };

/** The names of formats that need no option. */
export type PlainFormatName = {
  [N in FormatName]: keyof Required_<FormatOptions[N]> extends never ? N : never;
}[FormatName];

/** A format as a policy writes it: its name, or its name as `type` with options. */
export type FormatDescription =
  | PlainFormatName
  | { [N in FormatName]: { type: N } & FormatOptions[N] }[FormatName];

/** JSON with whole numbers of any size. */
export function describe(description: unknown): string {
  const text = write(description);
  if (text === undefined) {
    throw new TypeError("a format is its name, or an object with its name as `type` and its options");
  }
  return text;
}

/** More levels than the core reads, and few enough for the stack. */
const MOST_LEVELS = 100;

function write(value: unknown, level = 0): string | undefined {
  if (level > MOST_LEVELS) {
    throw new TypeError("a format or policy is nested too deep, or has itself inside");
  }
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new TypeError("a whole number beyond 2^53 is not exact: write it as a bigint, such as 10n ** 18n");
  }
  if (typeof value === "bigint") {
    return value.toString();
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    return `{"$float":"${value}"}`;
  }
  if (typeof value === "function" || typeof value === "symbol") { // left out, it would leave the default
    throw new TypeError(`a format or policy has a ${typeof value} where a value belongs`);
  }
  if (Array.isArray(value)) {
    return `[${value.map((item) => write(item, level + 1) ?? "null").join(",")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).flatMap(([key, member]) => {
      const text = write(member, level + 1);
      return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`];
    });
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value) as string | undefined;
}
