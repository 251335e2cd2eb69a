// SPDX-License-Identifier: Apache-2.0
import { load, type Rule, type Share, ShareError, type Tallystick, TallystickError } from "tallystick";
import { PrintedError, readPrinted, splitPrinted } from "./printed.js";
import { type Choice, policyText, readTable, type Table } from "./table.js";

const SAMPLE = `id,name,ssn,email,birth,card
1,Jane Doe,078-05-1120,jane.doe@example.org,1970-01-31,4111 1111 1111 1111
2,Tip O'Neill,219-09-9999,o.neil@example.com,1985-11-02,5555-5555-5555-4444
3,Ana Lima,457-55-5462,ana@example.org,2001-05-17,3782 822463 10005
`;
/** Rows that are protected, and those of them that are shown. */
const ROWS = 1000, SHOWN = 20;
/** Bytes that are read of a file. */
const MOST = 1 << 20;
/** Domains below this can be listed in no time. */
const SMALL = 1_000_000n;
/** What a column is taken for if all of its values are valid. Formats that nearly all text matches are left out. */
const GUESSES = ["uuid", "iban", "ssn", "card", "date", "timestamp", "ipv4", "ipv6", "email", "phone"];
/** Options that a format can't do without. */
const NEEDED: Readonly<Record<string, string>> = {
  alphabet: 'alphabet = "0123456789ABCDEF"', decimal: 'min = "0", max = "1000000", scale = 2',
  integer: "min = 0, max = 999999999", national_id: 'kind = "br.cpf"', pattern: 'pattern = "AA-999-A"',
  card: 'keep_last = 4, luhn = "invalid"', bucket: "width = 10", truncate: "characters = 3",
};

function find<E extends HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}

function made<K extends keyof HTMLElementTagNameMap>(name: K, text = "", className = ""): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  element.textContent = text;
  element.className = className;
  return element;
}

function texts(id: string): string[] {
  return [...find(id).children].map(({ textContent }) => textContent);
}

/** Why a run refuses a table, as a sentence, or nothing. */
function refusal({ fault }: Table): string {
  return fault === undefined ? "" : `A run refuses this table: ${fault.row === 0 ? "the header" : `row ${fault.row}`} ${fault.why}. Correct it.`;
}

function words(error: unknown): string {
  if (error instanceof TallystickError || error instanceof TypeError || error instanceof PrintedError) {
    return error.message;
  }
  throw error;
}

/** A column with its choice; `rule` is what the core makes of it, `fault` why it makes nothing. */
interface Column {
  choice: Choice;
  rule?: Rule | undefined;
  fault: string;
  example: HTMLElement;
  inputs: Partial<Record<Field, HTMLElement>>;
}

/** What may be mistaken in a choice. */
type Field = "options" | "namespace" | "tweak";

class Page {
  readonly #ts: Tallystick;
  #key = crypto.getRandomValues(new Uint8Array(32));
  #table: Table = { delimiter: ",", names: [], rows: [] };
  #columns: Column[] = [];
  #shares: { name: string; bytes: Uint8Array | string }[] = [];

