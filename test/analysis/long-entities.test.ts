import { describe, expect, it } from "vitest";
import { isDeadEnd } from "../../src/analysis/proof/dead-end.js";
import { verify } from "../../src/analysis/verify.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { prepareProgram } from "../../src/guard/program/prepare-program.js";
import { advance } from "../../src/guard/session/advance.js";
import { callIdOf, newSession } from "../../src/guard/session/session.js";
import { withPack } from "../support/pack-text.js";

/** A session remembers a long entity by its hash. */
const LONG = 600;

const PACK = `#== session.yaml (with the required fields)
phases: [{ name: new, initial: true }, { name: opened }, { name: done, terminal: true }]
transitions: { new: [opened], opened: [done] }
#== claims.yaml (with the required fields)
claims:
  - always_possible: { reach: done }
#== open.yaml (with the required fields)
transitions: { valid_in_phases: [new], advances_to: opened }
binds: [{ name: opened_id, path: "$.id" }]
argument_value_invariants: [{ path: "$.id", regex: "^a{${LONG}}" }]
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [opened], advances_to: done }
preconditions: [{ requires_prior_tool: open, resource: { bind_from: arguments, path: "$.id" } }]
argument_value_invariants: [{ path: "$.id", ref: opened_id }]
`;

function compiled() {
  const { artifact, claims, diagnostics } = withPack(PACK, (folder) => compileFolder(folder));
  const pack = artifact?.packs[0];
  if (artifact === null || pack === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return { artifact, claims, pack };
}

describe("entities that a session remembers by their hashes", () => {
  it("are found by verify", async () => {
    const { artifact, claims } = compiled();
    const [found] = await verify(artifact, claims);
    expect(found?.tools.map(({ tool, status }) => [tool, status])).toEqual([
      ["close", "allowed"],
      ["open", "allowed"],
    ]);
    expect(found?.claims.map(({ status }) => status)).toEqual(["no_counterexample"]);
    expect(found?.bounds.hit).toContain("entities");
  });

  it("are the same as the values that a slot has: no dead end is proved", () => {
    const { artifact, pack } = compiled();
    const program = prepareProgram(artifact, pack, { env: {}, principal: null });
    const session = newSession(program);
    const callId = callIdOf(1);
    const args = { id: "a".repeat(LONG) };
    advance(program, session, { kind: "reserved", callId, tool: "open", args, isApproved: false });
    advance(program, session, { kind: "settled", callId, ending: "committed", output: {}, sign: "success" });
    expect(session.phase).toBe("opened");
    expect(isDeadEnd(program, session, ["done"])).toBe(false);
  });
});
