import { expect, it } from "vitest";
import type { Json } from "../../src/base/json.js";
import { createStagedGuard } from "../../src/guard/staged-guard.js";
import { artifactOf } from "../support/guard-artifact.js";

const PACK = `#== session.yaml (with the required fields)
schema_version: "1.1"
#== get.yaml (with the required fields)
binds:
  - { name: booking, source: output, path: $, key: $.id }
  - { name: offer, path: "$.offers[*]", key: [$.date, "@.n"] }
  - { name: seen, path: "$.ids[*]", collect: union }
`;

function staged(bindings: Readonly<Record<string, Json>>) {
  return createStagedGuard(artifactOf(PACK), { env: {} }, { phase: null, bindings: new Map(Object.entries(bindings)) });
}

it("gives keyed slots and unions their entries, on top of the history", async () => {
  const { guard, enter } = await staged({
    booking: [
      { key: "a", value: 1 },
      { key: 1, value: null },
    ],
    offer: [{ key: ["mon", 7], value: "x" }],
    seen: ["a", "a", { b: 1 }],
  });
  const verdict = await guard.propose({ tool: "get", args: { date: "tue", offers: [{ n: 1 }], ids: ["a"] } });
  if (verdict.kind !== "allow") throw new Error(verdict.kind);
  await guard.settle(verdict.callId, { kind: "result", output: { id: "a" } });
  enter();
  enter();
  expect(guard.state().bindings).toEqual({
    booking: [
      { key: "a", value: 1 },
      { key: 1, value: null },
    ],
    offer: [
      { key: ["tue", 1], value: { n: 1 } },
      { key: ["mon", 7], value: "x" },
    ],
    seen: ["a", { b: 1 }],
  });
});

it.each([
  ["booking", { a: 1 }],
  ["booking", [{ key: null, value: 1 }]],
  ["booking", [{ key: "a" }]],
  ["offer", [{ key: "mon", value: 1 }]],
  ["seen", "a"],
])("does not start with %s as %j", async (slot, value) => {
  const { enter } = await staged({ [slot]: value });
  expect(enter).toThrow(`the binding \`${slot}\` cannot be set`);
});
