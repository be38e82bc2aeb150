import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/base/json.js";
import { loadGuard } from "./adapter.js";
import { tryCompile } from "./compile-pack.js";
import { duel } from "./duel.js";
import type { Operation } from "./generate/operation.js";
import type { Setting } from "./generate/trace.js";
import type { Pack } from "./reference/model.js";
import { needs, packOf, toolOf } from "./scenarios/language-1-1.js";

const SETTING: Setting = {
  principal: null,
  env: {},
  unmatched: "block",
  mode: "enforce",
  approver: "manual",
  settleTimeoutMs: 30_000,
  store: "failing",
  padding: 0,
  first: { approvals: {} },
  second: null,
};

const SENT = { commit_requirement: "none" } as const;
const BY_OUTPUT = { source: "output", path: "$.id" } as const;
const FOUND = { name: "order", source: "output", path: "$", key: "$.id" } as const;

const call = (tool: string, args: JsonObject = {}) => ({ op: "propose", tool, args }) as const;
/** Settles an open call, counted from the last one. */
const settle = (output: Json, back = 0): Operation => ({
  op: "settle",
  among: "open",
  back,
  outcome: { kind: "result", output },
});

interface Case {
  readonly sentence: string;
  readonly pack: Pack;
  readonly setting?: Partial<Setting>;
  readonly operations: readonly Operation[];
  /** The reasons of all refusals and violations, in their order. */
  readonly reasons: readonly string[];
}

