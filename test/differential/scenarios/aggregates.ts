import { call, done, hidden, pack, result, type Scenario, state, tool } from "../scenario.js";
import { BINDER } from "./parts.js";

const SUM = { name: "total", metric: "sum" as const, tool: "a", path: "$.n", reason: "Too much" };

const SHARED = { n: 1 };

/** The sentences about this, each as a scenario. */
export const AGGREGATES: readonly Scenario[] = [
  {
    sentence: "sums exact decimals: 0.1 + 0.2 is 0.3",
    pack: pack([tool("a")], { aggregates: [{ ...SUM, lte: 0.3 }] }),
    steps: [
      [done("a", { n: 0.1 }), "accepted"],
      [done("a", { n: 0.2 }), "accepted"],
      [state(({ aggregates }) => [...aggregates]), '[["total",0.3]]'],
      [call("a", { n: 0.0000001 }), "aggregate_exceeded"],
    ],
  },
  {
    sentence: "counts pending amounts that raise an upper bound and not those that would save a lower one",
    pack: pack([tool("a")], { aggregates: [{ ...SUM, gte: 0, lte: 5 }] }),
    steps: [
      [call("a", { n: 3 }), "allow"],
      [call("a", { n: 3 }), "aggregate_exceeded"],
      [call("a", { n: -2 }), "aggregate_exceeded"],
      [result(), "accepted"],
      [call("a", { n: -2 }), "allow"],
    ],
  },
  {
    sentence: "blocks a call of a named tool without the value, and one that is no number",
    pack: pack([tool("a")], { aggregates: [{ ...SUM, lte: 5 }] }),
    steps: [
      [call("a", {}), "aggregate_unjudgeable"],
      [call("a", { n: "1" }), "aggregate_unjudgeable"],
    ],
  },
  {
    sentence: "lets a call without the path contribute nothing to an aggregate over all tools",
    pack: pack([tool("a")], { aggregates: [{ ...SUM, metric: "max", tool: "*", lte: 5 }] }),
    steps: [
      [call("a", {}), "allow"],
      [state(({ aggregates }) => [...aggregates]), '[["total",null]]'],
      [call("a", { n: 6 }), "aggregate_exceeded"],
    ],
  },
  {
    sentence: "adds up every value of a multi-valued path, once for each place",
    pack: pack([tool("a")], { aggregates: [{ ...SUM, path: "$.l[0,0,1]", lte: 5 }] }),
    steps: [
      [call("a", { l: [2, 1] }), "allow"],
      [state(({ aggregates }) => [...aggregates]), '[["total",3]]'],
    ],
  },
  {
    sentence: "adds up once what several descents reach by several ways",
    pack: pack([tool("a")], { aggregates: [{ ...SUM, path: "$..o..n", lte: 5 }] }),
    steps: [
      [call("a", { o: { n: 1, o: { n: 1, o: { n: 1 } } } }), "allow"],
      [state(({ aggregates }) => [...aggregates]), '[["total",3]]'],
    ],
  },
  {
    sentence: "adds up equal values at several places, each for itself",
    pack: pack([tool("a")], { aggregates: [{ ...SUM, path: "$..n", lte: 5 }] }),
    steps: [
      [call("a", { p: SHARED, q: SHARED }), "allow"],
      [state(({ aggregates }) => [...aggregates]), '[["total",2]]'],
    ],
  },
  {
    sentence: "counts distinct JSON values",
    pack: pack([tool("a")], { aggregates: [{ ...SUM, metric: "count_distinct", lte: 1 }] }),
    steps: [
      [call("a", { n: { x: 1, y: 2 } }), "allow"],
      [call("a", { n: { y: 2, x: 1 } }), "allow"],
      [call("a", { n: 1 }), "aggregate_exceeded"],
    ],
  },
  {
    sentence: "takes the bounds of the first when that is true, and the base bounds while the slot is unset",
    pack: pack([BINDER, tool("c")], {
      aggregates: [
        {
          ...SUM,
          metric: "count",
          tool: "c",
          lte: 0,
          when: [
            { binding: "x", gte: 5, then_lte: 2 },
            { binding: "x", gte: 1, then_lte: 1 },
          ],
        },
      ],
    }),
    steps: [
      [call("c"), "aggregate_exceeded"],
      [hidden("c"), "aggregate_exceeded"],
      [done("a", { n: 1 }), "accepted"],
      [call("c"), "allow"],
      [call("c"), "aggregate_exceeded"],
      [done("a", { n: "high" }), "accepted"],
      [call("c"), "aggregate_unjudgeable"],
    ],
  },
];