  constructor(ts: Tallystick) {
    this.#ts = ts;
    const csv = find<HTMLTextAreaElement>("csv"), pasted = find<HTMLTextAreaElement>("share-text");
    csv.addEventListener("input", () => this.#read(csv.value));
    drops("file", ([file]) => void file?.slice(0, MOST).text().then((text) => {
      csv.value = file.size > MOST ? text.slice(0, text.lastIndexOf("\n") + 1) : text; // the last row is cut
      this.#read(csv.value);
    }));
    find("key").addEventListener("click", () => {
      crypto.getRandomValues(this.#key);
      this.#show();
    });
    find("copy").addEventListener("click", () => this.#copy());
    drops("share-files", (files) => void Promise.all(files.map(async (file) => ({
      name: file.name, bytes: new Uint8Array(await file.arrayBuffer()),
    }))).then((shares) => {
      this.#shares.push(...shares);
      this.#showShares();
    }));
    pasted.addEventListener("input", () => this.#showShares());
    find("forget").addEventListener("click", () => {
      this.#shares.forEach(({ bytes }) => typeof bytes !== "string" && bytes.fill(0));
      this.#shares = [];
      pasted.value = "";
      find<HTMLInputElement>("share-files").value = "";
      this.#showShares();
    });
    csv.value = SAMPLE;
    this.#read(SAMPLE);
  }

  #read(text: string): void {
    const before = this.#table.names, table = readTable(text, ROWS);
    this.#table = table;
    if (JSON.stringify(before) !== JSON.stringify(table.names)) {
      this.#columns = table.names.map((column, index) => this.#column(column, index));
      find("columns").querySelector("tbody")!.replaceChildren(...this.#columns.map((column) => this.#row(column)));
    }
    const fault = refusal(table), twice = table.names.find((name, i) => table.names.indexOf(name) !== i);
    find("table-note").className = fault === "" ? "" : "bad";
    find("table-note").textContent = fault !== "" ? fault : twice !== undefined ? `Two columns are named ${twice}: rename one.`
      : `${table.names.length} columns and ${table.rows.length === ROWS ? `the first ${ROWS}` : table.rows.length} rows.`;
    this.#show();
  }

  #column(column: string, index: number): Column {
    const values = this.#table.rows.slice(0, 50).map((row) => row[index]!).filter((value) => value !== "");
    const format = values.length === 0 ? "" : GUESSES.find((name) => this.#matches(name, values)) ?? "";
    const choice = { column, format, options: NEEDED[format] ?? "", namespace: column, tweak: "" };
    const example = made("td");
    example.id = `example-${index}`;
    return { choice, fault: "", example, inputs: {} };
  }

  #matches(name: string, values: readonly string[]): boolean {
    const tokenizer = this.#ts.tokenizer({ type: name } as { type: "digits" }, this.#key, { namespace: name });
    try {
      tokenizer.protect(values);
      return true;
    } catch {
      return false;
    } finally {
      tokenizer.close();
    }
  }

  #row(column: Column): HTMLTableRowElement {
    const { choice } = column, row = made("tr"), head = made("th", choice.column);
    head.scope = "row";
    const formats = made("select"), tweaks = made("select");
    formats.append(
      new Option("choose …", ""), new Option("keep in clear", "keep"), ...this.#ts.formatNames.map((name) => new Option(name, name)),
    );
    formats.value = choice.format;
    tweaks.append(new Option("none", ""), ...this.#table.names.filter((name) => name !== choice.column).map((name) => new Option(name, name)));
    const options = field(choice.options), namespace = field(choice.namespace);
    const cells = [[formats, "Format"], [options, "Options"], [namespace, "Namespace"], [tweaks, "Tweak column"]] as const;
    const [format, ...others] = cells.map(([input, label]) => {
      const cell = made("td");
      input.setAttribute("aria-label", `${label} of column ${choice.column}`);
      cell.append(input);
      return cell;
    });
    column.inputs = { options, namespace, tweak: tweaks };
    row.append(head, format!, column.example, ...others); // a telephone shows the first three
    formats.addEventListener("change", () => {
      choice.format = formats.value;
      choice.options = options.value = NEEDED[formats.value] ?? "";
      this.#show();
    });
    for (const [input, name] of [[options, "options"], [namespace, "namespace"], [tweaks, "tweak"]] as const) {
      input.addEventListener("input", () => {
        choice[name] = input.value;
        this.#show();
      });
    }
    return row;
  }

  /** The rule of a choice, with a key or without, as its format needs. */
  #rule(choice: Choice): Rule {
    const read = (isKeyed: boolean): Rule =>
      this.#ts.policy(policyText(",", [choice], () => isKeyed)).rules[0]!;
    try {
      return read(true);
    } catch (error) {
      try {
        return read(false);
      } catch {
        throw error;
      }
    }
  }

  #show(): void {
    const { names, rows } = this.#table, warnings: string[] = [];
    for (const column of this.#columns) {
      column.rule = undefined;
      column.fault = "";
      if (column.choice.format === "") {
        warnings.push(`${column.choice.column}: choose a format, or keep it in clear. Until then the policy stops every run.`);
      } else if (column.choice.format === "keep") {
        warnings.push(`${column.choice.column} stays in clear.`);
      } else {
        try {
          column.rule = this.#rule(column.choice);
        } catch (error) {
          column.fault = words(error);
        }
      }
    }
    const cells = this.#columns.map((column, index) => this.#protect(column, index, warnings));
    find("preview").querySelector("thead")!.replaceChildren(headRow(names));
    find("preview").querySelector("tbody")!.replaceChildren(...rows.slice(0, SHOWN).map((row, i) => {
      const line = made("tr");
      line.append(...names.map((_, index) => {
        const cell = made("td"), token = cells[index]![i]!;
        cell.append(made("div", row[index]!, "value"), made("div", token.text, token.kind));
        return cell;
      }));
      return line;
    }));
    const faulty = this.#columns.filter(({ fault }) => fault !== "");
    this.#columns.forEach((column) => this.#markFault(column));
    warnings.unshift(...faulty.map(({ choice, fault }) =>
      `${choice.column}: ${fault}${fault.endsWith("?") ? "" : "."} Until you correct it, this column is not protected, and the policy stops every run.`));
    if (warnings.join("\n") !== texts("warnings").join("\n")) { // else a screen reader says all again
      find("warnings").replaceChildren(...warnings.map((text) => made("li", text)));
    }
    const open = faulty.length === 0 ? "" : `Not protected until you correct its mistake: ${faulty.map(({ choice }) => choice.column).join(", ")}.`;
    for (const id of ["preview-note", "policy-note"]) {
      find(id).textContent = [refusal(this.#table), open].filter((one) => one !== "").join(" ");
    }
    this.#showPolicy();
  }

  /** Ties a mistake to the field that has it. */
  #markFault({ choice, fault, example, inputs }: Column): void {
    const good = { namespace: "n", tweak: "", options: NEEDED[choice.format] ?? "" };
    const names = Object.keys(good) as Field[];
    const wrong = fault === "" ? undefined : names.find((name) => this.#isRule({ ...choice, [name]: good[name] })) ?? "options";
    for (const name of names) {
      inputs[name]!.removeAttribute("aria-invalid");
      inputs[name]!.removeAttribute("aria-describedby");
    }
    if (wrong !== undefined) {
      inputs[wrong]!.setAttribute("aria-invalid", "true");
      inputs[wrong]!.setAttribute("aria-describedby", example.id);
    }
  }

  #isRule(choice: Choice): boolean {
    try {
      this.#rule(choice);
      return true;
    } catch {
      return false;
    }
  }

  /** Tokens of a column's rows. */
  #protect(column: Column, index: number, warnings: string[]): { text: string; kind: string }[] {
    const { rows, names } = this.#table, { rule, choice } = column, shown = rows.slice(0, SHOWN);
    column.example.replaceChildren();
    if (rule === undefined) {
      column.example.append(...(column.fault === "" ? [] : [made("span", column.fault, "bad")]));
      return shown.map(() => ({ text: choice.format === "keep" ? "in clear" : "", kind: "clear" }));
    }
    const { format } = rule, tweakAt = names.indexOf(choice.tweak);
    let tokenizer;
    try {
      tokenizer = this.#tokenizer(rule);
    } catch (error) {
      column.fault = words(error);
      column.example.append(made("span", column.fault, "bad"));
      return shown.map(() => ({ text: "", kind: "clear" }));
    }
    let invalid = 0, smallest = format.smallestDomain;
    const results = rows.map((row) => {
      const value = row[index]!;
      if (value === "") {
        return { text: "", kind: "token" };
      }
      try {
        const domain = format.domainOf(value);
        smallest = domain !== undefined && (smallest === undefined || domain < smallest) ? domain : smallest;
        return { text: tokenizer.protect(value, tweakAt < 0 ? undefined : row[tweakAt]), kind: "token" };
      } catch (error) {
        invalid++;
        return { text: words(error), kind: "bad" };
      }
    });
    const example = results.find(({ kind, text }) => kind === "token" && text !== "")?.text;
    column.example.append(...(example === undefined ? format.examples.slice(0, 1).map((one) => made("code", `valid: ${one}`)) : [made("code", example, "token")]));
    tokenizer.close();
    if (invalid > 0) {
      warnings.push(`${choice.column}: ${invalid} of ${rows.length} values are invalid. A run stops at the first.`);
    }
    if (format.isOneWay) {
      warnings.push(`${choice.column}: tokens of ${format.name} can't be revealed.`);
    } else if (smallest !== undefined && smallest < SMALL) {
      warnings.push(`${choice.column}: small domain. Some of these values are one of ${smallest}; anyone who can protect values can list all tokens.`);
    }
    return results.slice(0, SHOWN);
  }

  #tokenizer(rule: Rule): ReturnType<Tallystick["tokenizer"]> {
    const { format, namespace } = rule;
    const key = this.#key.subarray(0, format.keySize ?? this.#key.length);
    return format.isKeyed ? this.#ts.tokenizer(format, key, { namespace }) : this.#ts.tokenizer(format, undefined);
  }

