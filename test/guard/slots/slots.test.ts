import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/base/json.js";
import { type Read, SlotSession, shown } from "./slot-session.js";

const BOOKINGS = `
#== get.yaml (with the required fields)
side_effect: read
binds:
  - { name: booking, source: output, path: $, key: $.id }
#== ask.yaml (with the required fields)
side_effect: read
binds:
  - { name: booking, source: output, path: $.booking, key: { source: arguments, path: $.id } }
#== put.yaml (with the required fields)
binds:
  - { name: booking, path: $.booking, key: $.id }
#== named.yaml (with the required fields)
binds:
  - { name: booking, path: $.booking, key: { source: output, path: $.id } }
#== list.yaml (with the required fields)
binds:
  - { name: booking, source: output, path: "$.found[*]", key: "@.id" }
#== cancel.yaml (with the required fields)
unbinds:
  - { name: booking, key: $.id }
#== merge.yaml (with the required fields)
unbinds:
  - { name: booking, key: { source: output, path: $.gone } }
#== wipe.yaml (with the required fields)
unbinds:
  - { name: booking }
`;

const at =
  (...keys: readonly (string | number | boolean)[]): Read =>
  (slots) =>
    slots.entry("booking", keys);
const all: Read = (slots) => slots.branch("booking", []);

