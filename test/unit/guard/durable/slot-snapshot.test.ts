import { describe, expect, it } from "vitest";
import { BadRecord } from "../../../../src/guard/durable/log-record.js";
import { decodeSession, encodeSnapshot } from "../../../../src/guard/durable/session-snapshot.js";
import { SlotSession } from "../../../guard/slots/slot-session.js";

const PACK = `
#== put.yaml (with the required fields)
binds: [{ name: stock, path: $.n, key: $.id }, { name: seen, path: $.id, collect: union }]
#== ask.yaml (with the required fields)
commit_requirement: none
binds: [{ name: stock, source: output, path: $.n, key: { source: arguments, path: $.id } }]
#== find.yaml (with the required fields)
commit_requirement: none
binds: [{ name: stock, source: output, path: $.n, key: $.id }]
#== drop.yaml (with the required fields)
unbinds: [{ name: stock, key: $.id }]
`;

function sample(): SlotSession {
  const session = new SlotSession(PACK, "slot_limits: { stock: 4 }");
  for (const id of ["a", "b", "__proto__"]) session.call("put", { id, n: id }, {});
  session.open("ask", { id: "a" });
  session.open("find", {});
  session.call("drop", { id: "b" }, {});
  session.open("put", { id: "c", n: 1 });
  return session;
}

type Slot = Record<string, unknown>;

/** The sample with a change to one of its slots: the keyed one comes after the union. */
function changed(change: (stock: Slot, seen: Slot, all: Slot[]) => void): unknown {
  const state = JSON.parse(JSON.stringify(encodeSnapshot(sample().session)));
  const [seen, stock] = state.collections;
  change(stock, seen, state.collections);
  return state;
}

const entry = (keys: unknown, value: unknown) => ({ keys, value, at: 1, since: 1 });
const entries = (...all: readonly (readonly [unknown, unknown])[]) => ({
  entries: all.map(([keys, value]) => entry(keys, value)),
});
const step = (openCall: unknown, ...changes: readonly unknown[]) => ({ steps: [{ openCall, changes }] });
const binding = (keys: unknown, value: unknown) => ({ kind: "bind", bindings: [{ keys, value }] });

describe("keyed slots in a snapshot", () => {
  it("are read as they were written, in the same bytes", () => {
    const { program, session } = sample();
    const state = JSON.parse(JSON.stringify(encodeSnapshot(session)));
    expect(encodeSnapshot(decodeSession(program, state))).toEqual(encodeSnapshot(session));
    expect(JSON.stringify(encodeSnapshot(decodeSession(program, state)))).toBe(JSON.stringify(state));
  });

  it("are read as any steps that calls make", () => {
    for (const change of [
      { kind: "lost" },
      { kind: "clear", keys: [] },
      { kind: "unset", keys: ["a"] },
      binding(["a"], [1]),
    ]) {
      const state = changed((stock) => Object.assign(stock, step("call_4", change)));
      expect(encodeSnapshot(decodeSession(sample().program, state))).toEqual(state);
    }
  });

  it("are absent where a pack has none", () => {
    const plain = new SlotSession("#== put.yaml (with the required fields)\nbinds: [{ name: last, path: $.id }]\n");
    plain.call("put", { id: 1 });
    expect(encodeSnapshot(plain.session)).not.toHaveProperty("collections");
  });

  it.each<[string, Parameters<typeof changed>[0]]>([
    ["one slot less", (_stock, _seen, all) => all.pop()],
    ["one slot more", (stock, _seen, all) => all.push(stock)],
    ["too many values", (stock) => Object.assign(stock, entries(...[1, 2, 3, 4, 5].map((key) => [[key], 1] as const)))],
    ["a key twice", (stock) => Object.assign(stock, entries([["a"], 1], [["a"], 2]))],
    ["no key", (stock) => Object.assign(stock, entries([[], 1]))],
    ["a key of another type", (stock) => Object.assign(stock, entries([[null], 1]))],
    ["a step with two values", (stock) => Object.assign(stock, step("call_4", binding(["a"], [1, 2])))],
    ["a step without a key", (stock) => Object.assign(stock, step("call_4", binding([], [1])))],
    ["a value that nothing awaits", (stock) => Object.assign(stock, step(null, binding(["a"], [])))],
    ["an output that nothing awaits", (stock) => Object.assign(stock, step(null, { kind: "await" }))],
    [
      "a step that clears more than a key",
      (stock) => Object.assign(stock, step(null, { kind: "clear", keys: [1, 2] })),
    ],
    ["a step of another kind", (stock) => Object.assign(stock, step(null, { kind: "swap", keys: ["a"] }))],
    ["a step that binds nothing", (stock) => Object.assign(stock, step(null, { kind: "bind" }))],
    ["a call that is not open", (stock) => Object.assign(stock, step("call_1"))],
    ["a call that commits with its result", (stock) => Object.assign(stock, step("call_7"))],
    ["a call of another slot", (_, seen) => Object.assign(seen, step("call_5"))],
    ["too many steps", (stock) => Object.assign(stock, { steps: Array(1001).fill({ openCall: null, changes: [] }) })],
    ["a value of later", (stock) => Object.assign(stock, { serial: 0 })],
    ["an arrival of later", (_, seen) => Object.assign(seen, { arrivals: 0 })],
    ["a field that is not known", (stock) => Object.assign(stock, { more: 1 })],
  ])("are refused with %s", (_, change) => {
    expect(() => decodeSession(sample().program, changed(change))).toThrow(BadRecord);
  });
});
