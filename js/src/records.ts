// SPDX-License-Identifier: Apache-2.0
import { TallystickError } from "./errors.js";
import type { Reader } from "./paths.js";
import type { Rule } from "./policy.js";

/** A value, by the object or list that it is in. */
export class Place {
  constructor(readonly container: object, readonly key: PropertyKey) {}

  get value(): unknown {
    return (this.container as Record<PropertyKey, unknown>)[this.key];
  }

  set(value: unknown): void {
    (this.container as Record<PropertyKey, unknown>)[this.key] = value;
  }
}

/** Reads records that may be changed: `own` are copies, and so is what it looks into. */
export class PlaceReader implements Reader<Place> {
  readonly #own: WeakSet<object>;

  constructor(own: readonly object[]) {
    this.#own = new WeakSet(own);
  }

  is({ value }: Place): "null" | "object" | "array" | "other" {
    return value === null || value === undefined ? "null" : Array.isArray(value) ? "array" : isPlain(value) ? "object" : "other";
  }

  #open(place: Place): Record<string | number, unknown> {
    let value = place.value as Record<string | number, unknown>;
    if (!this.#own.has(value)) {
      value = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as typeof value;
      this.#own.add(value);
      place.set(value);
    }
    return value;
  }

  inside(place: Place): Iterable<readonly [string | number, Place]> {
    const value = this.#open(place), keys = Array.isArray(value) ? Object.keys(value) : Reflect.ownKeys(value); // symbols too
    return keys.map((key) => [String(key), new Place(value, key)] as const);
  }

  field(place: Place, name: string): Place | undefined {
    const value = this.#open(place);
    return Object.hasOwn(value, name) ? new Place(value, name) : undefined;
  }
}

/** Whether a value is an object whose fields are all its own: no list, Map or instance of a class. */
function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  const above: unknown = Object.getPrototypeOf(value);
  return above === null || Object.getPrototypeOf(above) === null; // the prototype of objects, of another realm too
}

/** A copy of a record. */
export function copied<R extends object>(record: R, row: number): R {
  if (!isPlain(record)) {
    throw new TypeError(`record ${row}: is not a plain object; pass an object that has the fields of the record as its own`);
  }
  return { ...record };
}

/** A field as text. */
export function fieldText({ value }: Place, row: number, field: string): string | null {
  if (typeof value === "string" || value === null || value === undefined) {
    return value ?? null;
  }
  if (typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value))) {
    return String(value);
  }
  throw new TallystickError(
    "type", `record ${row}, field ${JSON.stringify(field)}: is neither text, nor a finite number, nor null`,
  );
}

/** A token in place of a field: an integer's token is an integer. */
export function like(field: unknown, value: string | null, text: string | null, rule: Rule, row: number): unknown {
  if (text === null || typeof field === "string" || field === null || field === undefined) {
    return text;
  }
  if (text === value) {
    return field;
  }
  const where = `record ${row}, field ${JSON.stringify(rule.column)}`;
  if (rule.format.name !== "integer") {
    throw new TallystickError("type", `${where}: is a number, but its format is for text; send it as text`);
  }
  if (typeof field === "number" && !Number.isSafeInteger(Number(text))) {
    throw new TallystickError("type", `${where}: the format's range exceeds a number; send it as text or bigint`);
  }
  return typeof field === "bigint" ? BigInt(text) : Number(text);
}
