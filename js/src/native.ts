// SPDX-License-Identifier: Apache-2.0
//
// The core as an addon for Node.js. package.json says where it is for each platform; who has none there, or
// one of another version, runs WebAssembly. Nothing is imported, so that bundlers for browsers find nothing.
import type { Exports } from "./exports.js";

interface Addon {
  readonly version: string;
  open(): Exports;
}

/** As much of Node's `process` as is used here. */
interface NodeProcess {
  readonly platform: string;
  readonly arch: string;
  readonly versions: Readonly<Record<string, string | undefined>>;
  getBuiltinModule?(name: string): unknown;
}

type Require = (name: string) => unknown;

/** The addon's core; a text: why there is none. */
export function nativeCore(): Exports | string {
  const { process } = globalThis as { process?: NodeProcess }, { versions } = process ?? {};
  if (versions?.node === undefined || versions.bun !== undefined || versions.deno !== undefined) {
    return "only Node.js loads the addon";
  }
  const module = process!.getBuiltinModule?.("node:module") as
    | { createRequire(from: string): Require } | undefined;
  if (module === undefined) {
    return "Node.js 20.16, 22.3 or newer is needed";
  }
  const platform = `${process!.platform}-${process!.arch}`;
  try {
    const require = module.createRequire(import.meta.url);
    const addon = require(`tallystick/native/${platform}`) as Addon;
    const { version } = require("tallystick/package.json") as { version: string };
    return addon.version === version ? addon.open()
      : `the addon is of version ${addon.version}, and the package of ${version}`;
  } catch (error) {
    return `there is no addon for ${platform} that loads: ${error instanceof Error ? error.message : String(error)}`;
  }
}
