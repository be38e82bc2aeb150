import type { SessionContract } from "../../../src/language/schema/session.js";
import type { Bind, ToolContract } from "../../../src/language/schema/tool.js";
import type { Draft } from "./draft.js";

/** The label that expressions ask about. */
const LABEL = "secret";

/** A field of the arguments or of the output as an expression writes it; worth trying from now on. */
function written(draft: Draft, tool: string, side: "arguments" | "output", field: "n" | "id" | "ok"): string {
  return draft.path(tool, side, field).replace("$", side === "arguments" ? "args" : "output");
}

/** Binds of a keyed slot, of a union and of a slot with two keys. */
function someBinds(draft: Draft, tool: string, slots: readonly string[]): Bind[] {
  const { random } = draft;
  const isSeen = !draft.unseen.has(tool);
  const side = () => (isSeen && random.chance(0.5) ? ("output" as const) : ("arguments" as const));
  const path = (source: "arguments" | "output", field: "n" | "id" | "ok") => draft.path(tool, source, field);
  const makers: Readonly<Record<string, () => Bind>> = {
    order: () => {
      const [source, keys] = [side(), side()];
      return { name: "order", source, path: path(source, "n"), key: { source: keys, path: path(keys, "id") } };
    },
    offer: () => {
      const source = side();
      const key = [path(source, "id"), { source: "arguments" as const, path: path("arguments", "n") }];
      return { name: "offer", source, path: path(source, isSeen && source === "output" ? "ok" : "n"), key };
    },
    seen: () => {
      const source = side();
      return { name: "seen", source, path: path(source, random.pick(["n", "id"])), collect: "union" };
    },
  };
  return slots.filter(() => random.chance(0.5)).flatMap((slot) => makers[slot]?.() ?? []);
}

function someUnbinds(draft: Draft, tool: string, slots: readonly string[]) {
  const { random } = draft;
  const bound = slots.filter(() => random.chance(0.2));
  if (bound.length === 0) return {};
  const key = () => draft.path(tool, "arguments", "id");
  const keyed = (name: string) => name === "order" || name === "offer";
  return {
    unbinds: bound.map((name) => ({ name, ...random.maybe(keyed(name) ? 0.6 : 0, () => ({ key: key() })) })),
  };
}

/** A condition on the arguments of a tool, what its session knows, and the time. */
function someThat(draft: Draft, tool: string, slots: readonly string[]): string {
  const { random, numbers } = draft;
  const n = () => written(draft, tool, "arguments", "n");
  const id = () => written(draft, tool, "arguments", "id");
  const bySlot: Readonly<Record<string, readonly (() => string)[]>> = {
    order: [
      () => `${id()} in slots.order`,
      () => `!(${id()} in slots.order)`,
      () => `slots.order[${id()}] == ${n()}`,
      () => `!(${id()} in slots.order) || slots.order[${id()}] <= ${draft.number()}`,
      () => `size(slots.order) < 2`,
    ],
    offer: [() => `${n()} in slots.offer[${id()}]`, () => `has(${n()}) && size(slots.offer) == 0`],
    seen: [() => `!(${id()} in slots.seen)`, () => `${n()} in slots.seen`, () => `size(slots.seen) <= 1`],
    x: [() => `slots.x == ${n()}`, () => `!has(slots.x) || slots.x != ${n()}`],
    y: [() => `has(slots.y)`, () => `has(slots.y) ? slots.y == ${n()} : ${n()} >= ${numbers[1]}`],
  };
  const plain = [
    () => `${n()} <= ${draft.number()}`,
    () => `${n()} > constants.least`,
    () => `!has(${n()}) || ${n()} == ${draft.number()}`,
    () => `${id()} == "a"`,
    () => `has(${id()})`,
    () => {
      draft.labels.add(LABEL);
      return `!("${LABEL}" in labels)`;
    },
    () => `now < timestamp("1970-01-01T00:01:00Z")`,
    () => `now.getHours("UTC") < 12 || ${n()} == ${draft.number()}`,
  ];
  const known = slots.flatMap((slot) => bySlot[slot] ?? []);
  const one = () => random.make(known.length > 0 && random.chance(0.7) ? known : plain);
  const roll = random.next();
  if (roll < 0.7) return one();
  return roll < 0.85 ? `(${one()}) && (${one()})` : `(${one()}) || (${one()})`;
}

const requirement = (that: string) => ({ that, reason: "It says so" });

/** The contracts with slots of all kinds and with expressions. */
export function laterTools(draft: Draft, tools: readonly ToolContract[]): readonly ToolContract[] {
  const { random } = draft;
  const wanted = random.some(["order", "offer", "seen"], 0.4);
  const writing = tools.map((contract) => {
    const binds = [...(contract.binds ?? []), ...someBinds(draft, contract.tool, wanted)];
    return { ...contract, ...(binds.length === 0 ? {} : { binds }) };
  });
  const slots = [...new Set(writing.flatMap(({ binds = [] }) => binds.map(({ name }) => name)))];
  return writing.map((contract) => {
    const { tool, checkpoint } = contract;
    const that = () => someThat(draft, tool, slots);
    return {
      ...contract,
      ...someUnbinds(draft, tool, slots),
      ...random.maybe(0.6, () => ({ requires: random.list(random.pick([1, 1, 2]), () => requirement(that())) })),
      ...random.maybe(draft.unseen.has(tool) ? 0 : 0.2, () => ({
        ensures: [requirement(`${written(draft, tool, "output", "n")} <= ${draft.number()}`)],
      })),
      ...random.maybe(checkpoint === undefined ? 0.1 : 0.5, () => ({
        checkpoint: { timeout_seconds: 60, ...checkpoint, when: [{ that: that() }] },
      })),
    };
  });
}

/** session.yaml with limits of slots and steps, aggregates for each value, and a requirement of its own. */
export function laterSession(draft: Draft, session: SessionContract, tools: readonly ToolContract[]): SessionContract {
  const { random, numbers } = draft;
  const bound = new Set(tools.flatMap(({ binds = [] }) => binds.map(({ name }) => name)));
  const limited = ["order", "offer", "seen"].filter((slot) => bound.has(slot) && random.chance(0.3));
  const { aggregates = [], session_limits: limits = {} } = session;
  const per = (named: string | readonly string[]) => {
    const counted = typeof named === "string" ? draft.tools : named;
    return counted.map((tool) => draft.path(tool, "arguments", "id"))[0] ?? "$.id";
  };
  return {
    ...session,
    constants: { least: numbers[0] },
    ...random.maybe(0.3, () => ({ timezone: "Europe/Berlin" })),
    ...(limited.length === 0 ? {} : { slot_limits: Object.fromEntries(limited.map((slot) => [slot, 1])) }),
    session_limits: { ...limits, ...random.maybe(0.4, () => ({ max_calls_per_step: random.pick([1, 2]) })) },
    ...(aggregates.length === 0
      ? {}
      : { aggregates: aggregates.map((one) => ({ ...one, ...random.maybe(0.5, () => ({ per: per(one.tool) })) })) }),
    ...random.maybe(0.2, () => {
      draft.labels.add(LABEL);
      const covered = random.some(draft.tools, 0.5);
      return { requires: [{ ...requirement(`!("${LABEL}" in labels)`), tools: covered }] };
    }),
  };
}
