// SPDX-License-Identifier: Apache-2.0
import type { Address, Exports, Status } from "./exports.js";

/** The functions of the main core that tokens in text need: memory, key rings, and shares of their root keys. */
type Shared = Pick<
  Exports,
  | "memory" | "tally_go_alloc" | "tally_go_free" | "tally_version" | "tally_status_text"
  | "tally_go_ring_read" | "tally_go_ring_unlock" | "tally_js_ring_root" | "tally_keyring_free" | "tally_keyring_id"
  | "tally_keyring_holder" | "tally_keyring_signer" | "tally_keyring_count" | "tally_keyring_at" | "tally_go_ring_key"
  | "tally_go_shares_size" | "tally_go_shares_read" | "tally_go_shares_recover"
>;

/**
 * The functions of core-text.wasm, which core/build.py exports. They are documented in
 * core/include/tallystick/text.h and go/internal/textcore/text_binding.h.
 */
export interface TextExports extends Shared {
  tally_go_text_key_new(
    key: Address, keySize: number, space: Address, spaceSize: number, scope: Address, scopeSize: number,
    checkBits: number, status: Address,
  ): Address;
  tally_go_text_key_free(key: Address): void;
  tally_go_text_protect(
    key: Address, frame: number, kind: Address, kindSize: number, value: Address, size: number, out: Address,
    outSize: Address,
  ): Status;
  tally_go_text_restorer_new(keys: Address, count: number, context: number, status: Address): Address;
  tally_text_restorer_free(restorer: Address): void;
  tally_text_restore_capacity(restorer: Address, size: number): number;
  tally_text_restore(
    restorer: Address, chunk: Address, size: number, finish: number, out: Address, capacity: number, outSize: Address,
  ): Status;
  tally_text_restored(restorer: Address): bigint;
  tally_text_refused(restorer: Address): bigint;
}