describe("a keyed slot", () => {
  it("starts empty", () => {
    const session = new SlotSession(BOOKINGS);
    expect(session.now(at("a"))).toBe("unset");
    expect(session.now(all)).toEqual([]);
    expect(session.bindings()).toEqual({ booking: [] });
  });

  it("has one value for each key, the latest one", () => {
    const session = new SlotSession(BOOKINGS);
    session.call("get", {}, { id: "a", n: 1 });
    session.call("ask", { id: "b" }, { booking: 2 });
    session.call("put", { id: "c", booking: 3 }, {});
    session.call("named", { booking: 4 }, { id: "d" });
    session.call("put", { id: "a", booking: 5 }, {});
    expect(session.bindings().booking).toEqual([
      { key: "b", value: 2 },
      { key: "c", value: 3 },
      { key: "d", value: 4 },
      { key: "a", value: 5 },
    ]);
    expect(session.now(at("a"))).toBe(5);
    expect(session.now(at("e"))).toBe("unset");
  });

  it("tells keys apart by their type", () => {
    const session = new SlotSession(BOOKINGS);
    for (const [value, id] of ["1", 1, true, "true", "__proto__", "constructor", ""].entries())
      session.call("put", { id, booking: value });
    expect(
      [at("1"), at(1), at(true), at("true"), at("__proto__"), at("constructor"), at("")].map((read) =>
        session.now(read),
      ),
    ).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect([at(false), at("toString"), at(0)].map((read) => session.now(read))).toEqual(["unset", "unset", "unset"]);
    expect(session.now(all)).toHaveLength(7);
  });

  it("has each match under its own key, and keeps what a later answer does not bring", () => {
    const session = new SlotSession(BOOKINGS);
    session.call("list", {}, { found: [{ id: "a" }, { id: "b" }] });
    session.call("list", {}, { found: [{ id: "b", n: 2 }] });
    session.call("list", {}, { found: [] });
    session.call("list", {}, { other: 1 });
    expect(session.now(all)).toEqual([
      ["a", { id: "a" }],
      ["b", { id: "b", n: 2 }],
    ]);
  });

  it("is unbound by key, and as a whole", () => {
    const session = new SlotSession(BOOKINGS);
    for (const id of ["a", "b"]) session.call("put", { id, booking: id });
    session.call("cancel", { id: "a" }, {});
    expect([at("a"), at("b")].map((read) => session.now(read))).toEqual(["unset", "b"]);
    session.call("wipe", {}, {});
    expect(session.now(all)).toEqual([]);
  });

  it.each([
    ["no output", undefined],
    ["an output without the value", {}],
  ] as const)("unsets the key of the arguments for %s", (_, output) => {
    const session = new SlotSession(BOOKINGS);
    for (const id of ["a", "b"]) session.call("put", { id, booking: id });
    session.call("ask", { id: "a" }, output);
    expect([at("a"), at("b")].map((read) => session.now(read))).toEqual(["unset", "b"]);
    expect(session.now((slots) => [slots.isLeftUnset("booking", ["a"]), slots.isLeftUnset("booking", ["c"])])).toEqual([
      true,
      false,
    ]);
  });

  it("unsets the key of the arguments for an output that was rejected", () => {
    const session = new SlotSession(BOOKINGS);
    for (const id of ["a", "b"]) session.call("put", { id, booking: id });
    session.end(session.open("ask", { id: "a" }), "violated");
    expect([at("a"), at("b")].map((read) => session.now(read))).toEqual(["unset", "b"]);
  });

  it.each([
    ["get", undefined],
    ["get", { n: 1 }],
    ["get", { id: null }],
    ["get", { id: ["a"] }],
    ["named", undefined],
    ["named", {}],
    ["list", undefined],
    ["list", { found: [{ id: "a" }, { n: 1 }] }],
    ["merge", undefined],
    ["merge", {}],
  ] as const)("is unknown after %s without the key, %j", (tool, output) => {
    const session = new SlotSession(BOOKINGS);
    session.call("put", { id: "a", booking: 1 });
    session.call(tool, { booking: 9 }, output);
    expect([at("a"), at("b"), all].map((read) => session.now(read))).toEqual(["lost", "lost", "lost"]);
    session.call("put", { id: "a", booking: 2 });
    expect([at("a"), at("b"), all].map((read) => session.now(read))).toEqual([2, "lost", "lost"]);
    session.call("cancel", { id: "a" }, {});
    expect(session.now(at("a"))).toBe("lost");
    session.call("wipe", {}, {});
    expect([at("a"), all].map((read) => session.now(read))).toEqual(["unset", []]);
  });

  it("is unknown after an output with the key was rejected", () => {
    const session = new SlotSession(BOOKINGS);
    session.call("put", { id: "a", booking: 1 });
    session.end(session.open("get", {}), "violated");
    expect(session.now(at("a"))).toBe("lost");
  });

  it("binds what the arguments say without an output, and nothing if that was rejected", () => {
    const session = new SlotSession(BOOKINGS);
    session.call("put", { id: "a", booking: 1 });
    expect(session.now(at("a"))).toBe(1);
    session.end(session.open("put", { id: "a", booking: 2 }), "violated");
    expect(session.now(at("a"))).toBe(1);
  });

  it("is unbound by a call that happened, whatever became of its output", () => {
    const session = new SlotSession(BOOKINGS);
    for (const id of ["a", "b"]) session.call("put", { id, booking: id });
    session.end(session.open("cancel", { id: "a" }), "violated");
    session.call("cancel", { id: "b" });
    expect(session.now(all)).toEqual([]);
  });

  it("keeps everything when a call is released", () => {
    const session = new SlotSession(BOOKINGS);
    session.call("put", { id: "a", booking: 1 });
    for (const tool of ["put", "ask", "cancel", "wipe", "get"])
      session.end(session.open(tool, { id: "a", booking: 2 }), "released");
    expect(session.now(at("a"))).toBe(1);
  });

  it.each([
    ["put", { booking: 1 }],
    ["put", { id: null, booking: 1 }],
    ["put", { id: { a: 1 }, booking: 1 }],
    ["put", { id: "a" }],
    ["ask", {}],
    ["cancel", {}],
    ["cancel", { id: [] }],
  ] as const)("blocks %s without a key or a value, %j", (tool, args) => {
    const session = new SlotSession(BOOKINGS);
    expect(session.propose(tool, args)).toMatchObject({ kind: "block", reason: "bind_missing" });
    expect(session.session.toolCalls).toBe(0);
  });
});

const OFFERS = `
#== search.yaml (with the required fields)
unbinds:
  - { name: offer, key: $.date }
binds:
  - { name: offer, source: output, path: "$[*]", key: [{ source: arguments, path: $.date }, "@.number"] }
#== add.yaml (with the required fields)
binds:
  - { name: offer, path: "$.offers[*]", key: ["$.date", "@.number"] }
#== drop.yaml (with the required fields)
unbinds:
  - { name: offer, key: [$.date, $.number] }
`;

