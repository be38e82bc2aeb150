import { describe, expect, it } from "vitest";
import { decodeSession, encodeSnapshot } from "../../../src/guard/durable/session-snapshot.js";
import { advance } from "../../../src/guard/session/advance.js";
import { copySession } from "../../../src/guard/session/session.js";
import { inWorlds, type Read, SlotSession, shown } from "./slot-session.js";

const PACK = `
#== put.yaml (with the required fields)
binds:
  - { name: stock, path: $.n, key: $.id }
#== ask.yaml (with the required fields)
binds:
  - { name: stock, source: output, path: $.n, key: { source: arguments, path: $.id } }
#== find.yaml (with the required fields)
binds:
  - { name: stock, source: output, path: $.n, key: $.id }
#== drop.yaml (with the required fields)
unbinds:
  - { name: stock, key: $.id }
#== swap.yaml (with the required fields)
unbinds:
  - { name: stock, key: $.old }
binds:
  - { name: stock, path: $.n, key: $.id }
  - { name: owner, path: $.owner }
#== wipe.yaml (with the required fields)
unbinds:
  - { name: stock }
#== see.yaml (with the required fields)
binds:
  - { name: seen, path: "$.ids[*]", collect: union }
  - { name: owner, path: $.owner }
`;

const at =
  (id: string): Read =>
  (slots) =>
    slots.entry("stock", [id]);
const all: Read = (slots) => slots.branch("stock", []);
const both =
  (...reads: readonly Read[]): Read =>
  (slots) =>
    reads.map((read) => shown(read(slots)));

describe("an open call", () => {
  it("may leave its value, or not", () => {
    const session = new SlotSession(PACK);
    session.call("put", { id: "a", n: 1 });
    session.open("put", { id: "a", n: 2 });
    session.open("put", { id: "b", n: 3 });
    expect(session.worlds(at("a"))).toEqual([1, 2]);
    expect(session.worlds(at("b"))).toEqual(["unset", 3]);
    expect(session.worlds(at("c"))).toEqual(["unset"]);
    expect(session.bindings().stock).toEqual([{ key: "a", value: 1 }]);
  });

  it("leaves something unknown at a key of its arguments, and other keys alone", () => {
    const session = new SlotSession(PACK);
    session.call("put", { id: "a", n: 1 });
    session.open("ask", { id: "a" });
    expect(session.worlds(at("a"))).toEqual([1, "awaited"]);
    expect(session.worlds(at("b"))).toEqual(["unset"]);
    expect(session.worlds(all)).toEqual([[["a", 1]], "awaited"]);
  });

  it("may change any key if that comes with its output", () => {
    const session = new SlotSession(PACK);
    session.call("put", { id: "a", n: 1 });
    session.open("find", {});
    expect(session.worlds(at("a"))).toEqual([1, "awaited"]);
    expect(session.worlds(at("b"))).toEqual(["unset", "awaited"]);
  });

  it("may unbind its key, or not", () => {
    const session = new SlotSession(PACK);
    session.call("put", { id: "a", n: 1 });
    const id = session.open("drop", { id: "a" });
    expect(session.worlds(at("a"))).toEqual([1, "unset"]);
    session.end(id, "indeterminate");
    expect(session.worlds(at("a"))).toEqual([1, "unset"]);
    session.open("wipe", {});
    expect(session.worlds(at("a"))).toEqual([1, "unset", "unset"]);
  });

  it("unbinds even if its output is rejected, and then binds nothing", () => {
    const session = new SlotSession(PACK);
    session.call("put", { id: "a", n: 1 });
    session.open("swap", { old: "a", id: "b", n: 2, owner: "ann" });
    expect(session.worlds(both(at("a"), at("b"), (slots) => slots.read("owner")))).toEqual([
      [1, "unset", "unset"],
      ["unset", 2, "ann"],
      ["unset", "unset", "unset"],
    ]);
  });

  it("ends in one way for all that is read", () => {
    const session = new SlotSession(PACK);
    session.call("put", { id: "a", n: 1 });
    session.open("swap", { old: "x", id: "a", n: 2, owner: "ann" });
    session.open("swap", { old: "x", id: "a", n: 3, owner: "ben" });
    expect(session.worlds(both(at("a"), (slots) => slots.read("owner")))).toEqual([
      [1, "unset"],
      [2, "ann"],
      [3, "ben"],
    ]);
  });

  it("is told apart in every set and order where a slot is read as a whole", () => {
    const session = new SlotSession(PACK);
    session.open("see", { ids: [1], owner: "ann" });
    session.open("see", { ids: [2], owner: "ben" });
    expect(session.worlds((slots) => slots.union("seen"))).toEqual([[], [1], [2], [1, 2], [2, 1]]);
    expect(
      session.worlds(
        both(
          (slots) => slots.union("seen"),
          (slots) => slots.read("owner"),
        ),
      ),
    ).toEqual([
      [[], "unset"],
      [[1], "ann"],
      [[2], "ben"],
      [[1, 2], "ben"],
      [[2, 1], "ann"],
    ]);
    expect(session.worlds((slots) => slots.includes("seen", 2))).toEqual([false, true]);
  });

  it("is read after the whole as before it", () => {
    const session = new SlotSession(PACK);
    session.call("put", { id: "a", n: 1 });
    session.open("put", { id: "a", n: 2 });
    session.open("wipe", {});
    const reads = both(at("a"), all, at("a"));
    for (const world of session.worlds(reads)) {
      const [before, whole, after] = world as readonly unknown[];
      expect(after).toEqual(before);
      expect(whole).toEqual(before === "unset" ? [] : [["a", before]]);
    }
  });

  it("is not told apart from too many others", () => {
    const session = new SlotSession(PACK);
    for (let n = 0; n < 8; n++) session.open("put", { id: `${n}`, n });
    expect(session.worlds(all)).toEqual(["awaited"]);
    expect(session.worlds(at("3"))).toEqual(["unset", 3]);
  });

  it("may forget a key with a value that is not known yet", () => {
    const session = new SlotSession(PACK, "slot_limits: { stock: 1 }");
    session.call("put", { id: "a", n: 1 });
    session.open("ask", { id: "b" });
    expect(session.worlds(both(at("a"), at("b"), at("x")))).toEqual([
      [1, "unset", "unset"],
      ["forgotten", "awaited", "forgotten"],
    ]);
  });

  it("may clear a slot that is unknown, which is known then", () => {
    const session = new SlotSession(PACK);
    session.call("find", {});
    session.open("drop", { id: "a" });
    expect(session.worlds(at("a"))).toEqual(["lost", "lost"]);
    session.open("wipe", {});
    expect(new Set(session.worlds(at("a")))).toEqual(new Set(["lost", "unset"]));
  });

  it("is one call in a copy of the session", () => {
    const session = new SlotSession(PACK);
    session.call("put", { id: "a", n: 1 });
    const id = session.open("put", { id: "a", n: 2 });
    const copy = copySession(session.session);
    advance(session.program, copy, { kind: "settled", callId: id, ending: "committed", sign: "neither" });
    expect(inWorlds(copy, at("a"))).toEqual([2]);
    expect(session.worlds(at("a"))).toEqual([1, 2]);
    session.end(id, "released");
    expect(session.worlds(at("a"))).toEqual([1]);
    expect(inWorlds(copy, at("a"))).toEqual([2]);
  });
});

