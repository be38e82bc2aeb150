import {
  addLabel,
  approve,
  beginStep,
  call,
  done,
  meanwhile,
  result,
  type Scenario,
  settle,
  state,
} from "../scenario.js";
import { needs, packOf, toolOf } from "./language-1-1.js";
import { BINDER, REPLIER, unsent } from "./parts.js";

const CALLER = { principal: { id: "u1" } };

function asking(when: readonly object[], match?: "all"): object {
  return { name: "c", tool: "*", when, timeout_seconds: 30, ...(match === undefined ? {} : { match }) };
}

/** The sentences about requires, ensures, checkpoints and the small additions, each as a scenario. */
export const EXPRESSIONS: readonly Scenario[] = [
  {
    sentence: "judges the session's requirements before the tool's, only for the tools they name",
    pack: packOf([needs("a", "args.n > 1"), needs("b", "args.n > 1")], {
      requires: [{ that: 'args.who == "me"', reason: "because", tools: ["a"] }],
    }),
    steps: [
      [call("a", { n: 0 }), "requirement_unjudgeable"],
      [call("a", { n: 0, who: "you" }), "requirement_failed"],
      [call("a", { n: 2, who: "me" }), "allow"],
      [call("b", { n: 2 }), "allow"],
      [call("b", { n: "2" }), "requirement_unjudgeable"],
    ],
  },
  {
    sentence: "reads who calls, constants, labels, the tool and the time",
    pack: packOf(
      [
        needs("own", "args.owner == principal.id"),
        needs("fee", "args.fee == constants.fees[args.class]"),
        needs("vip", '"vip" in labels && tool == "vip"'),
        needs("late", 'now >= timestamp("1970-01-01T01:01:00")'),
      ],
      { constants: { fees: { gold: 5 } }, timezone: "Europe/Berlin" },
    ),
    options: CALLER,
    steps: [
      [call("own", { owner: "u1" }), "allow"],
      [call("own", { owner: "u2" }), "requirement_failed"],
      [call("fee", { fee: 5, class: "gold" }), "allow"],
      [call("fee", { fee: 5, class: "tin" }), "requirement_unjudgeable"],
      [call("vip"), "requirement_failed"],
      [addLabel("vip"), ""],
      [call("vip"), "allow"],
      [call("late"), "requirement_failed"],
      [meanwhile(({ wait }) => wait(60)), ""],
      [call("late"), "allow"],
    ],
  },
  {
    sentence: "wants an expression to hold under every value that a plain slot may have",
    pack: packOf([BINDER, REPLIER, needs("u", "slots.x <= args.n"), needs("v", "args.v || slots.x == 1")]),
    steps: [
      [call("u", { n: 5 }), "requirement_unjudgeable"],
      [done("a", { n: 1 }), "accepted"],
      [call("a", { n: 9 }), "allow"],
      [call("u", { n: 5 }), "requirement_failed"],
      [call("u", { n: 9 }), "allow"],
      [settle({ kind: "error", sent: false }, 1), "accepted"],
      [call("o"), "allow"],
      [call("u", { n: 9 }), "pending_conflict"],
      [call("v", { v: true }), "allow"],
    ],
  },
  {
    sentence: "substitutes names, a tool's before the session's, but not in the session's own rules",
    pack: packOf(
      [toolOf("a", { ...needs("a", "limit > 1 && twice == 4"), let: { limit: "args.n", twice: "limit * 2" } })],
      {
        let: { limit: "args.m" },
        requires: [{ that: "limit == 0", reason: "because" }],
      },
    ),
    steps: [
      [call("a", { n: 2, m: 0 }), "allow"],
      [call("a", { n: 2, m: 1 }), "requirement_failed"],
      [call("a", { n: 1, m: 0 }), "requirement_failed"],
    ],
  },
  {
    sentence: "rejects an output that breaks what the tool ensures, or cannot be judged",
    pack: packOf([toolOf("a", { ensures: [{ that: "output.paid <= args.n", reason: "because" }] })]),
    steps: [
      [done("a", { n: 2 }, { paid: 2 }), "accepted"],
      [done("a", { n: 2 }, { paid: 2.5 }), "violation"],
      [done("a", { n: 2 }, {}), "violation"],
    ],
  },
  {
    sentence: "reads slots in ensures as they were before the call's own binds",
    pack: packOf([
      toolOf("a", {
        binds: [{ name: "x", source: "output", path: "$.n" }],
        ensures: [{ that: "!has(slots.x) || slots.x < output.n", reason: "because" }],
      }),
    ]),
    steps: [
      [done("a", {}, { n: 1 }), "accepted"],
      [done("a", {}, { n: 1 }), "violation"],
      [done("a", {}, { n: 2 }), "accepted"],
    ],
  },
  {
    sentence: "asks for an approval where a condition holds or cannot be judged",
    pack: packOf([toolOf("a", {})], { checkpoints: [asking([{ that: "args.n > 10" }])] }),
    steps: [
      [call("a", { n: 1 }), "allow"],
      [call("a", { n: 11 }), "approval_required"],
      [approve, "allow"],
      [call("a", {}), "approval_required"],
    ],
  },
  {
    sentence: "takes a condition that cannot be judged for one that holds where all must",
    pack: packOf([toolOf("a", {})], {
      checkpoints: [asking([{ that: "args.n > 10" }, { path: "$.m", gte: 1 }], "all")],
    }),
    steps: [
      [call("a", { m: 0 }), "allow"],
      [call("a", { m: 1 }), "approval_required"],
    ],
  },
  {
    sentence: "asks where a pending call may make the condition hold",
    pack: packOf([BINDER, toolOf("b", {})], {
      checkpoints: [{ ...asking([{ that: "slots.x > 10" }]), tool: "b" }],
    }),
    steps: [
      [done("a", { n: 1 }), "accepted"],
      [call("b"), "allow"],
      [call("a", { n: 11 }), "allow"],
      [call("b"), "approval_required"],
    ],
  },
  {
    sentence: "sums each value that an aggregate is computed per on its own",
    pack: packOf([toolOf("a", {})], {
      aggregates: [{ name: "spent", metric: "sum", tool: "a", path: "$.n", per: "$.who", lte: 10, reason: "because" }],
    }),
    steps: [
      [done("a", { n: 8, who: 1 }), "accepted"],
      [call("a", { n: 8, who: "1" }), "allow"],
      [call("a", { n: 3, who: "1" }), "aggregate_exceeded"],
      [unsent, "accepted"],
      [call("a", { n: 3, who: "1" }), "allow"],
      [call("a", { n: 3, who: 1 }), "aggregate_exceeded"],
      [call("a", { n: 3 }), "aggregate_unjudgeable"],
      [call("a", { n: 3, who: null }), "aggregate_unjudgeable"],
      [state(({ aggregates }) => [...aggregates]), '[["spent",{"1":8,"\\"1\\"":3}]]'],
    ],
  },
  {
    sentence: "limits the calls of one opened step",
    pack: packOf([toolOf("a", {})], { session_limits: { max_calls_per_step: 2 } }),
    steps: [
      [call("a"), "allow"],
      [call("a"), "allow"],
      [call("a"), "allow"],
      [beginStep, "allow"],
      [call("a"), "allow"],
      [call("a"), "allow"],
      [call("a"), "session_limit_exceeded"],
      [unsent, "accepted"],
      [call("a"), "allow"],
      [beginStep, "allow"],
      [call("a"), "allow"],
    ],
  },
  {
    sentence: "unsets a plain slot that a call unbinds, and one whose text does not decode",
    pack: packOf([
      BINDER,
      toolOf("r", { unbinds: [{ name: "x" }] }),
      toolOf("d", { binds: [{ name: "x", source: "output", path: "$", decode: "json" }] }),
      needs("u", "slots.x == 1"),
    ]),
    steps: [
      [done("a", { n: 1 }), "accepted"],
      [call("u"), "allow"],
      [call("r"), "allow"],
      [call("u"), "requirement_unjudgeable"],
      [result({}), "accepted"],
      [call("u"), "requirement_unjudgeable"],
      [done("d", {}, "1"), "accepted"],
      [call("u"), "allow"],
      [done("d", {}, "one"), "accepted"],
      [call("u"), "requirement_unjudgeable"],
    ],
  },
];
