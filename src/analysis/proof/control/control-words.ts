import type { PackRules, RuleBody } from "../../../artifact/pack-rules.js";
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

/** Of more tools than this the others are counted. */
const SHOWN = { tools: 3 } as const;

function toolsIn({ regions }: ControlProof): string {
  const tools = [...new Set(regions.flatMap(({ view }) => view.tools))].map((name) => `\`${name}\``);
  const left = tools.length - SHOWN.tools;
  return left <= 1 ? tools.join(", ") : `${tools.slice(0, SHOWN.tools).join(", ")}, ${left} other tools`;
}

/** What a proof followed, in words. */
export function wordsOf(proof: ControlProof): string {
  const { regions } = proof;
  const states = regions.reduce((sum, region) => sum + region.states.length, 0);
  const parts = [
    `calls of ${toolsIn(proof)}`,
    ...(regions.some(({ view }) => view.hasPhases) ? ["phases"] : []),
    ...(regions.some(({ view }) => view.counters.length > 0) ? ["what limits count"] : []),
  ];
  const followed = parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` : parts.join("");
  return `following ${followed}, every session stays in ${states === 1 ? "one state that does" : `${states} states that do`} not allow it`;
}
