import type { Json, JsonObject } from "../../../src/base/json.js";

/**
 * What keyed slots and unions mean, told as plainly as possible: a list of calls in the order of their commits is applied one by
 * one to lists of entries, from the beginning, for each question. What is not known yet is answered for several outputs that
 * may come; answers that differ are awaited. Nothing of the guard is used.
 */

type Key = string | number | boolean;

/** How a call ended; before its output is known, nothing is. */
export type Result =
  | { readonly kind: "output"; readonly output: Json }
  | { readonly kind: "none" | "rejected" | "open" };

/** A call that happened. */
export interface Commit {
  readonly tool: string;
  readonly args: JsonObject;
  readonly result: Result;
}

/** One slot: with a key for each value, or a union, where the key is the value's own text. */
class Slot {
  entries: { readonly key: string; readonly value: Json }[] = [];
  isUnknown = false;
  hasForgotten = false;
  /** In the order in which the values of a union came first. */
  arrived: string[] = [];

  constructor(private readonly limit: number) {}

  set(key: Json, value: Json): void {
    const text = JSON.stringify(key);
    this.unset(key, false);
    this.entries.push({ key: text, value });
    if (!this.arrived.includes(text)) this.arrived.push(text);
    if (this.entries.length > this.limit) {
      const [oldest] = this.entries.splice(0, 1);
      this.arrived = this.arrived.filter((each) => each !== oldest?.key);
      this.hasForgotten = true;
    }
  }

  unset(key: Json, isGone = true): void {
    const text = JSON.stringify(key);
    this.entries = this.entries.filter((entry) => entry.key !== text);
    if (isGone) this.arrived = this.arrived.filter((each) => each !== text);
  }

  lose(): void {
    this.entries = [];
    this.arrived = [];
    this.isUnknown = true;
  }

  wipe(): void {
    this.entries = [];
    this.arrived = [];
    this.isUnknown = false;
    this.hasForgotten = false;
  }

  at(key: Json): unknown {
    const found = this.entries.find((entry) => entry.key === JSON.stringify(key));
    if (found !== undefined) return found.value;
    if (this.isUnknown) return "lost";
    return this.hasForgotten ? "forgotten" : "unset";
  }

  has(value: Json): unknown {
    const found = this.at(value);
    return found === "unset" ? false : found === "lost" || found === "forgotten" ? found : true;
  }

  all(values: readonly unknown[]): unknown {
    if (this.isUnknown) return "lost";
    return this.hasForgotten ? { incomplete: values } : values;
  }
}

export class NaiveSlots {
  readonly stock: Slot;
  readonly seen: Slot;

  constructor(limit: number, commits: readonly Commit[]) {
    this.stock = new Slot(limit);
    this.seen = new Slot(limit);
    for (const commit of commits) this.apply(commit);
  }

  entries(): unknown {
    return this.stock.all(this.stock.entries.map(({ key, value }) => [JSON.parse(key), value]));
  }

  values(): unknown {
    return this.seen.all(this.seen.arrived.map((text) => JSON.parse(text)));
  }

  private apply({ tool, args, result }: Commit): void {
    const { stock, seen } = this;
    const output = result.kind === "output" ? result.output : undefined;
    const isRejected = result.kind === "rejected";
    switch (tool) {
      case "put":
        if (!isRejected) stock.set(args.id ?? null, args.n ?? null);
        break;
      case "fire":
        stock.set(args.id ?? null, args.n ?? null);
        break;
      case "ask":
      case "ask_at_once":
        if (member(output, "n") === undefined) stock.unset(args.id ?? null);
        else stock.set(args.id ?? null, member(output, "n") ?? null);
        break;
      case "find":
      case "find_at_once":
        this.find(output);
        break;
      case "list":
        this.list(output);
        break;
      case "drop":
        stock.unset(args.id ?? null);
        break;
      case "merge":
        if (isKey(member(output, "gone"))) stock.unset(member(output, "gone") ?? null);
        else stock.lose();
        break;
      case "swap":
        stock.unset(args.old ?? null);
        if (!isRejected) stock.set(args.id ?? null, args.n ?? null);
        if (!isRejected) seen.set(args.id ?? null, args.id ?? null);
        break;
      case "wipe":
        stock.wipe();
        break;
      case "see":
        if (!isRejected && Array.isArray(args.ids)) for (const id of args.ids) seen.set(id, id);
        break;
      case "learn": {
        const ids = member(output, "ids");
        if (output === undefined) seen.lose();
        else if (Array.isArray(ids)) for (const id of ids) seen.set(id, id);
        break;
      }
      case "unsee":
        seen.wipe();
        break;
      default:
        throw new Error(`no tool ${tool}`);
    }
  }

