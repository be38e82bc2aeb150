import { call, done, type Scenario, settle } from "../scenario.js";
import { bindings, LISTS, MARKS, needs, packOf, toolOf } from "./language-1-1.js";
import { lost, unsent } from "./parts.js";

const FIRST = needs("first", "!(args.id in slots.marked)");
const AGAIN = needs("again", "args.id in slots.marked");
const OFFERED = needs("take", "args.id in slots.listed");
const COUNTS = needs("count", "size(slots.marked) == args.n");

/** The sentences about unions, each as a scenario. */
export const UNIONS: readonly Scenario[] = [
  {
    sentence: "starts empty and has each value once, in the order of arrival",
    pack: packOf([MARKS, FIRST, COUNTS]),
    steps: [
      [call("first", { id: 1 }), "allow"],
      [call("count", { n: 0 }), "allow"],
      [done("mark", { id: 1 }), "accepted"],
      [done("mark", { id: "1" }), "accepted"],
      [done("mark", { id: 1 }), "accepted"],
      [call("first", { id: 1 }), "requirement_failed"],
      [call("first", { id: 2 }), "allow"],
      [call("count", { n: 2 }), "allow"],
      [bindings, '[["marked",[1,"1"]]]'],
    ],
  },
  {
    sentence: "counts what restricts from the reservation on, and what permits from the commit on",
    pack: packOf([MARKS, FIRST, AGAIN]),
    steps: [
      [call("mark", { id: 1 }), "allow"],
      [call("first", { id: 1 }), "requirement_failed"],
      [call("again", { id: 1 }), "requirement_failed"],
      [call("first", { id: 2 }), "allow"],
      [unsent, "accepted"],
    ],
  },
  {
    sentence: "adds nothing where the path matches nothing",
    pack: packOf([MARKS, LISTS, COUNTS]),
    steps: [
      [done("mark", {}), "accepted"],
      [done("list", {}, {}), "accepted"],
      [call("count", { n: 0 }), "allow"],
    ],
  },
  {
    sentence: "is unknown once an output was lost, but for what is added after",
    pack: packOf([LISTS, OFFERED]),
    steps: [
      [done("list", {}, { ids: [1, 2] }), "accepted"],
      [call("take", { id: 1 }), "allow"],
      [call("list"), "allow"],
      [call("take", { id: 1 }), "pending_conflict"],
      [lost, "accepted"],
      [settle({ kind: "happened" }), "accepted"],
      [call("take", { id: 1 }), "requirement_unjudgeable"],
      [done("list", {}, { ids: [1] }), "accepted"],
      [call("take", { id: 1 }), "allow"],
      [call("take", { id: 2 }), "requirement_unjudgeable"],
    ],
  },
  {
    sentence: "forgets the value that was added longest ago",
    pack: packOf([MARKS, AGAIN, FIRST], { slot_limits: { marked: 2 } }),
    steps: [
      [done("mark", { id: 1 }), "accepted"],
      [done("mark", { id: 2 }), "accepted"],
      [done("mark", { id: 1 }), "accepted"],
      [done("mark", { id: 3 }), "accepted"],
      [call("again", { id: 1 }), "allow"],
      [call("again", { id: 2 }), "requirement_unjudgeable"],
      [call("first", { id: 4 }), "requirement_unjudgeable"],
      [bindings, '[["marked",[1,3]]]'],
    ],
  },
  {
    sentence: "may be beyond its limit while a call is pending",
    pack: packOf([MARKS, AGAIN], { slot_limits: { marked: 1 } }),
    steps: [
      [done("mark", { id: 1 }), "accepted"],
      [call("mark", { id: 2 }), "allow"],
      [call("again", { id: 1 }), "requirement_unjudgeable"],
      [unsent, "accepted"],
      [call("again", { id: 1 }), "allow"],
    ],
  },
  {
    sentence: "is unbound whole",
    pack: packOf([MARKS, toolOf("reset", { unbinds: [{ name: "marked" }] }), FIRST]),
    steps: [
      [done("mark", { id: 1 }), "accepted"],
      [done("reset"), "accepted"],
      [call("first", { id: 1 }), "allow"],
    ],
  },
];
