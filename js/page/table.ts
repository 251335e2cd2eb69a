// SPDX-License-Identifier: Apache-2.0

/** A table of text: names of columns, and rows with a field for each. */
export interface Table {
  delimiter: string;
  names: string[];
  rows: string[][];
  /** Why a run refuses the text, if it does. */
  fault?: Fault | undefined;
}

/** The first record that a run refuses: row 0 is the header. */
export interface Fault {
  row: number;
  why: string;
}

const DELIMITERS = [",", ";", "\t", "|"] as const;

/** The first rows of CSV (RFC 4180), for a look at them. The delimiter is the one that the first line has most. */
export function readTable(text: string, most: number): Table {
  const head = text.replace(/^\ufeff/, ""), line = head.split(/[\r\n]/, 1)[0]!;
  const count = (delimiter: string): number => line.split(delimiter).length;
  const delimiter = DELIMITERS.reduce((best, one) => (count(one) > count(best) ? one : best));
  const { rows, fault } = records(head, delimiter, most + 1), names = rows.shift() ?? [];
  return { delimiter, names, fault, rows: rows.map((row) => names.map((_, i) => row[i] ?? "")) };
}

function records(text: string, delimiter: string, most: number): { rows: string[][]; fault: Fault | undefined } {
  const rows: string[][] = [], plain = new RegExp(`[^${delimiter}\\r\\n]*`, "y");
  const rest = (): string => {
    plain.lastIndex = at;
    const [found] = plain.exec(text)!;
    at += found.length;
    return found;
  };
  let at = 0, fault: Fault | undefined;
  while (at < text.length && rows.length < most) {
    const width = rows[0]?.length;
    if (width !== 1 && /[\r\n]/.test(text[at]!)) {
      at++; // an empty line; a table of one column has an empty value there
      continue;
    }
    const row: string[] = [];
    let why = "";
    do {
      at += row.length > 0 ? 1 : 0;
      if (text[at] !== '"') {
        row.push(rest());
        continue;
      }
      const end = closing(text, at + 1), field = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
      const after = end < text.length ? rest() : "";
      why ||= end === text.length ? "has a quote that is never closed" : after !== "" ? "has text after a closing quote" : "";
      row.push(field + after);
    } while (text[at] === delimiter);
    if (width !== undefined && width !== row.length) {
      why ||= `has ${row.length} field${row.length === 1 ? "" : "s"}, not ${width}`;
    }
    fault ??= why === "" ? undefined : { row: rows.length, why };
    rows.push(row);
    at += text.startsWith("\r\n", at) ? 2 : 1;
  }
  return { rows, fault };
}

/** Where a quoted field ends. */
function closing(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '"') {
      if (text[at + 1] !== '"') {
        return at;
      }
      at++;
    }
  }
  return text.length;
}

/** What was chosen for a column. */
export interface Choice {
  column: string;
  /** A format's name; empty: nothing was chosen; `keep`: it stays in clear. */
  format: string;
  /** Options as TOML: `keep_last = 4`. */
  options: string;
  namespace: string;
  /** The column with the rows' tweaks; empty: none. */
  tweak: string;
}

/** Text as TOML writes it: a basic string of TOML takes all that JSON writes. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

/** A rule as a line of the policy's table `columns`. */
export function ruleLine(choice: Choice, isKeyed: boolean): string {
  const { column, format, options, namespace, tweak } = choice;
  const name = /^[A-Za-z0-9_-]+$/.test(column) ? column : quoted(column);
  const parts = [
    options.trim() === "" ? `format = ${quoted(format)}` : `format = { type = ${quoted(format)}, ${options.trim()} }`,
    ...(isKeyed ? ['key = "people:1"', `namespace = ${quoted(namespace)}`] : []),
    ...(tweak === "" ? [] : [`tweak = ${quoted(tweak)}`]),
  ];
  return `${name} = { ${parts.join(", ")} }`;
}

/** The policy of some choices; a comment names the columns of `faulty` ones. `isKeyed` says whether a column's format has a key. */
export function policyText(delimiter: string, choices: readonly Choice[], isKeyed: (choice: Choice) => boolean, faulty: readonly Choice[] = []): string {
  const kept = choices.filter(({ format }) => format === "keep").map(({ column }) => quoted(column));
  const rules = choices.filter(({ format }) => format !== "keep" && format !== "");
  return [
    'unlisted = "error" # a column that the policy does not name stops the run',
    ...(kept.length > 0 ? [`keep = [${kept.join(", ")}]`] : []),
    ...(delimiter === "," ? [] : ["", "[csv]", `delimiter = ${quoted(delimiter)}`]),
    "", "[columns]",
    ...faulty.map(({ column }) => `# ${quoted(column)} is not protected: correct its mistake`),
    ...rules.map((choice) => ruleLine(choice, isKeyed(choice))), "",
  ].join("\n");
}
