// SPDX-License-Identifier: Apache-2.0
import { TallystickError } from "./errors.js";
import type { Address, Text } from "./exports.js";
import { closed } from "./format.js";
import { bytesOf, encode, encoder, type Machine, roomFor, stringOf } from "./machine.js";
import { combine } from "./shares.js";

/** A root key: its 32 bytes, a CryptoKey that can be exported, or enough of its shares. */
export type RootKey = Uint8Array | ArrayBuffer | CryptoKey | { shares: readonly (Uint8Array | ArrayBuffer)[] };

/** Where the root key of a ring comes from. */
export interface Root {
  readonly kind: "key" | "passphrase" | "shares" | "wrapped";
  /** How scrypt derives the root key from a passphrase, which this package leaves to the caller. */
  readonly scrypt?: { n: number; r: number; p: number; salt: Uint8Array };
  /** Of a root that is split. */
  readonly shares?: { set: Uint8Array; threshold: number; count: number; holders: readonly string[] };
}

/** What is public of a data key. */
export interface KeyInfo {
  /** Name and version: `people:1`. */
  readonly reference: string;
  /** Bytes. */
  readonly size: number;
  /** UTC. */
  readonly created: string;
  /** Whether values may be protected with it, and tokens revealed. A protector obeys. */
  readonly mayProtect: boolean;
  readonly mayReveal: boolean;
}

const KINDS = ["key", "passphrase", "shares", "wrapped"] as const;
const INFO = 104, ROOT = 56, SIZE = 32;

class Ring {
  constructor(readonly machine: Machine, readonly address: Address) {}

  free(): void {
    this.machine.core.tally_keyring_free(this.address);
  }
}

/** A key ring: data keys that are wrapped under a root key. Close it to wipe its keys. */
export class Keyring {
  /** 32 hexadecimal digits that never change. */
  readonly id: string;
  readonly root: Root;
  /** Whether policies must be signed, which this package can't verify: it opens none with such a ring. */
  readonly demandsSignatures: boolean;
  readonly keys: readonly KeyInfo[];
  readonly #machine: Machine;
  #ring: Ring | undefined;

  /** @internal Use {@link Tallystick.keyring}. */
  constructor(machine: Machine, file: string | Uint8Array | ArrayBuffer) {
    const given = typeof file === "string" ? encoder.encode(file) : bytesOf(file, "keyring");
    const { core } = machine;
    const address = machine.run(given.length + 16, () => {
      const out = machine.take(4);
      machine.check(core.tally_go_ring_read(machine.put(given), given.length, out, machine.problem));
      return machine.u32(out);
    });
    this.#machine = machine;
    this.#ring = new Ring(machine, address);
    machine.forgotten.register(this, this.#ring, this);
    this.id = machine.text(core.tally_keyring_id(address))!;
    this.demandsSignatures = core.tally_keyring_signer(address, 0) !== 0;
    this.root = machine.run(ROOT, () => readRoot(machine, address));
    this.keys = machine.run(INFO, () => {
      const at = machine.take(INFO);
      return Array.from({ length: core.tally_keyring_count(address) }, (_, index) => {
        core.tally_keyring_at(address, index, at);
        return {
          reference: `${machine.text(at)!}:${machine.u32(at + 68)}`,
          size: machine.u32(at + 72),
          created: machine.text(at + 76)!,
          mayProtect: (machine.u32(at + 100) & 1) !== 0,
          mayReveal: (machine.u32(at + 100) & 2) !== 0,
        };
      });
    });
  }

  get #address(): Address {
    if (this.#ring === undefined) {
      throw closed("key ring");
    }
    return this.#ring.address;
  }

