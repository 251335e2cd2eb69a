// SPDX-License-Identifier: Apache-2.0

/** A part of a text, in UTF-16 units as JavaScript counts them, whose value is of a kind. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/**
 * Returns spans in order, none over another, as Python's and Go's do: those that overlap become one, from the
 * first start to the last end, of the kind of the longest.
 */
export function join(spans: readonly Span[], length: number): Span[] {
  const sorted = [...spans].sort((a, b) => a.start - b.start || b.end - a.end), made: Span[] = [];
  let longest = 0;
  for (const { start, end, kind } of sorted) {
    if (!(Number.isSafeInteger(start) && Number.isSafeInteger(end) && 0 <= start && start <= end && end <= length)) {
      throw new RangeError("a span is not within the text");
    }
    const width = end - start, last = made.at(-1);
    if (width === 0) {
      continue;
    }
    if (last !== undefined && start < last.end) {
      made[made.length - 1] = { start: last.start, end: Math.max(last.end, end), kind: width > longest ? kind : last.kind };
      longest = Math.max(longest, width);
    } else {
      made.push({ start, end, kind });
      longest = width;
    }
  }
  return made;
}

/** Returns spans without the parts that are taken. Both are in order, none over another. */
export function apart(spans: readonly Span[], taken: readonly { start: number; end: number }[]): Span[] {
  const made: Span[] = [];
  let at = 0;
  for (const { start, end, kind } of spans) {
    let from = start;
    while (at < taken.length && taken[at]!.end <= start) {
      at++;
    }
    for (let i = at; i < taken.length && taken[i]!.start < end; i++) {
      const one = taken[i]!;
      if (one.end > from) {
        if (from < one.start) {
          made.push({ start: from, end: one.start, kind });
        }
        from = one.end;
      }
    }
    if (from < end) {
      made.push({ start: from, end, kind });
    }
  }
  return made;
}
