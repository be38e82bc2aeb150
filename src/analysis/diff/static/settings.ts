import type { CompiledPack, CompiledTool } from "../../../artifact/compiled.js";
import type { Place } from "../../../artifact/compiled-value.js";
import { bindWords, unbindWords } from "../../../artifact/slot-wording.js";
import { canonicalJson } from "../../../base/canonical-json.js";
import { arePackConstantsKept } from "./constants-read.js";
import { areErrorsKept } from "./error-strength.js";
import { areCountsKept } from "./room-made.js";
import { contentOf } from "./rule-content.js";
import { slotsRead } from "./slots-read.js";
import { type AsStrong, always, atLeast, atMost, equal, isWithin, type Reading } from "./strength.js";

/** A setting: a part of a pack that refuses no call on its own. */
export interface Setting<T> {
  readonly name: string;
  /** The value, in words or as JSON. */
  readonly value: (of: T) => unknown;
  readonly isAsStrong: AsStrong<T>;
  /** Whether it changes the effects of calls on a session, so that other tools may be judged differently. */
  readonly hasEffect?: true;
  readonly at?: (of: T) => Place | null;
}

/** The settings of every field; none for names, places and what rules cover. */
type SettingsOf<T> = { readonly [K in keyof T]-?: readonly Setting<T>[] };

/** A value as text. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : canonicalJson(contentOf(value));
}

/**
 * Bindings matter to rules that both packs have; a rule of only one pack is reported as added or removed. Those of one slot are compared
 * in their order: the last one stays, and a union keeps what arrives in order.
 */
const areBindsKept: AsStrong<CompiledTool> = (after, before, reading) => {
  const [current, old] = [slotsRead(reading.after), slotsRead(reading.before)];
  const texts = ({ binds }: CompiledTool) =>
    binds
      .filter(({ slot }) => current.has(slot) && old.has(slot))
      .toSorted((a, b) => (a.slot < b.slot ? -1 : a.slot > b.slot ? 1 : 0))
      .map((bind) => canonicalJson(contentOf(bind)));
  return canonicalJson(texts(after)) === canonicalJson(texts(before));
};

/** What is unbound closes where a rule needs the value, and opens where it needs its absence. */
const areUnbindsKept: AsStrong<CompiledTool> = (after, before) =>
  unbindTexts(after).join() === unbindTexts(before).join();

function unbindTexts({ unbinds = [] }: CompiledTool): readonly string[] {
  return unbinds.map(unbindWords).sort();
}

/** More that is kept may refuse as well as permit. */
const areSlotsKept: AsStrong<CompiledPack> = (after, before) => slotTexts(after).join() === slotTexts(before).join();

function slotTexts({ slots = [] }: CompiledPack): readonly string[] {
  return slots.flatMap(({ name, limit }) => (limit === null ? [] : [`${name} ${limit}`]));
}

const RISKS: Readonly<Record<CompiledTool["side_effect"], number>> = {
  read: 0,
  write: 1,
  destructive: 2,
  admin: 2,
  financial: 2,
};

/**
 * A read with an unknown outcome is released, and can never be reported as executed; other calls stay counted, and can. So
 * neither is as strong as the other. Otherwise the class only selects rules, which are compared.
 */
const isSideEffectKept: AsStrong<CompiledTool> = ({ side_effect: after }, { side_effect: before }) =>
  after === before || (before !== "read" && RISKS[after] > RISKS[before]);

const EVIDENCE: Readonly<Record<CompiledTool["evidence_class"], number>> = {
  unverifiable: 0,
  ack_only: 1,
  local_transaction: 2,
};

function isRetried(token: string, tokens: readonly string[]): boolean {
  return tokens.includes(token) || (/^[1-5][0-9]{2}$/.test(token) && tokens.includes(`${token.charAt(0)}xx`));
}

/**
 * A longer sleep is a longer time; a shorter one ends before the time that a Retry-After asks for, and calls the tool sooner
 * again. It does not matter where nothing is tried again.
 */
const isSleepKept: AsStrong<CompiledTool> = (after, before) =>
  after.max_attempts === 1 || after.retry_on.length === 0 || after.max_sleep_seconds === before.max_sleep_seconds;

/** A definition that is pinned refuses every other one; with another pin, other definitions are refused. */
const isDefinitionKept: AsStrong<CompiledTool> = ({ definition: after }, { definition: before }) =>
  before === undefined || (after?.hash === before.hash && after.output === before.output);