  #showPolicy(): void {
    const of = (isFaulty: boolean): Choice[] =>
      this.#columns.filter(({ fault }) => (fault !== "") === isFaulty).map(({ choice }) => choice);
    const keyed = new Map(this.#columns.map(({ choice, rule }) => [choice, rule?.format.isKeyed ?? true]));
    find<HTMLTextAreaElement>("policy").value = policyText(this.#table.delimiter, of(false), (choice) => keyed.get(choice)!, of(true));
    find("copied").textContent = "";
  }

  #copy(): void {
    const policy = find<HTMLTextAreaElement>("policy"), said = find("copied");
    policy.select();
    navigator.clipboard.writeText(policy.value).then(
      () => (said.textContent = "Copied."),
      () => (said.textContent = "It is selected: press Ctrl+C."),
    );
  }

  #showShares(): void {
    const pasted = splitPrinted(find<HTMLTextAreaElement>("share-text").value).map((text, i) => ({ name: `pasted ${i + 1}`, bytes: text }));
    const all = [...this.#shares, ...pasted], table = find<HTMLTableElement>("shares"), note = find("share-note");
    table.hidden = all.length === 0;
    const read = all.map(({ name, bytes }) => {
      try {
        const isText = typeof bytes === "string" || isPrintable(bytes);
        const own = isText ? readPrinted(typeof bytes === "string" ? bytes : new TextDecoder().decode(bytes)) : bytes;
        return { name, bytes: own, share: this.#ts.verify(own) };
      } catch (error) {
        return { name, bytes: undefined, fault: words(error) };
      }
    });
    const good = read.filter(({ share }) => share?.verdict === "good");
    let verdicts: readonly string[] = [];
    note.textContent = all.length === 0 ? "" : "No share is good.";
    if (good.length > 0) {
      try {
        const { secret, verdicts: found, share } = this.#ts.combine(good.map(({ bytes }) => bytes!));
        secret.fill(0);
        verdicts = found;
        note.textContent = `These shares recover the secret: ${count(found)} good, and ${share.threshold} are needed.`;
      } catch (error) {
        if (!(error instanceof ShareError)) {
          throw error;
        }
        verdicts = error.verdicts;
        note.textContent = error.message;
      }
    }
    table.querySelector("tbody")!.replaceChildren(...read.map(({ name, share, fault }) => {
      const verdict = share === undefined ? `malformed: ${fault}` : share.verdict === "good" ? verdicts[good.findIndex((one) => one.share === share)] ?? "good" : share.verdict;
      return shareRow(name, verdict, share);
    }));
  }
}

function count(verdicts: readonly string[]): number {
  return verdicts.filter((verdict) => verdict === "good").length;
}

function shareRow(name: string, verdict: string, share: Share | undefined): HTMLTableRowElement {
  const isKnown = share !== undefined && share.verdict === "good", row = made("tr"), head = made("th", name);
  head.scope = "row";
  const set = isKnown ? [...share.set.slice(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join("") : "";
  const texts = isKnown ? [`${share.index} of ${share.count}`, String(share.threshold), set, share.label] : ["", "", "", ""];
  row.append(head, made("td", verdict, verdict === "good" ? "" : "bad"), ...texts.map((text) => made("td", text)));
  return row;
}

function isPrintable(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte >= 32 || byte === 9 || byte === 10 || byte === 13);
}

function headRow(names: readonly string[]): HTMLTableRowElement {
  const row = made("tr");
  row.append(...names.map((name) => {
    const cell = made("th", name);
    cell.scope = "col";
    return cell;
  }));
  return row;
}

function field(value: string): HTMLInputElement {
  const input = made("input");
  input.type = "text";
  input.value = value;
  input.spellcheck = false;
  return input;
}

/** Takes files from an input, and dropped on its label. */
function drops(id: string, take: (files: File[]) => void): void {
  const input = find<HTMLInputElement>(id), label = input.closest("label")!;
  input.addEventListener("change", () => take([...(input.files ?? [])]));
  for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
    label.addEventListener(name, (event) => {
      event.preventDefault();
      label.classList.toggle("over", name === "dragenter" || name === "dragover");
    });
  }
  label.addEventListener("drop", (event) => take([...(event.dataTransfer?.files ?? [])]));
}

function theme(): void {
  const { dataset } = document.documentElement, button = find("theme");
  const set = (name: "light" | "dark"): void => {
    dataset["theme"] = name;
    button.textContent = name === "light" ? "Dark" : "Light";
    button.setAttribute("aria-label", name === "light" ? "Use dark colors" : "Use light colors");
  };
  set(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  button.addEventListener("click", () => set(dataset["theme"] === "light" ? "dark" : "light"));
}

theme();
void load().then((ts) => new Page(ts), (error: Error) => {
  document.querySelectorAll("section").forEach((section) => (section.hidden = true));
  find("failed").textContent = `This page needs WebAssembly, and it does not start: ${error.message}. Use another browser, or ` +
    "let it run WebAssembly: a Content Security Policy allows it with 'wasm-unsafe-eval'.";
});
