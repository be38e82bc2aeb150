import { describe, expect, it } from "vitest";
import { tryCompile } from "./compile-pack.js";
import { pack, start, tool } from "./scenario.js";
import { ADMISSION } from "./scenarios/admission.js";
import { AGGREGATES } from "./scenarios/aggregates.js";
import { APPROVALS, MODES } from "./scenarios/approvals.js";
import { ARGUMENTS } from "./scenarios/arguments.js";
import { CALL_KEYS } from "./scenarios/call-keys.js";
import { ENVELOPES } from "./scenarios/envelopes.js";
import { LATE_RESULTS } from "./scenarios/late-results.js";
import { LIMITS } from "./scenarios/limits.js";
import { ORDER } from "./scenarios/order.js";
import { OUTCOMES } from "./scenarios/outcomes.js";
import { QUORUMS } from "./scenarios/quorums.js";
import { SETTLING } from "./scenarios/settling.js";
import { SLOTS } from "./scenarios/slots.js";

describe.each([
  ["admission", ADMISSION],
  ["order", ORDER],
  ["limits", LIMITS],
  ["arguments", ARGUMENTS],
  ["slots", SLOTS],
  ["aggregates", AGGREGATES],
  ["envelopes", ENVELOPES],
  ["settling", SETTLING],
  ["outcomes", OUTCOMES],
  ["late results", LATE_RESULTS],
  ["call keys", CALL_KEYS],
  ["approvals", APPROVALS],
  ["quorums and other guards", QUORUMS],
  ["modes", MODES],
])("the reference guard: %s", (_, scenarios) => {
  it.each(scenarios.map((scenario) => [scenario.sentence, scenario] as const))("%s", (_sentence, scenario) => {
    expect(tryCompile(scenario.pack)).toHaveProperty("hash");
    const play = start(scenario.pack, scenario.options);
    expect(scenario.steps.map(([step]) => step(play))).toEqual(scenario.steps.map(([, word]) => word));
  });
});

describe("the reference guard", () => {
  it("refuses to start without a principal where a rule looks at one", () => {
    const needy = pack([tool("a", { policy: { deny: [{ principal: { path: "$.type", equals: "bot" } }] } })]);
    expect(() => start(needy)).toThrow("the pack needs a principal");
  });
});
