// SPDX-License-Identifier: Apache-2.0

/** An address in the memory of the core, or the number of an object. */
export type Address = number;
/** Where a text is that ends in a zero; the native core returns the text itself. 0: there is none. */
export type Text = Address | string;
/** A `tally_status`. */
export type Status = number;

/**
 * The functions of the core that this package calls; core/build.py exports them from WebAssembly, and
 * native/calls.c has them for Node.js. They are documented in core/include/tallystick/,
 * go/internal/core/binding.h and core/binding.h.
 */
export interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };

  tally_go_alloc(size: number): Address;
  tally_go_free(memory: Address, size: number): void;
  tally_version(): Text;
  tally_status_text(status: Status): Text;

  tally_format_new(allocator: 0, text: Address, size: number, out: Address, problem: Address): Status;
  tally_format_free(format: Address): void;
  tally_format_name_at(index: number): Text;
  tally_format_name(format: Address): Text;
  tally_format_identity(format: Address): Text;
  tally_format_cipher(format: Address): Text;
  tally_format_is_one_way(format: Address): number;
  tally_format_is_keyed(format: Address): number;
  tally_format_may_be_formula(format: Address): number;
  tally_format_forbids_keep(format: Address): number;
  tally_format_needs_tweak(format: Address): number;
  tally_format_key_size(format: Address): number;
  tally_format_example(format: Address, index: number): Text;
  tally_format_smallest_domain(format: Address, out: Address): void;
  tally_format_domain_of(format: Address, value: Address, size: number, out: Address): void;
  tally_format_explain(format: Address, value: Address, size: number, reason: number, out: Address): void;
  tally_reason_text(reason: number): Text;

  tally_tokenizer_new(
    allocator: 0, format: Address, key: Address, keySize: number, namespace: Address,
    namespaceSize: number, onInvalid: number, out: Address, problem: Address,
  ): Status;
  tally_tokenizer_free(tokenizer: Address): void;
  tally_worker_new(tokenizer: Address, out: Address): Status;
  tally_worker_free(worker: Address): void;
  tally_go_value(
    worker: Address, reveal: number, value: Address, size: number, tweak: Address, tweakSize: number,
    tweaked: number, out: Address, room: number, outSize: Address, reason: Address,
  ): Status;

  tally_js_column_size(): number;
  tally_js_column_init(
    out: Address, type: Address, rows: number, nulls: number, validity: Address, first: Address,
    second: Address, dictionary: Address,
  ): void;
  tally_js_array(
    worker: Address, reveal: number, values: Address, tweaks: Address, out: Address, counts: Address,
    invalid: Address, problem: Address,
  ): Status;
  tally_js_array_length(array: Address): number;
  tally_js_array_nulls(array: Address): number;
  tally_js_array_buffer?(array: Address, index: number): Address;
  tally_js_array_dictionary(array: Address): Address;
  tally_js_array_free(array: Address): void;

  tally_js_policy_new(text: Address, size: number, out: Address, problem: Address): Status;
  tally_policy_new(allocator: 0, json: Address, size: number, out: Address, problem: Address): Status;
  tally_policy_free(policy: Address): void;
  tally_policy_unlisted(policy: Address): number;
  tally_js_rule(policy: Address, index: number, out: Address): number;
  tally_js_policy_text(policy: Address, which: number, index: number, out: Address, room: number): number;
  tally_js_policy_csv(policy: Address, out: Address): void;
  tally_path_step(
    column: Address, size: number, at: Address, out: Address, capacity: number, nameSize: Address,
  ): number;

  tally_go_ring_read(file: Address, size: number, out: Address, problem: Address): Status;
  tally_go_ring_unlock(ring: Address, rootKey: Address, problem: Address): Status;
  tally_js_ring_root(ring: Address, out: Address): void;
  tally_keyring_free(ring: Address): void;
  tally_keyring_id(ring: Address): Text;
  tally_keyring_holder(ring: Address, index: number): Text;
  tally_keyring_signer(ring: Address, index: number): Text;
  tally_keyring_count(ring: Address): number;
  tally_keyring_at(ring: Address, index: number, out: Address): number;
  tally_go_ring_key(
    ring: Address, reference: Address, size: number, out: Address, outSize: Address, problem: Address,
  ): Status;

  tally_go_shares_size(set: Address): void;
  tally_go_shares_split(set: Address, secret: Address, shares: Address): Status;
  tally_go_shares_read(share: Address, size: number, out: Address): number;
  tally_go_shares_recover(
    shares: Address, offsets: Address, count: number, set: Address, verdicts: Address, first: Address,
    good: Address, sets: Address, secret: Address,
  ): Status;

  tally_csv_scan_records(
    dialect: Address, bytes: Address, size: bigint, last: number, columns: number, wanted: Address,
    wantedCount: number, fields: Address, maxRecords: bigint, out: Address,
  ): Status;
  tally_csv_gather_capacity(fields: Address, records: bigint, wantedCount: number, index: number): bigint;
  tally_csv_gather(
    bytes: Address, size: bigint, quote: number, fields: Address, records: bigint, wantedCount: number,
    index: number, offsets: Address, values: Address, capacity: bigint, validity: Address,
    nulls: Address, ascii: Address,
  ): Status;
  tally_csv_splice_capacity(size: bigint, columns: Address, wantedCount: number, records: bigint): bigint;
  tally_csv_splice(
    dialect: Address, bytes: Address, size: bigint, fields: Address, records: bigint, columns: Address,
    wantedCount: number, out: Address, capacity: bigint, result: Address,
  ): Status;
  tally_js_csv_column(array: Address, out: Address): void;

  /** Native: a buffer of an array, where it is; it has no bytes any more when the array is freed. */
  view?(array: Address, index: number): ArrayBuffer;
  /** Native: the same, but it keeps the memory when the array is freed. */
  take?(array: Address, index: number): ArrayBuffer;
  /** Native: an address for bytes that calls only read, where they are, until `unlend`. */
  lend?(bytes: Uint8Array): Address;
  unlend?(): void;
}