  private find(output: Json | undefined): void {
    const key = member(output, "id");
    const value = member(output, "n");
    if (!isKey(key)) this.stock.lose();
    else if (value === undefined) this.stock.unset(key ?? null);
    else this.stock.set(key ?? null, value);
  }

  private list(output: Json | undefined): void {
    const found = member(output, "found");
    const items = Array.isArray(found) ? found : [];
    if (output === undefined || items.some((item) => !isKey(member(item, "id")))) {
      this.stock.lose();
      return;
    }
    for (const item of items) this.stock.set(member(item, "id") ?? null, item);
  }
}

function member(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

function isKey(value: Json | undefined): value is Key {
  return ["string", "number", "boolean"].includes(typeof value);
}

const KEYS: readonly Key[] = ["a", "b", 1, "1", true, "zz"];

/** Outputs that a call may still have: enough of them that what depends on them differs. */
const OUTPUTS: ReadonlyMap<string, readonly Json[]> = new Map<string, readonly Json[]>([
  ["ask", [{ n: 901 }, { n: 902 }]],
  ["ask_at_once", [{ n: 901 }, { n: 902 }]],
  ["find", KEYS.map((id) => ({ id, n: 903 }))],
  ["find_at_once", KEYS.map((id) => ({ id, n: 903 }))],
  ["list", [{ found: [] }, { found: KEYS.map((id) => ({ id })) }]],
  ["merge", KEYS.map((gone) => ({ gone }))],
  ["learn", [{}, ...KEYS.map((id) => ({ ids: [id] }))]],
]);

/** Everything that a call whose end is not known may turn out to be. */
function resultsOf({ tool, result }: Commit): readonly Result[] {
  if (result.kind !== "open") return [result];
  const outputs = OUTPUTS.get(tool);
  if (outputs === undefined) return [{ kind: "none" }];
  return [{ kind: "none" }, ...outputs.map((output): Result => ({ kind: "output", output }))];
}

function* hypotheses(commits: readonly Commit[]): Generator<readonly Commit[]> {
  const at = commits.findIndex(({ result }) => result.kind === "open");
  const open = commits[at];
  if (open === undefined) yield commits;
  else {
    for (const result of resultsOf(open)) yield* hypotheses(commits.with(at, { ...open, result }));
  }
}

/** What some questions are answered after these commits, each "awaited" if that depends on an output. */
export function answersAfter(
  limit: number,
  commits: readonly Commit[],
  ask: (slots: NaiveSlots) => readonly unknown[],
): readonly unknown[] {
  const all = [...hypotheses(commits)].map((known) => ask(new NaiveSlots(limit, known)));
  return (all[0] ?? []).map((first, index) =>
    all.every((answers) => JSON.stringify(answers[index]) === JSON.stringify(first)) ? first : "awaited",
  );
}

/** Tools whose rejected output shows: it unbinds what the arguments say, and binds nothing. */
const SHOWS_REJECTION = new Set(["swap"]);

/** Every way in which open calls may happen: some of them, in some order. */
export function* futures(open: readonly Omit<Commit, "result">[]): Generator<readonly Commit[]> {
  yield [];
  for (const [at, call] of open.entries()) {
    const ends: readonly Result[] = SHOWS_REJECTION.has(call.tool)
      ? [{ kind: "open" }, { kind: "rejected" }]
      : [{ kind: "open" }];
    for (const later of futures(open.toSpliced(at, 1)))
      for (const result of ends) yield [{ ...call, result }, ...later];
  }
}
