// SPDX-License-Identifier: Apache-2.0
import { TallystickError } from "./errors.js";
import { encode, type Machine, roomFor } from "./machine.js";
import type { Rule } from "./policy.js";

/** Where a step of a path leads to: a field, by its name; the items of a list; the values of an object. */
export type Step = { readonly kind: "field"; readonly name: string } | { readonly kind: "items" | "values" };

const KINDS = [undefined, "field", "items", "values"] as const;

/** The steps of a column's path; a name that is no path is one step. */
export function stepsOf(machine: Machine, column: string): readonly Step[] {
  const room = roomFor(column) + 1;
  return machine.run(2 * room + 12, () => {
    const text = machine.take(room), out = machine.take(room), at = machine.take(8), steps: Step[] = [];
    const size = encode(column, machine.bytes, text);
    machine.view.setUint32(at, 0, true);
    do {
      const kind = KINDS[machine.core.tally_path_step(text, size, at, out, room, at + 4)];
      if (kind === undefined) {
        return [{ kind: "field", name: column }];
      }
      steps.push(kind === "field" ? { kind, name: machine.decode(out, machine.u32(at + 4)) } : { kind });
    } while (machine.u32(at) < size);
    return steps;
  });
}

/** How the values of a kind of records are read. */
export interface Reader<V> {
  /** What a value is; "other": text, a number or the like. */
  is(value: V): "null" | "object" | "array" | "other";
  /** The values in an object, or a list, with their names or indices. */
  inside(value: V): Iterable<readonly [string | number, V]>;
  /** A field of an object. */
  field(value: V, name: string): V | undefined;
}

/** What becomes of a value: its text before and after. */
export interface Change<V> {
  readonly rule: Rule;
  readonly row: number;
  readonly at: V;
  readonly before: string | null;
  readonly after: string | null;
}

/** A value at the end of a path, and the values that it is in: one for each step before. */
export interface Found<V> {
  readonly value: V | undefined;
  readonly chain: readonly V[];
}

/** The error of records without a field that a rule changes. */
export function noField(code: string): TallystickError {
  return new TallystickError(code, "no record has a field of the policy; check the names of its columns");
}

/** A column of records, by its name or path, with its tweak beside it. */
export class Column {
  readonly steps: readonly Step[];
  readonly #tweak: { name: string; common: number; names: string[] } | undefined;

  constructor(machine: Machine, readonly name: string, tweak: string | undefined) {
    this.steps = stepsOf(machine, name);
    if (tweak !== undefined) {
      const steps = stepsOf(machine, tweak), most = Math.min(steps.length, this.steps.length) - 1;
      let common = 0;
      while (common < most && same(steps[common]!, this.steps[common]!)) {
        common++;
      }
      const names = steps.slice(common).map((step) => {
        if (step.kind !== "field") {
          throw new TallystickError(
            "policy",
            `column ${JSON.stringify(name)}: its tweak ${JSON.stringify(tweak)} is in a list that it is not in, so a value has ` +
              "no single one; use a column of the row, or of the same list",
          );
        }
        return step.name;
      });
      this.#tweak = { name: tweak, common, names };
    }
  }

  /** The values that a record has of the column. A field that is not there has none. */
  find<V>(reader: Reader<V>, record: V, row: number): Found<V>[] {
    const whole = reader.field(record, this.name), outer = this.steps[0]!;
    if (whole !== undefined && this.steps.length > 1 && outer.kind === "field") {
      const value = reader.field(record, outer.name), kind = value === undefined ? "null" : reader.is(value);
      if (kind === "object" || kind === "array") {
        throw new TallystickError(
          "type", `record ${row}: it has both ${JSON.stringify(this.name)} and ${JSON.stringify(outer.name)}, in which that ` +
            "column may be too; rename one of them",
        );
      }
    }
    let here: Found<V>[] = [{ value: whole ?? record, chain: [] }];
    for (const [depth, step] of whole === undefined ? this.steps.entries() : []) {
      here = here.flatMap(({ value, chain }) => {
        const kind = value === undefined ? "null" : reader.is(value), inside = depth === 0 ? chain : [...chain, value!];
        if (kind === "null") {
          return [];
        }
        if (kind !== (step.kind === "items" ? "array" : "object")) {
          throw new TallystickError(
            "type", `record ${row}: step ${depth} of the path ${JSON.stringify(this.name)} is not ` +
              `${step.kind === "items" ? "an array" : "an object"}; correct the record or the policy`,
          );
        }
        const found = step.kind === "field" ? [reader.field(value!, step.name)] : Array.from(reader.inside(value!), ([, one]) => one);
        return found.filter((one) => one !== undefined).map((one) => ({ value: one, chain: inside }));
      });
    }
    return here;
  }

