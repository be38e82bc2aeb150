import { call, done, pack, type Scenario, tool } from "../scenario.js";
import { unsent } from "./parts.js";

const CEILING = {
  name: "size",
  constraint: "lte_ceiling" as const,
  reason: "Too large",
  stages: [
    { tool: "a", path: "$.n", role: "ceiling" as const },
    { tool: "b", path: "$.n", role: "constrained" as const },
  ],
};

/** The sentences about this, each as a scenario. */
export const ENVELOPES: readonly Scenario[] = [
  {
    sentence: "blocks a constrained stage before its reference is set, and above it",
    pack: pack([tool("a"), tool("b")], { envelopes: [CEILING] }),
    steps: [
      [call("b", { n: 1 }), "envelope_unset"],
      [done("a", { n: 2 }), "accepted"],
      [call("b", { n: 3 }), "envelope_violated"],
      [call("b", { n: 2 }), "allow"],
      [call("b", {}), "bind_missing"],
    ],
  },
  {
    sentence: "lets a pending lower ceiling restrict and a pending higher one permit nothing",
    pack: pack([tool("a"), tool("b")], { envelopes: [CEILING] }),
    steps: [
      [done("a", { n: 2 }), "accepted"],
      [call("a", { n: 1 }), "allow"],
      [call("b", { n: 2 }), "envelope_violated"],
      [unsent, "accepted"],
      [call("a", { n: 9 }), "allow"],
      [call("b", { n: 3 }), "envelope_violated"],
    ],
  },
  {
    sentence: "measures a band as a fraction of the anchor, and an anchor that is no number violates",
    pack: pack([tool("a"), tool("b")], {
      envelopes: [
        {
          ...CEILING,
          constraint: "within_band",
          band: 0.1,
          stages: [
            { tool: "a", path: "$.n", role: "anchor", source: "output" },
            { tool: "b", path: "$.n", role: "constrained" },
          ],
        },
      ],
    }),
    steps: [
      [done("a", {}, { n: 10 }), "accepted"],
      [call("b", { n: 11 }), "allow"],
      [call("b", { n: 11.1 }), "envelope_violated"],
      [done("a", {}, { n: "10" }), "accepted"],
      [call("b", { n: 10 }), "envelope_violated"],
      [done("a", {}, {}), "accepted"],
      [call("b", { n: 10 }), "envelope_unset"],
    ],
  },
  {
    sentence:
      "compares a monotonic value with the last one of the envelope, equality allowed, and a second initial restarts",
    pack: pack([tool("a"), tool("b")], {
      envelopes: [
        {
          ...CEILING,
          constraint: "monotonic_decrease",
          stages: [
            { tool: "a", path: "$.n", role: "initial" },
            { tool: "b", path: "$.n", role: "constrained" },
          ],
        },
      ],
    }),
    steps: [
      [done("a", { n: 5 }), "accepted"],
      [done("b", { n: 5 }), "accepted"],
      [done("b", { n: 3 }), "accepted"],
      [call("b", { n: 4 }), "envelope_violated"],
      [done("a", { n: 9 }), "accepted"],
      [call("b", { n: 4 }), "allow"],
    ],
  },
  {
    sentence: "judges an output-sourced constrained stage when the result arrives",
    pack: pack([tool("a"), tool("b")], {
      envelopes: [
        {
          ...CEILING,
          stages: [
            { tool: "a", path: "$.n", role: "ceiling" },
            { tool: "b", path: "$.n", role: "constrained", source: "output" },
          ],
        },
      ],
    }),
    steps: [
      [done("a", { n: 2 }), "accepted"],
      [done("b", {}, { n: 2 }), "accepted"],
      [done("b", {}, { n: 3 }), "violation"],
    ],
  },
];
