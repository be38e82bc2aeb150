import type { SessionContract } from "../../../src/language/schema/session.js";
import type { ToolContract } from "../../../src/language/schema/tool.js";
import type { Bind, Requirement, SessionAdditions, ToolAdditions, Unbind } from "../reference/additions.js";
import type { Pack } from "../reference/model.js";
import { withToolDefaults } from "./defaults.js";
import { someThat } from "./expressions.js";
import { hashOf } from "./hash.js";
import { Random } from "./random.js";
import { withReasons } from "./reasons.js";

/** How many packs use expressions and slots of language 1.1; some of them have no expression, or one that the compiler refuses. */
const SHARE = 0.7;

/** Slots of each form, with all ways in which a tool may write them; some ways lose what was known. */
const BINDS: { readonly [slot: string]: readonly Bind[] } = {
  order: [
    { name: "order", source: "output", path: "$", key: { source: "arguments", path: "$.id" } },
    { name: "order", source: "output", path: "$", key: "$.id" },
    { name: "order", path: "$", key: "$.id" },
    { name: "order", path: "$.obj", key: { source: "output", path: "$.id" } },
  ],
  offer: [
    { name: "offer", source: "output", path: "$", key: [{ source: "arguments", path: "$.id" }, "@.s"] },
    { name: "offer", source: "output", path: "$['obj','x']", key: [{ source: "arguments", path: "$.id" }, "@.n"] },
    { name: "offer", path: "$", key: ["$.id", "$.s"] },
  ],
  seen: [
    { name: "seen", path: "$.id", collect: "union" },
    { name: "seen", path: "$.list[*]", collect: "union" },
    { name: "seen", source: "output", path: "$..n", collect: "union" },
  ],
  text: [
    { name: "text", source: "output", path: "$.s", decode: "json" },
    { name: "text", source: "output", path: "$.id" },
  ],
};

const UNBINDS: { readonly [slot: string]: readonly Unbind[] } = {
  order: [
    { name: "order", key: "$.id" },
    { name: "order", key: { source: "arguments", path: "$.id" } },
    { name: "order", key: [{ source: "arguments", path: "$.id" }] },
    { name: "order", key: { source: "output", path: "$.id" } },
    { name: "order" },
  ],
  offer: [{ name: "offer", key: "$.id" }, { name: "offer", key: ["$.id", "$.s"] }, { name: "offer" }],
  seen: [{ name: "seen" }],
  text: [{ name: "text" }],
  x: [{ name: "x" }],
  y: [{ name: "y" }],
};

const NAMES = Object.keys(BINDS);

function isObservable({ evidence_class: evidence }: ToolContract): boolean {
  return evidence !== "unverifiable";
}

function readsOutput({ source, key }: { readonly source?: string; readonly key?: unknown }): boolean {
  return source === "output" || JSON.stringify(key ?? null).includes('"output"');
}

/** What a tool binds of the slots, and what it unbinds. */
function someWrites(random: Random, contract: ToolContract, slots: readonly string[]): Partial<ToolAdditions> {
  const fits = (entry: object): boolean => isObservable(contract) || !readsOutput(entry);
  const bound = slots
    .filter(() => random.chance(0.5))
    .flatMap((slot) => {
      const ways = (BINDS[slot] ?? []).filter(fits);
      return ways.length === 0 ? [] : [random.pick(ways)];
    });
  const unbound = [...slots, "x", "y"]
    .filter(() => random.chance(0.15))
    .map((slot) => random.pick((UNBINDS[slot] ?? []).filter(fits)));
  const binds = [...(contract.binds ?? []), ...bound];
  return { ...(binds.length === 0 ? {} : { binds }), ...(unbound.length === 0 ? {} : { unbinds: unbound }) };
}

function requirement(that: string): Requirement {
  return { that, reason: "It says so" };
}