describe("a nested slot", () => {
  const flights = [
    { number: 1, price: 10 },
    { number: "1", price: 20 },
  ];

  it("is read below fewer keys than it has", () => {
    const session = new SlotSession(OFFERS);
    session.call("search", { date: "mon" }, flights);
    session.call("search", { date: "tue" }, [{ number: 7 }]);
    expect(session.now((slots) => slots.branch("offer", ["mon"]))).toEqual([
      [1, flights[0]],
      ["1", flights[1]],
    ]);
    expect(session.now((slots) => slots.branch("offer", []))).toEqual([
      [
        "mon",
        [
          [1, flights[0]],
          ["1", flights[1]],
        ],
      ],
      ["tue", [[7, { number: 7 }]]],
    ]);
    expect(session.now((slots) => slots.branch("offer", ["wed"]))).toEqual([]);
    expect(session.now((slots) => slots.entry("offer", ["mon", 1]))).toEqual(flights[0]);
    expect(session.bindings().offer).toContainEqual({ key: ["tue", 7], value: { number: 7 } });
  });

  it("is unbound before the same call binds: a new answer replaces the branch", () => {
    const session = new SlotSession(OFFERS);
    session.call("search", { date: "mon" }, flights);
    session.call("search", { date: "tue" }, flights);
    session.call("search", { date: "mon" }, [{ number: 2 }]);
    expect(session.now((slots) => slots.branch("offer", ["mon"]))).toEqual([[2, { number: 2 }]]);
    expect(session.now((slots) => slots.branch("offer", ["tue"]))).toHaveLength(2);
    session.call("drop", { date: "tue", number: 1 });
    expect(session.now((slots) => slots.branch("offer", ["tue"]))).toEqual([["1", flights[1]]]);
  });

  it("is unknown as a whole if only its outer key is known", () => {
    const session = new SlotSession(OFFERS);
    session.call("search", { date: "mon" }, flights);
    session.call("search", { date: "tue" });
    expect(session.now((slots) => slots.entry("offer", ["mon", 1]))).toBe("lost");
  });

  it("blocks arguments with a match that lacks its key", () => {
    const session = new SlotSession(OFFERS);
    expect(session.propose("add", { date: "mon", offers: [{ number: 1 }, {}] })).toMatchObject({
      kind: "block",
      reason: "bind_missing",
    });
    expect(session.propose("add", { offers: [{ number: 1 }] })).toMatchObject({
      kind: "block",
      reason: "bind_missing",
    });
    session.call("add", { date: "mon", offers: [] });
    session.call("add", { date: "mon", offers: flights });
    expect(session.now((slots) => slots.branch("offer", ["mon"]))).toHaveLength(2);
  });

  it("counts leaves towards its limit", () => {
    const session = new SlotSession(OFFERS, "slot_limits: { offer: 2 }");
    session.call("search", { date: "mon" }, flights);
    session.call("search", { date: "tue" }, [{ number: 7 }]);
    expect(session.now((slots) => slots.branch("offer", ["mon"]))).toEqual({ incomplete: [["1", flights[1]]] });
  });
});

const SEEN = `
#== see.yaml (with the required fields)
binds:
  - { name: seen, path: "$.ids[*]", collect: union }
#== learn.yaml (with the required fields)
binds:
  - { name: seen, source: output, path: "$..id", collect: union }
#== wipe.yaml (with the required fields)
unbinds:
  - { name: seen }
`;

const seen: Read = (slots) => slots.union("seen");
const has =
  (value: Json): Read =>
  (slots) =>
    slots.includes("seen", value);