  /** Verifies the ring with its root key, of which no copy stays outside the core. */
  async unlock(root: RootKey): Promise<this> {
    if (typeof root !== "object" || root === null) {
      throw new TypeError("root key: pass its 32 bytes, a CryptoKey, or an object with its shares");
    }
    if ("shares" in root) {
      return this.#unlockWith(this.#combined(root.shares));
    }
    if (isCryptoKey(root)) {
      if (root.type !== "secret") {
        throw new TypeError("root key: the CryptoKey is one of a key pair; pass a secret one of 32 bytes, such as of AES-GCM");
      }
      let raw: ArrayBuffer;
      try {
        raw = await crypto.subtle.exportKey("raw", root);
      } catch {
        throw new TallystickError("root_key", "the CryptoKey can't be exported; make it extractable");
      }
      return this.#unlockWith(new Uint8Array(raw));
    }
    return this.unlockSync(root);
  }

  /** Verifies the ring with the 32 bytes of its root key. */
  unlockSync(root: Uint8Array | ArrayBuffer): this {
    const machine = this.#machine, address = this.#address, given = bytesOf(root, "root key");
    if (given.length !== SIZE) {
      throw new TallystickError("root_key", `a root key has ${SIZE} bytes`);
    }
    machine.run(SIZE, () => {
      machine.check(machine.core.tally_go_ring_unlock(address, machine.put(given), machine.problem));
    });
    return this;
  }

  #unlockWith(own: Uint8Array): this {
    try {
      return this.unlockSync(own);
    } finally {
      own.fill(0);
    }
  }

  #combined(shares: readonly (Uint8Array | ArrayBuffer)[]): Uint8Array {
    const { shares: of } = this.root;
    if (of === undefined) {
      throw new TallystickError("root_key", "the root key of this ring is not split into shares; pass the key");
    }
    const { secret, share } = combine(this.#machine, shares, { set: of.set });
    if (share.label !== `tallystick keyring ${this.id}`) {
      secret.fill(0);
      throw new TallystickError("root_key", "these are shares of another secret than the root key of this ring");
    }
    return secret;
  }

  /** Unwraps a data key; wipe it after use. One that may only protect or only reveal stays in the ring. */
  key(reference: string): Uint8Array {
    const known = this.keys.find((one) => one.reference === reference);
    if (known !== undefined && !(known.mayProtect && known.mayReveal)) {
      throw new TallystickError("rights", `key ${reference} may only ${known.mayProtect ? "protect" : "reveal"}; use it by a policy`);
    }
    return this.tokenizerKey(reference);
  }

  /** @internal For who obeys the rights. */
  tokenizerKey(reference: string): Uint8Array {
    const machine = this.#machine, address = this.#address;
    stringOf(reference, "reference");
    return machine.run(roomFor(reference) + SIZE + 16, () => {
      const out = machine.take(SIZE), size = machine.take(4), at = machine.take(roomFor(reference) + 1);
      const length = encode(reference, machine.bytes, at);
      machine.check(machine.core.tally_go_ring_key(address, at, length, out, size, machine.problem));
      return machine.bytes.slice(out, out + machine.u32(size));
    });
  }

  /** Wipes the keys. It may be called twice. */
  close(): void {
    if (this.#ring !== undefined) {
      this.#machine.forgotten.unregister(this);
      this.#ring.free();
      this.#ring = undefined;
    }
  }
}

function isCryptoKey(given: unknown): given is CryptoKey {
  return Object.prototype.toString.call(given) === "[object CryptoKey]";
}

function readRoot(machine: Machine, ring: Address): Root {
  const { core } = machine, out = machine.take(ROOT);
  core.tally_js_ring_root(ring, out);
  const kind = KINDS[machine.u32(out)]!;
  const number = (i: number): number => machine.u32(out + 4 * i);
  const bytes = (i: number): Uint8Array => machine.bytes.slice(out + 4 * i, out + 4 * i + 16);
  if (kind === "key" || kind === "wrapped") {
    return { kind };
  }
  if (kind === "passphrase") {
    return { kind, scrypt: { n: number(3), r: number(4), p: number(5), salt: bytes(10) } };
  }
  const holders: string[] = [];
  for (let at: Text = 0; (at = core.tally_keyring_holder(ring, holders.length)) !== 0; ) {
    holders.push(machine.text(at)!);
  }
  return { kind, shares: { set: bytes(6), threshold: number(1), count: number(2), holders } };
}
