import type { Claim } from "../../../src/artifact/claim.js";
import type { CompiledInvariant, CompiledOperator } from "../../../src/artifact/compiled-value.js";
import type { Domain } from "./small-pack.js";

export type CallClaim = Exclude<Claim, { readonly kind: "always_possible" }>;

const AT = { file: "claims.yaml", line: 1 };

function conditionOn(field: string, operator: CompiledOperator): CompiledInvariant {
  const path = { kind: "definite", text: `$.${field}`, steps: [field] } as const;
  return { at: AT, path, operators: [operator] };
}

/** Conditions on the arguments that calls of a tool over a domain meet, and some that they do not. */
function conditionsOf({ tools }: Domain, tool: string): readonly CompiledInvariant[] {
  const args = tools.get(tool)?.args ?? [];
  const numbers = [...new Set(args.map(({ n }) => n))].filter((value) => typeof value === "number");
  const ids = [...new Set(args.map(({ id }) => id))].filter((value) => typeof value === "string");
  return [
    ...numbers.slice(0, 2).map((value) => conditionOn("n", { op: "gte", value })),
    ...numbers.slice(-1).map((value) => conditionOn("n", { op: "lte", value })),
    ...ids.slice(0, 1).map((value) => conditionOn("id", { op: "equals", value })),
  ];
}

/** Claims of every kind about the tools of a domain. */
export function claimsOf(domain: Domain): readonly CallClaim[] {
  const { labels } = domain;
  const tools = [...domain.tools.keys()];
  const plain = { at: AT, reason: null };
  return tools.flatMap((tool): readonly CallClaim[] => [
    ...conditionsOf(domain, tool).map((condition) => ({
      ...plain,
      kind: "requires_approval" as const,
      tool,
      when: [condition],
    })),
    ...[1, 2].map((calls) => ({ ...plain, kind: "at_most" as const, tool, calls })),
    { ...plain, kind: "requires_approval", tool, when: [] },
    ...labels.map((label) => ({ ...plain, kind: "never_when_label" as const, tool, label })),
    ...tools
      .filter((other) => other !== tool)
      .flatMap((other) => [
        { ...plain, kind: "never_without_prior" as const, tool, prior: other },
        { ...plain, kind: "never_after" as const, tool, after: other },
      ]),
  ]);
}