function laterTool(random: Random, contract: ToolContract, slots: ReadonlySet<string>): ToolContract {
  const rules = (output: boolean): Requirement[] =>
    random.list(random.pick([1, 1, 2]), () => requirement(someThat(random, { slots, output })));
  const { checkpoint } = contract;
  const conditions = () => [{ that: someThat(random, { slots, output: false }) }];
  return Object.assign({}, contract, {
    ...random.maybe(0.7, () => ({ requires: rules(false) })),
    ...random.maybe(isObservable(contract) ? 0.2 : 0, () => ({ ensures: rules(true) })),
    ...random.maybe(0.3, () => ({ let: { limit: random.pick(["args.n + 1", "args.m", "constants.max"]) } })),
    ...random.maybe(checkpoint === undefined ? 0 : 0.5, () => ({ checkpoint: { ...checkpoint, when: conditions() } })),
  });
}

function someSlotLimits(random: Random, slots: ReadonlySet<string>): Partial<SessionAdditions> {
  const limited = ["order", "offer", "seen"].filter((slot) => slots.has(slot) && random.chance(0.4));
  const limits = Object.fromEntries(limited.map((slot) => [slot, random.pick([1, 2, 3])]));
  return limited.length === 0 ? {} : { slot_limits: limits };
}

function someChecked(random: Random, checkpoint: object, slots: ReadonlySet<string>): unknown {
  const when = [{ that: someThat(random, { slots, output: false }) }];
  return withReasons(random, random.chance(0.4) ? { ...checkpoint, when } : checkpoint, "checkpoints");
}

function laterSession(
  random: Random,
  session: SessionContract | null,
  { slots, tools }: { readonly slots: ReadonlySet<string>; readonly tools: readonly string[] },
): SessionContract {
  const { aggregates, session_limits: limits, policy, checkpoints, ...others } = session ?? { agent: "differential" };
  const additions: Partial<SessionAdditions> = {
    constants: { max: 3, fees: { a: 1, b: 2 } },
    let: { limit: "args.n" },
    ...random.maybe(0.5, () => ({ timezone: random.pick(["Europe/Berlin", "America/New_York"]) })),
    ...someSlotLimits(random, slots),
    ...random.maybe(0.2, () => ({
      requires: [
        {
          ...requirement(random.pick(['!("tainted" in labels)', 'principal.type == "human" || principal.tier > 1'])),
          ...random.maybe(0.5, () => ({ tools: random.some(tools, 0.5) })),
        },
      ],
    })),
  };
  const later: unknown = Object.assign({}, others, additions, {
    schema_version: "1.1",
    ...(policy === undefined ? {} : { policy: withReasons(random, policy) }),
    ...(checkpoints === undefined ? {} : { checkpoints: checkpoints.map((one) => someChecked(random, one, slots)) }),
    session_limits: { ...limits, ...random.maybe(0.3, () => ({ max_calls_per_step: random.pick([1, 2, 3]) })) },
    ...(aggregates === undefined
      ? {}
      : {
          aggregates: aggregates.map((one) => ({
            ...one,
            ...random.maybe(0.5, () => ({ per: random.pick(["$.id", "$.s"]) })),
          })),
        }),
  });
  return later as SessionContract; // each part is one, or an addition to one
}

/** The pack with expressions, keyed slots, unions and the small additions, for some packs; which ones follows from the pack. */
export function withAdditions(pack: Pack): Pack {
  const random = new Random(hashOf(`additions to ${JSON.stringify(pack)}`));
  if (!random.chance(SHARE)) return pack;
  const wanted = random.some(NAMES, 0.4);
  const writers = pack.tools.map((contract) => Object.assign({}, contract, someWrites(random, contract, wanted)));
  // Only slots that some tool binds may be read.
  const slots = new Set(writers.flatMap(({ binds = [] }) => binds.map(({ name }) => name)));
  const bound = writers.map((contract) => {
    const unbinds = (contract.unbinds ?? []).filter(({ name }) => slots.has(name));
    const { unbinds: _, ...others } = contract;
    return unbinds.length === 0 ? others : { ...others, unbinds };
  });
  const ruled: unknown = bound.map((contract) => withReasons(random, laterTool(random, contract, slots)));
  const tools = ruled as ToolContract[]; // with reasons at some rules
  const session = laterSession(random, pack.session, { slots, tools: tools.map(({ tool }) => tool) });
  return withToolDefaults(random, { tools, session, definitions: pack.definitions }, session);
}