describe("a union", () => {
  it("has the distinct values of all calls in the order of their arrival", () => {
    const session = new SlotSession(SEEN);
    expect(session.now(seen)).toEqual([]);
    session.call("see", { ids: ["a", 1, { x: 1, y: 2 }] });
    session.call("learn", {}, [{ id: "b" }, { id: { y: 2, x: 1.0 } }, { deep: { id: "a" } }]);
    session.call("see", { ids: ["1", "b", null] });
    expect(session.now(seen)).toEqual(["a", 1, { x: 1, y: 2 }, "b", "1", null]);
    expect(session.bindings().seen).toEqual(["a", 1, { x: 1, y: 2 }, "b", "1", null]);
    expect(session.now((slots) => [slots.includes("seen", null), slots.includes("seen", true)])).toEqual([true, false]);
  });

  it("adds nothing where its path has no match", () => {
    const session = new SlotSession(SEEN);
    session.call("see", {});
    session.call("learn", {}, {});
    expect(session.now(seen)).toEqual([]);
  });

  it("is unknown after an output was lost or rejected, and known again once it was unbound", () => {
    for (const lose of ["happened", "violated"] as const) {
      const session = new SlotSession(SEEN);
      session.call("see", { ids: ["a"] });
      const id = session.open("learn", {});
      if (lose === "happened") session.commit(id);
      else session.end(id, lose);
      expect(session.now(seen)).toBe("lost");
      expect(session.now((slots) => slots.includes("seen", "a"))).toBe("lost");
      session.call("see", { ids: ["b"] });
      expect(session.now((slots) => [slots.includes("seen", "b")])).toEqual([true]);
      session.call("wipe", {});
      expect(session.now(seen)).toEqual([]);
    }
  });

  it("forgets the value that was added longest ago", () => {
    const session = new SlotSession(SEEN, "slot_limits: { seen: 2 }");
    session.call("see", { ids: ["a", "b"] });
    session.call("see", { ids: ["a"] });
    expect(session.now(seen)).toEqual(["a", "b"]);
    session.call("see", { ids: ["c"] });
    expect(session.now(seen)).toEqual({ incomplete: ["a", "c"] });
    expect(session.now(has("a"))).toBe(true);
    expect(session.now(has("b"))).toBe("forgotten");
    expect(session.now(has("never"))).toBe("forgotten");
  });
});

describe("forgetting", () => {
  it("leaves everything at exactly the limit, and drops the key whose latest binding is longest ago", () => {
    const session = new SlotSession(BOOKINGS, "slot_limits: { booking: 3 }");
    for (const id of ["a", "b", "c"]) session.call("put", { id, booking: 1 });
    expect(session.now(at("x"))).toBe("unset");
    session.call("put", { id: "a", booking: 2 });
    session.call("put", { id: "d", booking: 1 });
    expect([at("a"), at("b"), at("c"), at("d"), at("x")].map((read) => session.now(read))).toEqual([
      2,
      "forgotten",
      1,
      1,
      "forgotten",
    ]);
    expect(session.now(all)).toMatchObject({
      incomplete: [
        ["c", 1],
        ["a", 2],
        ["d", 1],
      ],
    });
    session.call("cancel", { id: "d" });
    expect(session.now(at("d"))).toBe("forgotten");
    session.call("wipe", {});
    expect(session.now(at("d"))).toBe("unset");
  });

  it("happens on commit: a call that is open forgets nothing yet, but may", () => {
    const session = new SlotSession(BOOKINGS, "slot_limits: { booking: 1 }");
    session.call("put", { id: "a", booking: 1 });
    const id = session.open("put", { id: "b", booking: 2 });
    expect(session.bindings().booking).toEqual([{ key: "a", value: 1 }]);
    expect(session.worlds(at("a"))).toEqual([1, "forgotten"]);
    session.end(id, "released");
    expect(session.worlds(at("a"))).toEqual([1]);
  });

  it("keeps 10,000 keys without a limit, and no more", () => {
    const session = new SlotSession(BOOKINGS);
    const found = Array.from({ length: 10_000 }, (_, id) => ({ id }));
    session.call("list", {}, { found });
    expect(session.now(at(10_000))).toBe("unset");
    session.call("put", { id: "one more", booking: 1 });
    expect([at(0), at(1)].map((read) => session.now(read))).toEqual(["forgotten", { id: 1 }]);
    expect(session.bindings().booking).toHaveLength(10_000);
  });
});

describe("an output that is too large to be told apart", () => {
  it("leaves a slot unknown, in counted work", () => {
    const session = new SlotSession(BOOKINGS + SEEN.replace("wipe", "unsee"));
    const found = Array.from({ length: 200_000 }, (_, id) => ({ id }));
    session.call("list", {}, { found });
    session.call(
      "learn",
      {},
      Array.from({ length: 500_000 }, (_, id) => ({ id })),
    );
    expect(session.now((slots) => [shown(slots.entry("booking", [1])), shown(slots.union("seen"))])).toEqual([
      "lost",
      "lost",
    ]);
  });

  it("refuses arguments that take too much work to be decoded", () => {
    const text = `"${"x".repeat(4_000_000)}"`;
    expect(new SlotSession(DECODED).propose("put", { text })).toMatchObject({
      kind: "block",
      reason: "unjudgeable_cost",
    });
  });
});