/** The settings of a tool. */
const OF_TOOL: SettingsOf<CompiledTool> = {
  name: [],
  at: [],
  checks: [],
  output_invariants: [],
  ensures: [],
  // Each demand is a rule on responses.
  response_format: [],
  // Each entry is a rule of the tool that it forbids.
  forbids_after: [],
  definition: [
    {
      name: "definition",
      value: ({ definition }) => definition?.hash ?? "any",
      isAsStrong: isDefinitionKept,
    },
  ],
  side_effect: [{ name: "side effect", value: ({ side_effect: effect }) => effect, isAsStrong: isSideEffectKept }],
  evidence_class: [
    {
      name: "evidence class",
      value: ({ evidence_class: evidence }) => evidence,
      isAsStrong: atLeast(({ evidence_class: evidence }) => EVIDENCE[evidence]),
    },
  ],
  commits: [
    {
      name: "commit requirement",
      value: ({ commits }) => (commits === "on_result" ? "acknowledged" : "none"),
      isAsStrong: equal(({ commits }) => commits),
      hasEffect: true,
    },
  ],
  binds: [
    {
      name: "binds",
      value: ({ binds }) => binds.map(bindWords).sort().join(", ") || "nothing",
      isAsStrong: areBindsKept,
      hasEffect: true,
      at: ({ binds }) => binds[0]?.at ?? null,
    },
  ],
  unbinds: [
    {
      name: "unbinds",
      value: (tool) => unbindTexts(tool).join(", ") || "nothing",
      isAsStrong: areUnbindsKept,
      hasEffect: true,
      at: ({ unbinds }) => unbinds?.[0]?.at ?? null,
    },
  ],
  total_ms: [
    { name: "total time", value: ({ total_ms: ms }) => `${ms} ms`, isAsStrong: atMost(({ total_ms: ms }) => ms) },
  ],
  max_attempts: [
    {
      name: "attempts",
      value: ({ max_attempts: most }) => `at most ${most}`,
      isAsStrong: atMost(({ max_attempts: most }) => most),
    },
  ],
  retry_on: [
    {
      name: "tried again on",
      value: ({ retry_on: tokens }) => [...tokens].sort().join(", ") || "nothing",
      isAsStrong: (after, before) => after.retry_on.every((token) => isRetried(token, before.retry_on)),
    },
  ],
  respect_retry_after: [
    {
      name: "Retry-After",
      value: ({ respect_retry_after: isKept }) => (isKept ? "kept to" : "ignored"),
      isAsStrong: (after, before) => after.respect_retry_after || !before.respect_retry_after,
    },
  ],
  max_sleep_seconds: [
    {
      name: "longest sleep",
      value: ({ max_sleep_seconds: most }) => `${most} s`,
      isAsStrong: isSleepKept,
    },
  ],
  allowed_errors: [
    {
      name: "allowed errors",
      value: ({ allowed_errors: errors }) => errors,
      isAsStrong: (after, before, reading) =>
        areErrorsKept(after.allowed_errors, before.allowed_errors) && areCountsKept(after, before, reading),
      at: ({ allowed_errors: errors }) => errors[0]?.at ?? null,
    },
  ],
  advances_to: [
    {
      name: "phase it leads to",
      value: ({ advances_to: next }) => next ?? "none",
      isAsStrong: equal(({ advances_to: next }) => next),
      hasEffect: true,
    },
  ],
};

/** Phases are not compared between a pack with phases and one without: their rules are reported as added or removed. */
function bothHavePhases(one: CompiledPack, other: CompiledPack): boolean {
  return one.phases !== null && other.phases !== null;
}

/** The settings of a pack besides its rules, tools, phases and transitions. */
const OF_PACK: SettingsOf<CompiledPack> = {
  folder: [],
  agent: [],
  tools: [],
  // Each is a rule of its tools.
  aggregates: [],
  envelopes: [],
  circuit_breaker: [],
  // Compared rule by rule.
  unmatched_checks: [],
  providers: [],
  // Whether any policy reads the principal; the policies are rules.
  needs_principal: [],
  phases: [
    {
      name: "initial phase",
      value: ({ phases }) => phases?.initial ?? "none",
      isAsStrong: (after, before) => !bothHavePhases(after, before) || after.phases?.initial === before.phases?.initial,
      hasEffect: true,
    },
    {
      name: "terminal phases",
      value: ({ phases }) => [...(phases?.terminal ?? [])].sort().join(", "),
      // They judge no call.
      isAsStrong: always,
    },
  ],
  narrows_at_cap: [
    {
      name: "hides tools at the cap",
      value: ({ narrows_at_cap: hides }) => String(hides),
      isAsStrong: (after, before) => after.narrows_at_cap || !before.narrows_at_cap,
    },
  ],
  // The rules that read them are compared with their values.
  constants: [
    {
      name: "constants",
      value: ({ constants }) => (constants === undefined ? "none" : canonicalJson(constants)),
      isAsStrong: arePackConstantsKept,
      hasEffect: true,
    },
  ],
  timezone: [
    {
      name: "time zone",
      value: ({ timezone }) => timezone ?? "none",
      isAsStrong: equal(({ timezone }) => timezone ?? null),
      hasEffect: true,
    },
  ],
  // What a slot holds is part of its binds.
  slots: [
    {
      name: "slot limits",
      value: (pack) => slotTexts(pack).join(", ") || "none",
      isAsStrong: areSlotsKept,
      hasEffect: true,
    },
  ],
  resources: [
    {
      name: "resources",
      value: ({ resources }) => resources,
      isAsStrong: (after, before, { shared }) => isWithin(resourceTexts(before, shared), resourceTexts(after, shared)),
      at: ({ resources }) => resources[0]?.at ?? null,
    },
  ],
};

/** The type of a resource is only for people, and one that the workflow does not share refuses nothing. */
function resourceTexts({ resources }: CompiledPack, shared: Reading["shared"]): readonly string[] {
  const used = resources.filter(({ name }) => shared === null || shared.has(name));
  return used.map(({ name, path }) => canonicalJson([name, path]));
}

/** The settings of tools; with the phase that a tool advances to unless phase rules show it. */
export function toolSettings(hasPhaseRules: boolean): readonly Setting<CompiledTool>[] {
  const all = Object.values(OF_TOOL).flat();
  return hasPhaseRules ? all.filter((setting) => !OF_TOOL.advances_to.includes(setting)) : all;
}

/** The settings of packs as a whole. */
export const PACK_SETTINGS: readonly Setting<CompiledPack>[] = Object.values(OF_PACK).flat();