/** Where the guard and the reference gave different answers, and what the language says. */
const CASES: readonly Case[] = [
  {
    sentence: "a slot that has forgotten something cannot be read as a whole, whatever an output may bring",
    pack: packOf(
      [
        toolOf("put", { binds: [{ name: "order", path: "$.n", key: "$.id" }] }),
        toolOf("find", { ...SENT, binds: [FOUND] }),
        needs("count", "size(slots.order) < 3"),
      ],
      { slot_limits: { order: 1 } },
    ),
    operations: [
      ...["a", "b"].flatMap((id) => [call("put", { id, n: 1 }), settle({})]),
      call("find"),
      call("count"),
      settle({ id: "c" }),
      call("count"),
    ],
    reasons: ["requirement_unjudgeable", "requirement_unjudgeable"],
  },
  {
    sentence: "a guarantee of a call that commits when it is sent is judged without what the call changed itself",
    pack: packOf([
      toolOf("mark", {
        ...SENT,
        binds: [{ name: "seen", path: "$.id", collect: "union" }],
        ensures: [{ that: "!(args.id in slots.seen)", reason: "Once only" }],
      }),
      toolOf("other", { binds: [{ name: "seen", path: "$.id", collect: "union" }] }),
    ]),
    operations: [
      call("mark", { id: "a" }),
      settle({}),
      call("mark", { id: "a" }),
      settle({}),
      call("mark", { id: "b" }),
      call("other", { id: "b" }),
      settle({}),
      settle({}),
    ],
    reasons: ["guarantee_failed", "guarantee_failed"],
  },
  {
    sentence: "what a guarantee reads is also known where the call unbinds it",
    pack: packOf([
      toolOf("put", { binds: [{ name: "order", path: "$.n", key: "$.id" }] }),
      toolOf("take", {
        ...SENT,
        unbinds: [{ name: "order", key: "$.id" }],
        ensures: [{ that: "slots.order[args.id] == output.n", reason: "As it was" }],
      }),
    ]),
    setting: { store: "durable" },
    operations: [
      call("put", { id: "a", n: 1 }),
      settle({}),
      call("take", { id: "a" }),
      { op: "reopen" },
      settle({ n: 1 }),
      call("take", { id: "a" }),
      settle({ n: 1 }),
    ],
    reasons: ["reopened", "guarantee_failed"],
  },
  {
    sentence: "an output takes effect at the place of its call, so that it is forgotten before what came later",
    pack: packOf(
      [
        toolOf("find", { ...SENT, binds: [FOUND] }),
        toolOf("put", { binds: [{ name: "order", path: "$.n", key: "$.id" }] }),
        needs("known", "args.id in slots.order"),
      ],
      { slot_limits: { order: 1 } },
    ),
    operations: [
      call("find"),
      call("put", { id: "a", n: 1 }),
      settle({}),
      settle({ id: "b" }),
      call("known", { id: "b" }),
      call("known", { id: "a" }),
    ],
    reasons: ["requirement_unjudgeable"],
  },
  {
    sentence: "values that were forgotten since do not make an output lost that is awaited",
    pack: packOf(
      [
        toolOf("put", { binds: [{ name: "seen", path: "$.id", collect: "union" }] }),
        toolOf("list", { ...SENT, binds: [{ name: "seen", source: "output", path: "$[*]", collect: "union" }] }),
        needs("fresh", "!(args.id in slots.seen)"),
      ],
      { slot_limits: { seen: 1 } },
    ),
    operations: [call("list"), ...["a", "b", "a"].map((id) => call("put", { id })), call("fresh", { id: "c" })],
    reasons: ["pending_conflict"],
  },
  {
    sentence: "members have no order: those that one call collects are forgotten by their names",
    pack: packOf(
      [
        toolOf("list", { binds: [{ name: "seen", source: "output", path: "$.*", collect: "union" }] }),
        needs("known", "args.id in slots.seen"),
      ],
      { slot_limits: { seen: 1 } },
    ),
    operations: [call("list"), settle({ b: 1, a: 2 }), call("known", { id: 2 }), call("known", { id: 1 })],
    reasons: ["requirement_unjudgeable"],
  },
  {
    sentence: "a key that the arguments lack is lost, and not awaited",
    pack: packOf([
      toolOf("put", { binds: [{ name: "order", path: "$.n", key: "$.id" }] }),
      toolOf("drop", { unbinds: [{ name: "order", key: "$.id" }] }),
      needs("fresh", "!(args.id in slots.order)"),
    ]),
    setting: { mode: "shadow" },
    operations: [call("drop"), call("drop", { id: "a" }), call("fresh", { id: "a" }), call("fresh", { id: "b" })],
    reasons: ["bind_missing", "requirement_unjudgeable", "requirement_unjudgeable"],
  },
  {
    sentence: "a call that lacks its value, and whose output lacks its key, may have unset any key",
    pack: packOf([
      toolOf("put", { binds: [{ name: "order", path: "$.n", key: BY_OUTPUT }] }),
      needs("known", "args.id in slots.order"),
    ]),
    setting: { mode: "shadow" },
    operations: [call("put", { n: 1 }), settle({ id: "a" }), call("put"), settle({}), call("known", { id: "a" })],
    reasons: ["bind_missing", "requirement_unjudgeable"],
  },
  {
    sentence: "a request that expired is refused in the words of its checkpoint, each time",
    pack: packOf([toolOf("pay", { checkpoint: { when: "always", timeout_seconds: 30, reason: "Two see it" } })]),
    operations: [
      call("pay"),
      { op: "wait", seconds: 30 },
      { op: "approve", back: 0, by: "ann" },
      { op: "approve", back: 0, by: "ann" },
      { op: "resume", back: 0 },
      { op: "resume", back: 0 },
    ],
    reasons: Array(4).fill("approval_expired"),
  },
  {
    sentence: "a call that waits is answered again in the words of the checkpoint that asked, whatever would ask now",
    pack: packOf(
      [
        toolOf("pay", {
          checkpoint: { when: [{ that: '!("seen" in labels)' }], timeout_seconds: 30, reason: "First" },
        }),
      ],
      { checkpoints: [{ name: "all", tool: "*", when: "always", timeout_seconds: 30, reason: "Then" }] },
    ),
    operations: [
      { ...call("pay"), callKey: "k" },
      { op: "addLabel", label: "seen" },
      { ...call("pay"), callKey: "k" },
      { op: "deny", back: 0, by: "ann" },
    ],
    reasons: ["approval_denied"],
  },
  {
    sentence: "calls that clear a whole slot are told apart however many are open",
    pack: packOf([
      toolOf("renew", {
        unbinds: [{ name: "order" }],
        binds: [{ name: "order", path: "$", key: "$.id" }],
        requires: [{ that: "slots.order.all(k, slots.order[k].n <= 5)", reason: "Small ones" }],
      }),
      needs("few", "size(slots.order) <= 1 && has(args.id)"),
    ]),
    operations: [
      ...[1, 2, 3, 4].map((n) => call("renew", { id: `e${n}`, n })),
      call("few", { id: 1 }),
      settle({}, 3),
      call("few", { id: 1 }),
    ],
    reasons: [],
  },
  {
    sentence: "an output that is rejected leaves a slot unbound that decides which bounds of an aggregate hold",
    pack: packOf(
      [toolOf("spend", {}), toolOf("renew", { unbinds: [{ name: "level" }], binds: [{ name: "level", path: "$.n" }] })],
      {
        aggregates: [
          {
            ...{ name: "most", metric: "max", tool: "spend", path: "$.n", lte: 0.3, reason: "Small ones" },
            when: [{ binding: "level", equals: 1, then_lte: 1 }],
          },
        ],
      },
    ),
    operations: [
      call("renew", { n: 1 }),
      settle({}),
      call("spend", { n: 1 }),
      call("renew", { n: 1 }),
      call("spend", { n: 1 }),
    ],
    reasons: ["aggregate_exceeded"],
  },
  {
    sentence: "an output that unbinds a key of its own may take away any",
    pack: packOf([
      toolOf("put", { binds: [{ name: "order", path: "$.n", key: "$.id" }] }),
      toolOf("drop", { ...SENT, unbinds: [{ name: "order", key: BY_OUTPUT }] }),
      needs("known", "args.id in slots.order"),
    ]),
    operations: [
      call("put", { id: "a", n: 1 }),
      settle({}),
      call("drop"),
      call("known", { id: "a" }),
      call("put", { id: "a", n: 2 }),
      settle({}),
      call("known", { id: "a" }),
      settle({}),
      settle({ id: "a" }),
      call("known", { id: "a" }),
    ],
    reasons: ["pending_conflict"],
  },
];

describe("the guard and the reference guard, where they once gave different answers", () => {
  it.each(CASES.map((one) => [one.sentence, one] as const))("%s", async (_, { pack, setting, operations, reasons }) => {
    const artifact = tryCompile(pack);
    if (typeof artifact === "string") throw new Error(artifact);
    const create = await loadGuard();
    const duelled = await duel(pack, { setting: { ...SETTING, ...setting }, operations }, { create, artifact });
    expect(duelled.difference).toBeNull();
    expect(duelled.reasons).toEqual(reasons);
  });
});
