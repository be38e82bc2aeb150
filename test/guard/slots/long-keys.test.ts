import { expect, it } from "vitest";
import { createGuard } from "../../../src/guard/guard.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { told } from "../../support/guard-steps.js";

const PACK = `
#== session.yaml (with the required fields)
schema_version: "1.1"
#== list.yaml (with the required fields)
binds: [{ name: item, source: output, path: "$.found[*]", key: "@.id" }]
#== buy.yaml (with the required fields)
requires:
  - that: |
      slots.item[args.id].n == args.n
    reason: Only what was listed is bought
#== buy_all.yaml (with the required fields)
requires:
  - that: |
      slots.item.all(id, slots.item[id].n >= 0)
    reason: Nothing is missing
`;

/** The engine has one hash for all texts of this length: in a map each of them is compared with all others. */
const id = (n: number) => `${"k".repeat(17_000)}${n + 1000}`;

it("long keys of one length are told apart; a map of many of them is too much work", async () => {
  const guard = await createGuard(artifactOf(PACK), { env: {} });
  const listed = await guard.propose({ tool: "list", args: {} });
  if (listed.kind !== "allow") throw new Error(told(listed));
  const found = Array.from({ length: 400 }, (_, n) => ({ id: id(n), n }));
  await guard.settle(listed.callId, { kind: "result", output: { found } });
  const asked = (tool: string, args: { id?: string; n?: number }) =>
    guard.explain({ tool, args }).map(({ reason }) => reason);
  expect([0, 7, 399].map((n) => asked("buy", { id: id(n), n }))).toEqual([[], [], []]);
  expect(asked("buy", { id: id(7), n: 8 })).toEqual(["requirement_failed"]);
  expect(asked("buy", { id: id(400), n: 400 })).toEqual(["requirement_unjudgeable"]);
  expect(asked("buy_all", {})).toEqual(["unjudgeable_cost"]);
});
