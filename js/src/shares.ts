// SPDX-License-Identifier: Apache-2.0
import { codeOf, TallystickError } from "./errors.js";
import type { Address } from "./exports.js";
import { bytesOf, checkOptions, encode, encoder, type Machine, roomFor, stringOf } from "./machine.js";

/** What a share says of itself. Nothing of a damaged one can be trusted. */
export interface Share {
  readonly verdict: Verdict;
  /** 16 bytes that all shares of a secret have in common. */
  readonly set: Uint8Array;
  readonly index: number;
  readonly threshold: number;
  readonly count: number;
  readonly label: string;
  /** Bytes of the secret. */
  readonly secretSize: number;
  /** Whether it is the share of a file, of which this is the key. */
  readonly isFile: boolean;
}

/** The verdict on a share. `malformed`: it is no share; `foreign`: it is of another set. */
export type Verdict = "good" | "malformed" | "damaged" | "foreign" | "repeated";
const VERDICTS: readonly Verdict[] = ["good", "malformed", "damaged", "foreign", "repeated"];

/** Shares that were recovered. */
export interface Combined {
  /** Wipe it after use. */
  readonly secret: Uint8Array;
  /** One for each given share. */
  readonly verdicts: readonly Verdict[];
  /** A good share of the set. */
  readonly share: Share;
}

/** Too few good shares, or shares of several sets. */
export class ShareError extends TallystickError {
  override name = "ShareError";
  readonly verdicts: readonly Verdict[];
  /** Good shares of the set that has most. */
  readonly good: number;
  /** How many are needed; undefined if no share is good. */
  readonly threshold: number | undefined;

  constructor(code: string, message: string, verdicts: readonly Verdict[], good: number, threshold: number | undefined) {
    super(code, message);
    this.verdicts = verdicts;
    this.good = good;
    this.threshold = threshold;
  }
}

/** The struct `tally_go_set`. */
const SET = { size: 300, kind: 0, threshold: 4, count: 8, secretSize: 12, labelSize: 16, index: 20, bytes: 24, set: 28, label: 44 };
const MOST_SHARES = 1024, MOST_SECRET = 16_384, MOST_BYTES = 64 << 20;

function readSet(machine: Machine, at: Address, verdict: Verdict): Share {
  const number = (offset: number): number => machine.u32(at + offset);
  return {
    verdict,
    set: machine.bytes.slice(at + SET.set, at + SET.label),
    index: number(SET.index),
    threshold: number(SET.threshold),
    count: number(SET.count),
    label: machine.decode(at + SET.label, number(SET.labelSize)),
    secretSize: number(SET.secretSize),
    isFile: number(SET.kind) === 1,
  };
}

/** Splits a secret into shares of which any `threshold` recover it. */
export function split(
  machine: Machine, secret: Uint8Array | ArrayBuffer, options: { threshold: number; count: number; label?: string },
): Uint8Array[] {
  checkOptions(options, "threshold", "count", "label");
  const given = bytesOf(secret, "secret"), label = stringOf(options.label ?? "", "label"), { threshold, count } = options;
  const isLabel = encoder.encode(label).length <= 255;
  if (
    !Number.isInteger(threshold) || !Number.isInteger(count) || threshold < 2 || count < threshold || count > 255 ||
    given.length < 1 || given.length > MOST_SECRET || !isLabel
  ) {
    throw new TallystickError(
      "argument",
      "a secret has 1 to 16384 bytes, threshold and count are 2 <= threshold <= count <= 255, and a label has at " +
        "most 255 bytes",
    );
  }
  const share = given.length + 1024;
  return machine.run(SET.size + given.length + count * share + roomFor(label), () => {
    const set = machine.take(SET.size), at = machine.put(given), out = machine.take(count * share);
    const { view } = machine;
    view.setUint32(set + SET.threshold, threshold, true);
    view.setUint32(set + SET.count, count, true);
    view.setUint32(set + SET.secretSize, given.length, true);
    view.setUint32(set + SET.labelSize, encode(label, machine.bytes, set + SET.label), true);
    machine.core.tally_go_shares_size(set);
    const size = machine.u32(set + SET.bytes);
    machine.check(machine.core.tally_go_shares_split(set, at, out));
    return Array.from({ length: count }, (_, i) => machine.bytes.slice(out + i * size, out + (i + 1) * size));
  });
}

/** Reads a share, and checks it against the name of its set, which needs no other share. */
export function verify(machine: Machine, share: Uint8Array | ArrayBuffer): Share {
  const given = bytesOf(share, "share");
  return machine.run(given.length + SET.size, () => {
    const set = machine.take(SET.size), at = machine.put(given);
    const verdict = machine.core.tally_go_shares_read(at, given.length, set);
    return readSet(machine, set, VERDICTS[verdict]!);
  });
}

/** Recovers a secret from shares in any order; bad ones are found, and not used. */
export function combine(
  machine: Machine, shares: readonly (Uint8Array | ArrayBuffer)[], options: { set?: Uint8Array | ArrayBuffer } = {},
): Combined {
  if (!Array.isArray(shares)) {
    throw new TypeError("shares: pass an array of shares");
  }
  checkOptions(options, "set");
  const given = Array.from(shares as readonly Uint8Array[], (share, i) => bytesOf(share, `share ${i}`));
  const total = given.reduce((sum, share) => sum + share.length, 0);
  const set = options.set === undefined ? undefined : bytesOf(options.set, "set");
  if (given.length > MOST_SHARES || total > MOST_BYTES) {
    throw new TallystickError("argument", `pass at most ${MOST_SHARES} shares, of 64 MiB together`);
  }
  if (set !== undefined && set.length !== 16) {
    throw new TallystickError("argument", "the name of a set has 16 bytes");
  }
  return machine.run(total + 9 * given.length + SET.size + MOST_SECRET + 256, () => {
    const bytes = machine.take(total + 1), offsets = machine.take(8 * (given.length + 1));
    const verdicts = machine.take(given.length + 1), first = machine.take(SET.size), found = machine.take(8);
    const secret = machine.take(MOST_SECRET), name = set === undefined ? 0 : machine.put(set);
    let end = 0;
    given.forEach((share, i) => {
      machine.bytes.set(share, bytes + end);
      end += share.length;
      machine.view.setBigUint64(offsets + 8 * (i + 1), BigInt(end), true);
    });
    const status = machine.core.tally_go_shares_recover(
      bytes, offsets, given.length, name, verdicts, first, found, found + 4, secret,
    );
    const all = given.map((_, i) => VERDICTS[machine.bytes[verdicts + i]!]!);
    const share = readSet(machine, first, "good");
    if (status !== 0) {
      const words = machine.text(machine.core.tally_status_text(status))!;
      const good = machine.u32(found), threshold = good === 0 ? undefined : share.threshold;
      const count = threshold === undefined ? "no share is good" : `${good} good of ${threshold} needed`;
      throw new ShareError(codeOf(status), `${words}: ${count}`, all, good, threshold);
    }
    if (share.isFile) {
      throw new ShareError("kind", "these are shares of a file: `tallystick shares` joins them", all, machine.u32(found), share.threshold);
    }
    return { secret: machine.bytes.slice(secret, secret + share.secretSize), verdicts: all, share };
  });
}