const SENT = `
#== put.yaml (with the required fields)
binds:
  - { name: stock, path: $.n, key: $.id }
#== drop.yaml (with the required fields)
unbinds:
  - { name: stock, key: $.id }
#== fire.yaml (with the required fields)
commit_requirement: none
binds:
  - { name: stock, path: $.n, key: $.id }
#== ask.yaml (with the required fields)
commit_requirement: none
binds:
  - { name: stock, source: output, path: $.n, key: { source: arguments, path: $.id } }
#== find.yaml (with the required fields)
commit_requirement: none
unbinds:
  - { name: stock, key: { source: output, path: $.gone } }
binds:
  - { name: stock, source: output, path: $.n, key: $.id }
#== wipe.yaml (with the required fields)
commit_requirement: none
unbinds:
  - { name: stock }
`;

describe("a call that commits when it is sent", () => {
  it("binds and unbinds at once what its arguments say, whatever becomes of it", () => {
    const session = new SlotSession(SENT);
    const id = session.open("fire", { id: "a", n: 1 });
    expect(session.worlds(at("a"))).toEqual([1]);
    session.end(id, "violated");
    expect(session.worlds(at("a"))).toEqual([1]);
    session.open("wipe", {});
    expect(session.worlds(all)).toEqual([[]]);
  });

  it("has its value awaited at its key", () => {
    for (const [end, left] of [
      ["output", 2],
      ["empty", "unset"],
      ["nothing", "unset"],
      ["violated", "unset"],
    ] as const) {
      const session = new SlotSession(SENT);
      session.call("put", { id: "a", n: 1 });
      session.call("put", { id: "b", n: 1 });
      const id = session.open("ask", { id: "a" });
      expect(session.worlds(both(at("a"), at("b")))).toEqual([["awaited", 1]]);
      expect(session.bindings().stock).toEqual([{ key: "b", value: 1 }]);
      if (end === "violated") session.end(id, end);
      else session.commit(id, end === "nothing" ? undefined : end === "empty" ? {} : { n: 2 });
      expect(session.worlds(both(at("a"), at("b")))).toEqual([[left, 1]]);
    }
  });

  it("does not replace what was bound or unbound after it", () => {
    for (const [tool, left] of [
      ["put", 5],
      ["drop", "unset"],
      ["wipe", "unset"],
    ] as const) {
      const session = new SlotSession(SENT);
      const id = session.open("ask", { id: "a" });
      session.call(tool, { id: "a", n: 5 });
      expect(session.worlds(at("a"))).toEqual([left]);
      session.commit(id, { n: 2 });
      expect(session.worlds(at("a"))).toEqual([left]);
    }
  });

  it("may change any key until its output arrives, but not what came after it", () => {
    const session = new SlotSession(SENT);
    for (const id of ["a", "b", "c"]) session.call("put", { id, n: 1 });
    const id = session.open("find", {});
    session.call("put", { id: "b", n: 5 });
    session.call("drop", { id: "c" });
    expect(session.worlds(both(at("a"), at("b"), at("c"), at("x")))).toEqual([["awaited", 5, "awaited", "awaited"]]);
    expect(session.worlds(all)).toEqual(["awaited"]);
    const copy = copySession(session.session);
    session.commit(id, { id: "b", n: 2, gone: "a" });
    expect(session.worlds(all)).toEqual([[["b", 5]]]);
    advance(session.program, copy, {
      kind: "settled",
      callId: id,
      ending: "committed",
      output: { id: "c", n: 2, gone: "b" },
      sign: "neither",
    });
    expect(inWorlds(copy, all)).toEqual([
      [
        ["a", 1],
        ["b", 5],
      ],
    ]);
  });

  it("binds a key that a call before it leaves unset later", () => {
    const session = new SlotSession(SENT);
    const asked = session.open("ask", { id: "a" });
    const found = session.open("find", {});
    session.commit(asked);
    session.commit(found, { id: "a", n: 3, gone: "x" });
    expect(session.worlds(all)).toEqual([[["a", 3]]]);
  });

  it("loses what was bound before it if its output is lost", () => {
    const session = new SlotSession(SENT);
    session.call("put", { id: "a", n: 1 });
    const id = session.open("find", {});
    session.call("put", { id: "b", n: 5 });
    session.commit(id);
    expect(session.worlds(both(at("a"), at("b"), at("x")))).toEqual([["lost", 5, "lost"]]);
  });

  it("changes nothing once the slot was cleared", () => {
    const session = new SlotSession(SENT);
    const id = session.open("find", {});
    session.open("wipe", {});
    expect(session.worlds(all)).toEqual([[]]);
    session.commit(id, { id: "a", n: 1, gone: "b" });
    expect(session.worlds(all)).toEqual([[]]);
  });

  it("never brings back what was bound after it and forgotten", () => {
    const session = new SlotSession(SENT, "slot_limits: { stock: 1 }");
    const id = session.open("find", {});
    session.call("put", { id: "a", n: 5 });
    session.call("put", { id: "b", n: 6 });
    session.commit(id, { id: "a", n: 2, gone: "x" });
    expect(session.worlds(both(at("a"), at("b")))).toEqual([["forgotten", 6]]);
  });

  it("is lost once too much came after it to be kept", () => {
    const session = new SlotSession(SENT, "slot_limits: { stock: 2 }");
    const id = session.open("find", {});
    for (let key = 1; key < 1000; key++) session.call("drop", { id: `${key}` });
    expect(session.worlds(at("x"))).toEqual(["awaited"]);
    session.call("put", { id: "a", n: 5 });
    expect(session.worlds(both(at("a"), at("x")))).toEqual([[5, "lost"]]);
    session.commit(id, { id: "x", n: 2, gone: "y" });
    expect(session.worlds(both(at("a"), at("x")))).toEqual([[5, "lost"]]);
  });

  it("still counts where its own call was the one too many, and the session can be stored", () => {
    const session = new SlotSession(SENT, "slot_limits: { stock: 2 }");
    session.open("find", {});
    for (let key = 1; key < 1000; key++) session.call("drop", { id: `${key}` });
    const [asked, found] = [session.open("ask", { id: "a" }), session.open("find", {})];
    const stored = JSON.parse(JSON.stringify(encodeSnapshot(session.session)));
    expect(encodeSnapshot(decodeSession(session.program, stored))).toEqual(encodeSnapshot(session.session));
    expect(session.worlds(both(at("a"), at("x")))).toEqual([["awaited", "awaited"]]);
    session.commit(asked, { n: 5 });
    session.commit(found, { id: "b", n: 6, gone: "x" });
    expect(session.worlds(both(at("a"), both(at("b"), at("x"))))).toEqual([[5, [6, "lost"]]]);
  });
});

describe("a result that came too late", () => {
  it("binds nothing if it happened, and what it may have changed is lost", () => {
    const session = new SlotSession(PACK);
    session.call("put", { id: "a", n: 1 });
    session.call("put", { id: "b", n: 1 });
    for (const [tool, args] of [
      ["drop", { id: "a" }],
      ["ask", { id: "b" }],
      ["put", { id: "c", n: 3 }],
    ] as const) {
      const callId = session.open(tool, args);
      advance(session.program, session.session, {
        kind: "settled",
        callId,
        ending: "released",
        sign: "neither",
        isDenied: true,
      });
      advance(session.program, session.session, { kind: "late_result", callId });
      advance(session.program, session.session, { kind: "late_result_acknowledged", callId, happened: true });
    }
    expect(session.worlds(all)).toEqual([[]]);
  });
});
