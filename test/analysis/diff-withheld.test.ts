import { describe, expect, it } from "vitest";
import { diffPacks } from "../../src/analysis/diff/diff-packs.js";
import { gateOf } from "../../src/analysis/diff/static/gate.js";
import type { Artifact } from "../../src/artifact/compiled.js";
import type { Json, JsonObject } from "../../src/base/json.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { createGuard } from "../../src/guard/guard.js";
import { sentenceOf } from "../../src/report/sentences.js";
import { withPack } from "../support/pack-text.js";

interface Played {
  readonly tool: string;
  readonly args?: JsonObject;
  readonly output?: Json;
}

interface Example {
  readonly name: string;
  /** Without the assertions of `check`. */
  readonly pack: string;
  /** `check` comes last but one, and its result is withheld under the new pack. */
  readonly calls: readonly Played[];
}

const ASKED = 'assertions: { input_invariants: [], output_invariants: [{ path: "$.ok", equals: true }] }\n';

const PAY = { tool: "pay", args: { amount: 9 } };
const REFUSED = { tool: "check", args: { amount: 5 }, output: { ok: false, most: 5 } };

const REVOKED = `#== pay.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check, with_output: [{ path: "$.ok", equals: true }] }]
#== check.yaml (with the required fields)
`;

const BOUND = (source: string, path: string) => `#== pay.yaml (with the required fields)
argument_value_invariants: [{ path: "$.amount", ref: amount }]
#== check.yaml (with the required fields)
binds: [{ name: amount, source: ${source}, path: "${path}" }]
`;

const CLOSING: readonly Example[] = [
  {
    name: "revokes what an earlier one permitted",
    pack: REVOKED,
    calls: [{ tool: "check", output: { ok: true } }, REFUSED, PAY],
  },
  {
    name: "leads out of a phase",
    pack: `#== session.yaml (with the required fields)
phases: [{ name: open, initial: true }, { name: shut, terminal: true }]
transitions: { open: [shut] }
#== pay.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
#== check.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: shut }
`,
    calls: [REFUSED, PAY],
  },
  {
    name: "binds what it answers",
    pack: BOUND("output", "$.most"),
    calls: [{ tool: "check", output: { ok: true, most: 9 } }, REFUSED, PAY],
  },
  {
    name: "binds an argument",
    pack: BOUND("arguments", "$.amount"),
    calls: [{ tool: "check", args: { amount: 9 }, output: { ok: true } }, REFUSED, PAY],
  },
  {
    name: "lowers a ceiling",
    pack: `#== session.yaml (with the required fields)
envelopes:
  - name: limit
    constraint: lte_ceiling
    reason: no more than was found
    stages:
      - { tool: check, source: output, path: "$.most", role: ceiling }
      - { tool: pay, path: "$.amount", role: constrained }
#== pay.yaml (with the required fields)
#== check.yaml (with the required fields)
`,
    calls: [{ tool: "check", output: { ok: true, most: 9 } }, REFUSED, PAY],
  },
];

const IDLE: readonly Pick<Example, "name" | "pack">[] = [
  {
    name: "that no rule reads",
    pack: `#== pay.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check }]
#== check.yaml (with the required fields)
`,
  },
  {
    name: "of a call that commits at dispatch, without which it permits nothing",
    pack: `${REVOKED}commit_requirement: none\n`,
  },
  {
    name: "of a call that bound its argument at dispatch",
    pack: `${BOUND("arguments", "$.amount")}commit_requirement: none\n`,
  },
];

function compiled(text: string): Artifact {
  const { artifact, diagnostics } = withPack(text, (folder) => compileFolder(folder));
  if (artifact === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return artifact;
}

/** What the guard says of the last of the calls, all others of which are allowed. */
async function lastVerdict(artifact: Artifact, calls: readonly Played[]): Promise<string> {
  const guard = await createGuard(artifact);
  const kinds: string[] = [];
  for (const { tool, args = {}, output = null } of calls) {
    const verdict = await guard.propose({ tool, args });
    kinds.push(verdict.kind);
    if (verdict.kind === "allow") await guard.settle(verdict.callId, { kind: "result", output });
  }
  expect(kinds.slice(0, -1)).toEqual(calls.slice(1).map(() => "allow"));
  return kinds.at(-1) ?? "";
}

async function directions(before: Artifact, after: Artifact): Promise<readonly string[]> {
  const differences = await diffPacks(before, after, { bounds: null, wording: sentenceOf });
  const directed = differences.flatMap(({ changes }) => changes.map(({ direction }) => direction));
  expect(differences.some((difference) => gateOf(difference).loosened)).toBe(directed.includes("unknown"));
  return directed;
}

describe("a rule that withholds results", () => {
  it.each(CLOSING)("is not shown to be as strong where a result $name", async ({ pack, calls }) => {
    const [before, after] = [compiled(pack), compiled(`${pack}${ASKED}`)];
    expect([await lastVerdict(before, calls), await lastVerdict(after, calls)]).toEqual(["block", "allow"]);
    expect(await directions(before, after)).toEqual(["unknown"]);
  });

  it.each(IDLE)("is stronger on the result $name", async ({ pack }) => {
    expect(await directions(compiled(pack), compiled(`${pack}${ASKED}`))).toEqual(["stronger"]);
  });
});
