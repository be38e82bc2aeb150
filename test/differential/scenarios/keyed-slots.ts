import { call, done, result, type Scenario, settle } from "../scenario.js";
import { bindings, CHANGES, FINDS, needs, packOf, READS, toolOf } from "./language-1-1.js";
import { lost, OK, unsent } from "./parts.js";

const PAID = needs("pay", 'slots.order[args.id].state == "open"');
const KNOWN = needs("known", "args.id in slots.order");
const UNKNOWN = needs("fresh", "!(args.id in slots.order)");
const COUNTS = needs("count", "size(slots.order) == args.n");
const SMALL = { slot_limits: { order: 2 } };
const OPEN = { state: "open" };

/** The sentences about keyed slots and unbinds, each as a scenario. */
export const KEYED_SLOTS: readonly Scenario[] = [
  {
    sentence: "has one value for each key, told apart by type",
    pack: packOf([READS, PAID]),
    steps: [
      [call("pay", { id: "a" }), "requirement_unjudgeable"],
      [done("read", { id: "a" }, OPEN), "accepted"],
      [done("read", { id: 1 }, { state: "shut" }), "accepted"],
      [call("pay", { id: "a" }), "allow"],
      [call("pay", { id: 1 }), "requirement_failed"],
      [call("pay", { id: "1" }), "requirement_unjudgeable"],
      [bindings, '[["order",[{"key":"a","value":{"state":"open"}},{"key":1,"value":{"state":"shut"}}]]]'],
    ],
  },
  {
    sentence: "blocks a call whose arguments have no key, or something that can be none",
    pack: packOf([READS, CHANGES]),
    steps: [
      [call("read", {}), "bind_missing"],
      [call("read", { id: null }), "bind_missing"],
      [call("read", { id: ["a"] }), "bind_missing"],
      [call("change", {}), "bind_missing"],
      [call("read", { id: false }), "allow"],
    ],
  },
  {
    sentence: "lets calls about other keys go on while an output is awaited",
    pack: packOf([READS, PAID]),
    steps: [
      [done("read", { id: "a" }, OPEN), "accepted"],
      [done("read", { id: "b" }, OPEN), "accepted"],
      [call("read", { id: "a" }), "allow"],
      [call("pay", { id: "a" }), "pending_conflict"],
      [call("pay", { id: "b" }), "allow"],
      [result(OPEN, 2), "accepted"],
      [call("pay", { id: "a" }), "allow"],
    ],
  },
  {
    sentence: "names what fails already rather than the conflict",
    pack: packOf([READS, PAID]),
    steps: [
      [call("read", { id: "a" }), "allow"],
      [call("pay", { id: "a" }), "requirement_unjudgeable"],
      [result({ state: "shut" }), "accepted"],
      [call("read", { id: "a" }), "allow"],
      [call("pay", { id: "a" }), "requirement_failed"],
    ],
  },
  {
    sentence: "cannot judge any key while the key itself is awaited",
    pack: packOf([READS, FINDS, PAID]),
    steps: [
      [done("read", { id: "b" }, OPEN), "accepted"],
      [call("find"), "allow"],
      [call("pay", { id: "b" }), "pending_conflict"],
      [unsent, "accepted"],
      [call("pay", { id: "b" }), "allow"],
    ],
  },
  {
    sentence: "unsets the key of a call that happened without its output, and keeps the others",
    pack: packOf([READS, KNOWN, UNKNOWN]),
    steps: [
      [done("read", { id: "a" }, OPEN), "accepted"],
      [done("read", { id: "b" }, OPEN), "accepted"],
      [call("read", { id: "a" }), "allow"],
      [lost, "accepted"],
      [settle({ kind: "happened" }), "accepted"],
      [call("known", { id: "b" }), "allow"],
      [call("fresh", { id: "a" }), "allow"],
    ],
  },
  {
    sentence: "knows nothing of a slot once an output without its key was lost, until it is bound again",
    pack: packOf([FINDS, KNOWN, UNKNOWN, COUNTS]),
    steps: [
      [done("find", {}, { id: "a" }), "accepted"],
      [call("known", { id: "a" }), "allow"],
      [done("find", {}, { id: null }), "accepted"],
      [call("known", { id: "a" }), "requirement_unjudgeable"],
      [call("fresh", { id: "b" }), "requirement_unjudgeable"],
      [done("find", {}, { id: "a" }), "accepted"],
      [call("known", { id: "a" }), "allow"],
      [call("fresh", { id: "b" }), "requirement_unjudgeable"],
      [call("count", { n: 1 }), "requirement_unjudgeable"],
    ],
  },
  {
    sentence: "loses what a rejected output would have bound",
    pack: packOf([Object.assign(toolOf("read", READS), OK), KNOWN, UNKNOWN]),
    steps: [
      [done("read", { id: "a" }, { ok: true }), "accepted"],
      [done("read", { id: "a" }, { ok: false }), "violation"],
      [call("known", { id: "a" }), "requirement_failed"],
      [call("fresh", { id: "a" }), "allow"],
    ],
  },
  {
    sentence: "forgets the oldest beyond the limit, and then judges only what it finds",
    pack: packOf([READS, KNOWN, UNKNOWN, COUNTS], SMALL),
    steps: [
      [done("read", { id: "a" }, OPEN), "accepted"],
      [done("read", { id: "b" }, OPEN), "accepted"],
      [call("count", { n: 2 }), "allow"],
      [call("fresh", { id: "c" }), "allow"],
      [done("read", { id: "a" }, OPEN), "accepted"],
      [done("read", { id: "c" }, OPEN), "accepted"],
      [call("known", { id: "a" }), "allow"],
      [call("known", { id: "b" }), "requirement_unjudgeable"],
      [call("fresh", { id: "d" }), "requirement_unjudgeable"],
      [call("count", { n: 2 }), "requirement_unjudgeable"],
    ],
  },
  {
    sentence: "counts an unbind from the reservation on",
    pack: packOf([READS, CHANGES, PAID]),
    steps: [
      [done("read", { id: "a" }, OPEN), "accepted"],
      [done("read", { id: "b" }, OPEN), "accepted"],
      [call("change", { id: "a" }), "allow"],
      [call("pay", { id: "a" }), "requirement_unjudgeable"],
      [call("pay", { id: "b" }), "allow"],
      [settle({ kind: "error", sent: false }, 2), "accepted"],
      [call("pay", { id: "a" }), "allow"],
    ],
  },
  {
    sentence: "nests keys, and clears a branch by its outer key alone",
    pack: packOf([
      toolOf("search", {
        unbinds: [{ name: "offer", key: "$.date" }],
        binds: [
          {
            name: "offer",
            source: "output",
            path: "$[*]",
            key: [{ source: "arguments", path: "$.date" }, "@.number"],
          },
        ],
      }),
      needs("book", "slots.offer[args.date][args.number].price <= args.price"),
      needs("dates", "size(slots.offer[args.date]) == args.n"),
    ]),
    steps: [
      [
        done("search", { date: "d1" }, [
          { number: 1, price: 5 },
          { number: 2, price: 6 },
        ]),
        "accepted",
      ],
      [done("search", { date: "d2" }, [{ number: 1, price: 7 }]), "accepted"],
      [call("book", { date: "d1", number: 1, price: 5 }), "allow"],
      [call("book", { date: "d2", number: 1, price: 5 }), "requirement_failed"],
      [call("book", { date: "d2", number: 2, price: 5 }), "requirement_unjudgeable"],
      [done("search", { date: "d1" }, [{ number: 3, price: 1 }]), "accepted"],
      [call("dates", { date: "d1", n: 1 }), "allow"],
      [call("book", { date: "d1", number: 1, price: 5 }), "requirement_unjudgeable"],
      [done("search", { date: "d1" }, []), "accepted"],
      [call("dates", { date: "d1", n: 0 }), "requirement_unjudgeable"],
    ],
  },
  {
    sentence: "decodes texts of JSON, and takes what does not decode for lost",
    pack: packOf([
      toolOf("read", {
        binds: [
          {
            name: "order",
            source: "output",
            path: "$.text",
            key: { source: "arguments", path: "$.id" },
            decode: "json",
          },
        ],
      }),
      PAID,
      KNOWN,
    ]),
    steps: [
      [done("read", { id: "a" }, { text: '{"state":"open"}' }), "accepted"],
      [call("pay", { id: "a" }), "allow"],
      [done("read", { id: "a" }, { text: "{" }), "accepted"],
      [call("known", { id: "a" }), "requirement_failed"],
    ],
  },
  {
    sentence: "unbinds even where the output was rejected, because the change happened",
    pack: packOf([READS, Object.assign(toolOf("change", CHANGES), OK), KNOWN]),
    steps: [
      [done("read", { id: "a" }, OPEN), "accepted"],
      [done("change", { id: "a" }, { ok: false }), "violation"],
      [call("known", { id: "a" }), "requirement_failed"],
    ],
  },
];
