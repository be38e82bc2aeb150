import type { Json, JsonObject } from "../../../src/base/json.js";
import type { Random } from "../../differential/generate/random.js";

/** The parts of the language that may refuse a call, or void its result. */
export const PARTS = [
  "gate",
  "risk",
  "policy",
  "labels",
  "phases",
  "forbids",
  "preconditions",
  "limits",
  "loop",
  "cost",
  "input",
  "schema",
  "refs",
  "aggregates",
  "envelopes",
  "checkpoints",
  "output",
  "dispatch",
  "nested",
  "lists",
  "env",
] as const;
export type Part = (typeof PARTS)[number];

/** Parts whose refusals stand before all others, so that they are better rare. */
const EARLY: readonly Part[] = ["gate", "risk", "policy", "labels", "forbids"];

/** Parts that say most together. */
const TOGETHER: readonly (readonly Part[])[] = [
  ["refs", "aggregates"],
  ["refs", "phases"],
  ["refs", "dispatch"],
  ["refs", "preconditions"],
  ["refs", "limits"],
  ["preconditions", "dispatch"],
  ["preconditions", "output"],
  ["preconditions", "forbids"],
  ["preconditions", "phases"],
  ["preconditions", "policy"],
  ["envelopes", "dispatch"],
  ["envelopes", "output"],
  ["envelopes", "phases"],
  ["envelopes", "aggregates"],
  ["aggregates", "limits"],
  ["aggregates", "schema"],
  ["phases", "limits"],
  ["phases", "forbids"],
  ["phases", "output"],
  ["loop", "phases"],
  ["nested", "refs"],
  ["nested", "schema"],
  ["nested", "envelopes"],
  ["lists", "input"],
  ["lists", "aggregates"],
  ["env", "input"],
  ["env", "preconditions"],
];

export type Side = "arguments" | "output";
type Field = "n" | "id" | "ok" | "items";

/** The values worth trying in calls of one tool. */
export interface ToolDomain {
  readonly args: readonly JsonObject[];
  readonly outputs: readonly Json[];
}

function someParts(random: Random): ReadonlySet<Part> {
  const certain = random.chance(0.6) ? random.pick(TOGETHER) : [random.pick(PARTS), random.pick(PARTS)];
  const others = PARTS.filter((part) => random.chance(EARLY.includes(part) ? 0.03 : 0.08));
  return new Set([...certain, ...others]);
}

/** All objects with one of the values in each field. */
function combinations(fields: readonly (readonly [Field, readonly Json[]])[]): readonly JsonObject[] {
  let all: readonly JsonObject[] = [{}];
  for (const [field, values] of fields) {
    all = all.flatMap((object) => values.map((value) => ({ ...object, [field]: value })));
  }
  return all;
}

function without(object: JsonObject, field: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== field));
}

/** A pack while it is made: what its rules are about, and which fields of calls they read. */
export class Draft {
  readonly parts: ReadonlySet<Part>;
  readonly tools: readonly string[];
  readonly phases: readonly string[];
  /** The numbers of the pack; all bounds are among them, and around them. */
  readonly numbers: readonly [number, number, number];
  readonly slots = new Set<string>();
  readonly labels = new Set<string>();
  readonly costs = new Set<number>();
  /** Tools whose outputs no rule reads. */
  readonly unseen = new Set<string>();
  private readonly read = new Map<string, Set<Field>>();
  private readonly odd = new Map<string, JsonObject>();

  constructor(readonly random: Random) {
    this.parts = someParts(random);
    this.tools = ["alpha", "beta", "gamma", "delta"].slice(0, random.pick([2, 3, 3, 4]));
    this.phases = this.parts.has("phases") ? ["open", "ready", "closed"].slice(0, random.pick([2, 3, 3])) : [];
    const unit = random.pick([1, 1, 10, 0.5]);
    this.numbers = [unit, 2 * unit, 3 * unit];
  }

  number(): number {
    return this.random.pick(this.numbers);
  }

  /** The path of a field, which is worth trying from now on. */
  path(tool: string, side: Side, field: Field): string {
    const key = `${tool} ${side}`;
    this.read.set(key, (this.read.get(key) ?? new Set<Field>()).add(field));
    return this.parts.has("nested") ? `$.box.${field}` : `$.${field}`;
  }

  /** The path of the numbers in a list. */
  listPath(tool: string, side: Side): string {
    return `${this.path(tool, side, "items")}[*].n`;
  }

  /** The field of a tool that a rule about numbers may read, now and then one of another type. */
  someField(): "n" | "id" {
    return this.random.chance(0.9) ? "n" : "id";
  }

  /** Something that calls of a tool may hold besides the usual. */
  addOdd(tool: string, part: JsonObject): void {
    this.odd.set(tool, { ...this.odd.get(tool), ...part });
  }

  /** The part where the pack has it, by chance for each place it may stand at. */
  maybe<T extends object>(part: Part, probability: number, make: () => T): T | Record<never, never> {
    return this.parts.has(part) ? this.random.maybe(probability, make) : {};
  }

  /** The values worth trying in calls of a tool; among the texts those that the environment holds. */
  domainOf(tool: string, texts: readonly string[]): ToolDomain {
    const args = this.objects(tool, "arguments", texts);
    const [plain = {}] = args;
    const odd = Object.entries(this.odd.get(tool) ?? {}).map(([name, value]) => ({ ...plain, [name]: value }));
    return {
      args: this.wrapped([...args, ...odd]),
      outputs: this.wrapped(this.objects(tool, "output", texts)),
    };
  }

  /** The objects as the paths find them. */
  private wrapped(objects: readonly JsonObject[]): readonly JsonObject[] {
    return this.parts.has("nested") ? [...objects.map((box) => ({ box })), {}] : objects;
  }

  /** Every combination of the fields that are read, and the plainest one without each of them. */
  private objects(tool: string, side: Side, texts: readonly string[]): readonly JsonObject[] {
    const read = [...(this.read.get(`${tool} ${side}`) ?? [])].sort();
    const [least, , most] = this.numbers;
    const lists = [[{ n: least }], [{ n: least }, { n: most }], []];
    const values = { n: this.numbers, id: [...new Set(["a", "b", ...texts])], ok: [true, false], items: lists };
    const all = combinations(read.map((field) => [field, values[field]]));
    const [plain = {}] = all;
    return [...all, ...read.map((field) => without(plain, field))];
  }
}
