import type { PackRules, RuleBody } from "../../../artifact/pack-rules.js";
import type { Need } from "./call-facts.js";
import type { ControlProof } from "./control-prover.js";
import type { Counter } from "./counters.js";

/** Whether a rule counts what a counter counts. */
function isOf({ of }: Counter, body: RuleBody, aggregate: (index: number) => unknown): boolean {
  switch (of.kind) {
    case "forbidding":
      return body.kind === "forbidden_by" && body.tool === of.tool;
    case "aggregate":
      return body.kind === "aggregate" && body.aggregate === aggregate(of.index);
    case "calls":
      return body.kind === (of.tool === null ? "max_tool_calls" : "max_calls_per_tool") && body.max === of.most;
  }
}

/** The rules that a proof looks at, of the tools in it. */
export function rulesOf({ regions }: ControlProof, rules: PackRules, aggregate: (index: number) => unknown) {
  const found = new Set<string>();
  for (const { view } of regions) {
    for (const { id, body, tools } of rules.all) {
      if (!tools.some((name) => view.tools.includes(name))) continue;
      const isCounted = view.counters.some((counter) => isOf(counter, body, aggregate));
      if (isCounted || (view.hasPhases && body.kind === "phase") || NEEDED.has(body.kind)) found.add(id);
    }
  }
  return [...found];
}

/** Kinds of rules by which a call needs an earlier one. */
const NEEDED: ReadonlySet<string> = new Set(["precondition", "ref", "envelope"]);

/** Of more tools than this the others are counted; no longer chain of needs is worth reading. */
const SHOWN = { tools: 3, links: 4 } as const;

/** Tools in a sentence; of many the rest are counted. */
function listed(tools: readonly string[]): string {
  const names = tools.map((name) => `\`${name}\``);
  const left = names.length - SHOWN.tools;
  return left <= 1 ? names.join(", ") : `${names.slice(0, SHOWN.tools).join(", ")}, ${left} other tools`;
}

function keyOf({ words, tools }: Need): string {
  return JSON.stringify([words, tools]);
}

/** Why a call is never made before one of another tool, as a chain of needs. */
class Chain {
  private readonly links: string[] = [];
  private readonly explained = new Set<string>();

  constructor(
    private readonly proof: ControlProof,
    private readonly other: string,
    private readonly needsOf: (tool: string) => readonly Need[],
  ) {}

  /** Null if phases or limits keep one of the tools from being called. */
  textFor(tool: string): string | null {
    if (!this.explain(tool)) return null;
    return `every way to \`${tool}\` passes \`${this.other}\`: ${this.links.join("; ")}`;
  }

  private explain(name: string): boolean {
    if (this.explained.has(name)) return true;
    this.explained.add(name);
    const [need] = this.unmetOf(name);
    if (need === undefined || this.links.length === SHOWN.links) return false;
    const others = need.tools.filter((each) => each !== this.other && each !== name);
    const alike = others.filter((each) => this.unmetOf(each).some((same) => keyOf(same) === keyOf(need)));
    for (const each of alike) this.explained.add(each);
    const tools = need.tools.filter((each) => !alike.includes(each) && each !== name);
    const given = [
      ...(tools.length === 0 ? [] : [listed(tools)]),
      ...(alike.length === 0 ? [] : [`${listed(alike)}, which need it too`]),
    ];
    this.links.push(`\`${name}\` ${need.words} ${given.join(", and by ") || "no other tool"}`);
    return others.every((each) => this.explain(each));
  }

  /** What a tool needs and does not have before a call of the other one. */
  private unmetOf(name: string): readonly Need[] {
    return this.needsOf(name).filter(({ tools }) => tools.every((each) => !this.isReached(each)));
  }

  /** Whether a call may be committed before one of the other tool. */
  private isReached(name: string): boolean {
    if (name === this.other) return false;
    return this.proof.regions.some(
      ({ view, states }) => !view.tools.includes(name) || states.some(({ committed }) => committed.has(name)),
    );
  }
}

/** What a proof followed, in words. */
export function wordsOf(proof: ControlProof, needsOf: (tool: string) => readonly Need[]): string {
  const { goal, regions } = proof;
  const chain = goal.kind === "without" ? new Chain(proof, goal.other, needsOf).textFor(goal.tool) : null;
  if (chain !== null) return chain;
  const states = regions.reduce((sum, region) => sum + region.states.length, 0);
  const parts = [
    `calls of ${listed([...new Set(regions.flatMap(({ view }) => view.tools))])}`,
    ...(regions.some(({ view }) => view.hasPhases) ? ["phases"] : []),
    ...(regions.some(({ view }) => view.counters.length > 0) ? ["what limits count"] : []),
  ];
  const followed = parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` : parts.join("");
  return `following ${followed}, every session stays in ${states === 1 ? "one state that does" : `${states} states that do`} not allow it`;
}
