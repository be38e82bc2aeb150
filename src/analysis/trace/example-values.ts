import type { ExampleCall, ExampleSession, PackExamples } from "../../artifact/example-call.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import type { Action, Plan } from "./plan.js";

/** A sampled text, or no answer at all, and the text that an example has in its place. */
export interface Replacement {
  readonly from: string | null;
  readonly to: string;
  /** Also where no example has a place for it, so that equal texts stay equal. */
  readonly isGeneral: boolean;
}

/** Longer texts make a session longer, but no easier to read. */
const LONGEST = 200;

/** What stands in the place of a text, for which an example may have another one. */
type Replace = <From extends string | null>(from: From, example: string | undefined) => From | string;

/** A value with its texts replaced; the example is walked along with it, as far as it goes. */
function beside(value: Json, example: Json | undefined, replace: Replace): Json {
  if (typeof value === "string" || value === null)
    return replace(value, typeof example === "string" ? example : undefined);
  if (isJsonList(value)) {
    const items = isJsonList(example) ? example : [];
    return value.map((item, at) => beside(item, items[Math.min(at, items.length - 1)], replace));
  }
  return isJsonObject(value) ? besideObject(value, example, replace) : value;
}

/** Keys that the example does not have stand for those that only it has. */
function besideObject(value: JsonObject, example: Json | undefined, replace: Replace): JsonObject {
  const known = isJsonObject(example) ? example : {};
  const spare = Object.keys(known).filter((key) => !Object.hasOwn(value, key));
  const entries = Object.entries(value).map(([key, item]): [string, Json] => {
    if (Object.hasOwn(known, key)) return [key, beside(item, known[key], replace)];
    const other = spare.shift();
    return [replace(key, other), beside(item, other === undefined ? undefined : known[other], replace)];
  });
  const object = Object.fromEntries(entries);
  return Object.keys(object).length === entries.length ? object : value;
}

/** An action of a plan, with the example of its call. */
interface Paired {
  readonly action: Action;
  readonly example: ExampleCall | undefined;
}

function replacedIn({ action, example }: Paired, replace: Replace): Action {
  if (action.kind !== "call") return action;
  const args = besideObject(action.args, example?.args, replace);
  const { outcome } = action;
  if (outcome.kind !== "result") return { ...action, args };
  return { ...action, args, outcome: { ...outcome, output: beside(outcome.output, example?.output, replace) } };
}

/** The values of one session of examples beside those of a plan. */
export class ExampleValues {
  private readonly paired: readonly Paired[];

  constructor(
    private readonly plan: Plan,
    /** The session whose values are used, and others for the tools that it does not call. */
    sessions: readonly ExampleSession[],
  ) {
    const callsOf = (tool: string) => sessions.map((session) => session.filter((call) => call.tool === tool));
    const known = new Map<string, string[]>();
    this.paired = plan.actions.map((action) => {
      if (action.kind !== "call") return { action, example: undefined };
      // Equal calls have one example, different ones different examples.
      const seen = known.get(action.tool) ?? [];
      known.set(action.tool, seen);
      const key = canonicalJson(action.args);
      if (!seen.includes(key)) seen.push(key);
      const own = callsOf(action.tool).find(({ length }) => length > 0) ?? [];
      const example = own[seen.indexOf(key)];
      const answered = sessions.flat().filter((call) => call.tool === action.tool && call.output !== undefined);
      const args = example === undefined ? null : canonicalJson(example.args);
      const same = answered.find((call) => canonicalJson(call.args) === args) ?? answered[0];
      return { action, example: example && { ...example, output: example.output ?? same?.output } };
    });
  }

  /** Every replacement that the examples suggest. */
  all(): readonly Replacement[] {
    const found = new Map<string, Replacement>();
    const note = <From extends string | null>(from: From, to: string | undefined): From => {
      if (to !== undefined && to.length <= LONGEST && from !== to)
        found.set(JSON.stringify([from, to]), { from, to, isGeneral: false });
      return from;
    };
    for (const pair of this.paired) replacedIn(pair, note);
    return [...found.values()];
  }

  /** The plan with some of them. */
  with(replacements: readonly Replacement[]): Plan {
    const replace = <From extends string | null>(from: From, example: string | undefined): From | string => {
      const own = replacements.filter((each) => each.from === from);
      const found = own.find(({ to }) => to === example) ?? own.find(({ isGeneral }) => isGeneral);
      return found?.to ?? from;
    };
    return { ...this.plan, actions: this.paired.map((pair) => replacedIn(pair, replace)) };
  }
}

/** The sessions of examples, the one that knows most of a plan's tools first. */
export function closestFirst({ actions }: Plan, examples: PackExamples): readonly ExampleSession[] {
  const tools = [...new Set(actions.flatMap((action) => (action.kind === "call" ? [action.tool] : [])))];
  const knownTo = (session: ExampleSession) =>
    tools.filter((tool) => session.some((call) => call.tool === tool)).length;
  return [...examples].sort((a, b) => knownTo(b) - knownTo(a)).filter((session) => knownTo(session) > 0);
}
