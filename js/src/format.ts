// SPDX-License-Identifier: Apache-2.0
import { CLASSES, type CharacterClass, InvalidValueError, REASONS, type Reason, TallystickError } from "./errors.js";
import type { Address, Text } from "./exports.js";
import { encode, type Machine, roomFor, stringOf } from "./machine.js";

/** A checked format: which values are valid, and which tokens they get. */
export class Format {
  readonly name: string;
  /** With equal keys and namespaces, equal identities give equal tokens. JSON. */
  readonly identity: string;
  /** `fast`, `ff1`, `ff1-2016` or `ff3-1`; undefined: it encrypts no words. */
  readonly cipher: string | undefined;
  /** Whether tokens can't be revealed. */
  readonly isOneWay: boolean;
  /** Whether it needs a key. */
  readonly isKeyed: boolean;
  /** The bytes that its key must have; undefined: 16, 24 or 32, or it has none. */
  readonly keySize: number | undefined;
  /** Whether a token may begin with a character that spreadsheets read as a formula. */
  readonly mayBeFormula: boolean;
  /** Whether `onInvalid: "keep"` can't go with it. */
  readonly forbidsKeep: boolean;
  /** Whether values need a tweak of their row. */
  readonly needsTweak: boolean;
  /** Valid values. */
  readonly examples: readonly string[];
  /** Values of the smallest domain; undefined: it depends on the values. 2^64 - 1: that many or more. */
  readonly smallestDomain: bigint | undefined;

  /** @internal */
  readonly machine: Machine;
  /** @internal */
  readonly address: Address;
  /** @internal Keeps a policy alive that the format belongs to. */
  readonly owner: object | undefined;

  /** @internal Use {@link Tallystick.format}. */
  constructor(machine: Machine, address: Address, owner?: object) {
    const { core } = machine;
    this.machine = machine;
    this.address = address;
    this.owner = owner;
    this.name = machine.text(core.tally_format_name(address))!;
    this.identity = machine.text(core.tally_format_identity(address))!;
    this.cipher = machine.text(core.tally_format_cipher(address));
    this.isOneWay = core.tally_format_is_one_way(address) !== 0;
    this.isKeyed = core.tally_format_is_keyed(address) !== 0;
    this.keySize = core.tally_format_key_size(address) || undefined;
    this.mayBeFormula = core.tally_format_may_be_formula(address) !== 0;
    this.forbidsKeep = core.tally_format_forbids_keep(address) !== 0;
    this.needsTweak = core.tally_format_needs_tweak(address) !== 0;
    const examples: string[] = [];
    for (let at: Text = 0; (at = core.tally_format_example(address, examples.length)) !== 0; ) {
      examples.push(machine.text(at)!);
    }
    this.examples = examples;
    this.smallestDomain = machine.run(16, () => {
      const out = machine.take(16);
      core.tally_format_smallest_domain(address, out);
      return domain(machine, out);
    });
    if (owner === undefined) {
      machine.forgotten.register(this, { free: () => core.tally_format_free(address) });
    }
  }

  /** How many values are as a valid value is: see {@link smallestDomain}. */
  domainOf(value: string): bigint | undefined {
    const { machine } = this;
    stringOf(value, "value");
    return machine.run(roomFor(value) + 16, () => {
      const out = machine.take(16), at = machine.take(roomFor(value) + 1);
      machine.core.tally_format_domain_of(this.address, at, encode(value, machine.bytes, at), out);
      return domain(machine, out);
    });
  }
}

function domain(machine: Machine, at: Address): bigint | undefined {
  return machine.u32(at + 8) === 0 ? undefined : machine.u64(at);
}

/** A `tally_fault`. */
export interface Fault {
  reason: Reason;
  words: string;
  position: number;
  character: CharacterClass | undefined;
}

export function readFault(machine: Machine, at: Address): Fault {
  const number = machine.u32(at), position = Number(machine.u64(at + 8));
  return {
    reason: REASONS[number] as Reason,
    words: machine.text(machine.core.tally_reason_text(number))!,
    position,
    character: position === 0 ? undefined : CLASSES[machine.u32(at + 4)],
  };
}

/** The error of a value that is invalid for a reason; its bytes are in memory. */
export function invalidValue(
  format: Format, value: Address, size: number, reason: number, where: string,
): InvalidValueError {
  const { machine } = format, out = machine.take(16);
  machine.core.tally_format_explain(format.address, value, size, reason, out);
  const fault = readFault(machine, out);
  return new InvalidValueError(fault.reason, fault.words, -1, fault.position, fault.character, where);
}

/** Of a machine, as a text that the core reads. */
export function makeFormat(machine: Machine, description: string): Format {
  const address = machine.run(roomFor(description) + 16, () => {
    const out = machine.take(4), at = machine.take(roomFor(description) + 1);
    const size = encode(description, machine.bytes, at);
    machine.check(machine.core.tally_format_new(0, at, size, out, machine.problem));
    return machine.u32(out);
  });
  return new Format(machine, address);
}

export function closed(what: string): TallystickError {
  return new TallystickError("closed", `this ${what} is closed`);
}