const DECODED = `
#== get.yaml (with the required fields)
binds:
  - { name: profile, source: output, path: $, decode: json, key: { source: arguments, path: $.id } }
  - { name: last, source: output, path: $, decode: json }
  - { name: tags, source: output, path: $, decode: json, collect: union }
#== found.yaml (with the required fields)
binds:
  - { name: profile, source: output, path: $, decode: json, key: "@.id" }
#== put.yaml (with the required fields)
binds:
  - { name: last, path: $.text, decode: json }
  - { name: profile, path: $.text, decode: json, key: "@.id" }
  - { name: tags, path: "$.tags[*]", decode: json, collect: union }
`;

describe("decode: json", () => {
  it("binds what the text is the JSON of", () => {
    const session = new SlotSession(DECODED);
    session.call("get", { id: "a" }, '{"id":"b","__proto__":{"x":1}}');
    expect(session.now((slots) => slots.read("last"))).toEqual(JSON.parse('{"id":"b","__proto__":{"x":1}}'));
    expect(session.now((slots) => slots.entry("profile", ["a"]))).toHaveProperty("id", "b");
    expect(session.now((slots) => slots.union("tags"))).toHaveLength(1);
    session.call("found", {}, '{"id":"c"}');
    expect(session.now((slots) => slots.entry("profile", ["c"]))).toEqual({ id: "c" });
  });

  it.each([["no JSON"], [{ id: "a" }], [7], [`${"[".repeat(200)}${"]".repeat(200)}`]])(
    "loses what does not decode: %j",
    (output) => {
      const session = new SlotSession(DECODED);
      session.call("get", { id: "a" }, '{"id":"a"}');
      session.call("get", { id: "b" }, '{"id":"b"}');
      session.call("get", { id: "a" }, output);
      expect(session.now((slots) => slots.read("last"))).toBe("unset");
      expect(
        session.now((slots) =>
          [slots.entry("profile", ["a"]), slots.entry("profile", ["b"])].map((value) => value === undefined),
        ),
      ).toEqual([true, false]);
      expect(session.now((slots) => slots.union("tags"))).toBe("lost");
      session.call("found", {}, output);
      expect(session.now((slots) => slots.entry("profile", ["b"]))).toBe("lost");
    },
  );

  it.each([[{ text: "{" }], [{ text: 5 }], [{}], [{ text: "{}" }], [{ text: '{"id":"a"}', tags: ["1", "x"] }]])(
    "blocks arguments that do not decode: %j",
    (args) => {
      expect(new SlotSession(DECODED).propose("put", args)).toMatchObject({ kind: "block", reason: "bind_missing" });
    },
  );

  it("binds decoded arguments", () => {
    const session = new SlotSession(DECODED);
    session.call("put", { text: '{"id":"a"}', tags: ["1", '"x"'] });
    expect(session.bindings()).toEqual({
      last: { id: "a" },
      profile: [{ key: "a", value: { id: "a" } }],
      tags: [1, "x"],
    });
  });
});

const PLAIN = `
#== login.yaml (with the required fields)
binds:
  - { name: user, path: $.user }
#== logout.yaml (with the required fields)
unbinds:
  - { name: user }
#== act.yaml (with the required fields)
argument_value_invariants:
  - { path: $.user, ref: user }
`;

describe("a plain slot", () => {
  it("is unset once it was unbound, also by a call whose output was rejected", () => {
    for (const ending of ["committed", "violated"] as const) {
      const session = new SlotSession(PLAIN);
      session.call("login", { user: "ann" });
      const id = session.open("logout", {});
      expect(session.worlds((slots) => slots.read("user"))).toEqual(["ann", "unset"]);
      expect(session.propose("act", { user: "ann" })).toMatchObject({ kind: "block", reason: "ref_unset" });
      if (ending === "committed") session.commit(id);
      else session.end(id, ending);
      expect(session.now((slots) => slots.read("user"))).toBe("unset");
      expect(session.propose("act", { user: "ann" })).toMatchObject({ kind: "block", reason: "ref_unset" });
    }
  });

  it("stays bound when the call that would unbind it is released", () => {
    const session = new SlotSession(PLAIN);
    session.call("login", { user: "ann" });
    session.end(session.open("logout", {}), "released");
    expect(session.propose("act", { user: "ann" })).toMatchObject({ kind: "allow" });
  });
});