  /** Whether a record has the column, or on the way to it a null or an empty list. For records in which {@link find} looked. */
  isIn<V>(reader: Reader<V>, record: V): boolean {
    const leads = (value: V, depth: number): boolean => {
      const step = this.steps[depth];
      if (step === undefined || reader.is(value) === "null") {
        return true;
      }
      const inside = step.kind === "field" ? [reader.field(value, step.name)] : Array.from(reader.inside(value), ([, one]) => one);
      return inside.length === 0 || inside.some((one) => one !== undefined && leads(one, depth + 1));
    };
    return reader.field(record, this.name) !== undefined || leads(record, 0);
  }

  /** The tweak's value beside one that was found. */
  tweakOf<V>(reader: Reader<V>, record: V, { chain }: Found<V>): V | undefined {
    const { name, common, names } = this.#tweak!, whole = reader.field(record, name);
    return whole ?? names.reduce<V | undefined>(
      (value, one) => (value === undefined || reader.is(value) !== "object" ? undefined : reader.field(value, one)),
      common === 0 ? record : chain[common - 1],
    );
  }
}

function same(a: Step, b: Step): boolean {
  return a.kind === b.kind && (a.kind !== "field" || a.name === (b as typeof a).name);
}

/** The columns that a policy names, as a tree. */
export class Named {
  readonly #names: ReadonlySet<string>;
  readonly #root = new Node();

  constructor(machine: Machine, names: readonly string[]) {
    this.#names = new Set(names);
    for (const name of names) {
      let node = this.#root;
      for (const step of stepsOf(machine, name)) {
        node = node.open(step);
      }
      node.isNamed = true;
    }
  }

  /** The first of some columns that is not named; undefined: all are. */
  missing(names: readonly string[]): string | undefined {
    return names.filter((name) => !this.#names.has(name)).sort()[0];
  }

  /** The path of a column of a record that is not named; undefined: there is none. */
  unnamed<V>(reader: Reader<V>, record: V): string | undefined {
    const found = Array.from(reader.inside(record), ([name, value]) => {
      const alone = pathOf(name as string);
      const path = this.#names.has(name as string) ? undefined : this.#within(reader, value, this.#root.below(name), alone);
      return path === alone ? (name as string) : path; // a name alone is written as it is
    });
    return found.filter((path) => path !== undefined).sort()[0];
  }

  #within<V>(reader: Reader<V>, value: V, node: Node | undefined, path: string): string | undefined {
    if (node === undefined) {
      return path;
    }
    const kind = reader.is(value);
    if (node.isNamed || kind === "null") {
      return undefined;
    }
    const all = kind === "array" ? node.items : kind === "object" ? node.values : undefined;
    if (kind === "other" || (kind === "array" && all === undefined)) {
      return path;
    }
    for (const [name, inner] of reader.inside(value)) {
      const own = all === undefined ? `${path}.${pathOf(name as string)}` : path + (kind === "array" ? "[]" : "{}");
      const found = this.#within(reader, inner, all ?? node.below(name), own);
      if (found !== undefined) {
        return found;
      }
    }
    return undefined;
  }
}

class Node {
  isNamed = false;
  items: Node | undefined;
  values: Node | undefined;
  readonly #fields = new Map<string | number, Node>();

  below(name: string | number): Node | undefined {
    return this.#fields.get(name);
  }

  open(step: Step): Node {
    if (step.kind !== "field") {
      return (this[step.kind] ??= new Node());
    }
    const node = this.#fields.get(step.name) ?? new Node();
    this.#fields.set(step.name, node);
    return node;
  }
}

/** A name as it stands in a path. */
function pathOf(name: string): string {
  return name !== "" && !/[.[\]{}"]/.test(name) ? name : `"${name.replace(/[\\"]/g, "\\$&")}"`;
}
