import { call, done, pack, result, type Scenario, settle, state, tool } from "../scenario.js";
import { BINDER, lost, REPLIER, USER, unsent } from "./parts.js";

/** The sentences about this, each as a scenario. */
export const SLOTS: readonly Scenario[] = [
  {
    sentence: "blocks a ref to an unset slot and one to another value",
    pack: pack([BINDER, USER]),
    steps: [
      [call("u", { n: 1 }), "ref_unset"],
      [done("a", { n: 1 }), "accepted"],
      [call("u", { n: 2 }), "ref_mismatch"],
      [call("u", {}), "ref_mismatch"],
      [call("u", { n: 1 }), "allow"],
    ],
  },
  {
    sentence: "wants a ref to hold under both values while a binding call is pending",
    pack: pack([BINDER, USER]),
    steps: [
      [done("a", { n: 1 }), "accepted"],
      [call("a", { n: 2 }), "allow"],
      [call("u", { n: 1 }), "ref_mismatch"],
      [unsent, "accepted"],
      [call("a", { n: 1 }), "allow"],
      [call("u", { n: 1 }), "allow"],
    ],
  },
  {
    sentence: "blocks with pending_conflict where a pending output may replace the slot",
    pack: pack([BINDER, REPLIER, USER]),
    steps: [
      [done("a", { n: 1 }), "accepted"],
      [call("o"), "allow"],
      [call("u", { n: 1 }), "pending_conflict"],
      [result({ n: 1 }), "accepted"],
      [call("u", { n: 1 }), "allow"],
    ],
  },
  {
    sentence: "names the failure rather than the conflict where one world fails outright",
    pack: pack([REPLIER, USER]),
    steps: [
      [call("o"), "allow"],
      [call("u", { n: 1 }), "ref_unset"],
    ],
  },
  {
    sentence: "takes tolerance as a fraction of the bound value, in exact decimals",
    pack: pack([BINDER, tool("t", { argument_value_invariants: [{ path: "$.n", ref: "x", tolerance: 0.1 }] })]),
    steps: [
      [done("a", { n: -3 }), "accepted"],
      [call("t", { n: -3.3 }), "allow"],
      [call("t", { n: -2.7 }), "allow"],
      [call("t", { n: -3.31 }), "ref_mismatch"],
    ],
  },
  {
    sentence: "blocks a call whose argument to bind is missing, and unsets a slot whose output lacks the value",
    pack: pack([BINDER, REPLIER]),
    steps: [
      [call("a", {}), "bind_missing"],
      [done("a", { n: null }), "accepted"],
      [state(({ bindings }) => [...bindings]), '[["x",null]]'],
      [done("o", {}, {}), "accepted"],
      [state(({ bindings }) => [...bindings]), "[]"],
    ],
  },
  {
    sentence: "unsets output slots of a call that happened without an output",
    pack: pack([BINDER, REPLIER]),
    steps: [
      [done("a", { n: 1 }), "accepted"],
      [call("o"), "allow"],
      [lost, "accepted"],
      [settle({ kind: "happened" }), "accepted"],
      [state(({ bindings }) => [...bindings]), "[]"],
    ],
  },
];
