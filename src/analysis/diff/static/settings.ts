import type { CompiledPack, CompiledTool } from "../../../artifact/compiled.js";
import type { Place } from "../../../artifact/compiled-value.js";
import { canonicalJson } from "../../../base/canonical-json.js";
import { areErrorsKept } from "./error-strength.js";
import { contentOf } from "./rule-content.js";
import { slotsRead } from "./slots-read.js";
import { type AsStrong, always, atLeast, atMost, equal, isWithin } from "./strength.js";

/** Something that is laid down without refusing a call by itself. */
export interface Setting<T> {
  readonly name: string;
  /** The value, in words or as JSON. */
  readonly value: (of: T) => unknown;
  readonly isAsStrong: AsStrong<T>;
  /** Whether it says what calls do to a session, so that other tools may be judged otherwise. */
  readonly hasEffect?: true;
  readonly at?: (of: T) => Place | null;
}

/** For every field its settings; none for what is a name or a place, or what the rules tell. */
type SettingsOf<T> = { readonly [K in keyof T]-?: readonly Setting<T>[] };

/** What a value is told as. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : canonicalJson(contentOf(value));
}

type Bind = CompiledTool["binds"][number];

function bindText({ slot, source, path }: Bind): string {
  return `${slot} = ${source} ${path.text}`;
}

/** What is bound matters to rules that both packs have; a rule that only one has is told as such. */
const areBindsKept: AsStrong<CompiledTool> = (after, before, reading) => {
  const [current, old] = [slotsRead(reading.after), slotsRead(reading.before)];
  const texts = ({ binds }: CompiledTool) =>
    binds
      .filter(({ slot }) => current.has(slot) && old.has(slot))
      .map((bind) => canonicalJson(contentOf(bind)))
      .sort();
  return canonicalJson(texts(after)) === canonicalJson(texts(before));
};

const RISKS: Readonly<Record<CompiledTool["side_effect"], number>> = {
  read: 0,
  write: 1,
  destructive: 2,
  admin: 2,
  financial: 2,
};

/**
 * A read of which nobody knows whether it happened is freed, and can never be said to have happened; anything else stays
 * counted, and can. So neither is as strong as the other. Beyond that the class only selects rules, which are compared.
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

/** What a tool has beside its rules. */
const OF_TOOL: SettingsOf<CompiledTool> = {
  name: [],
  at: [],
  checks: [],
  output_invariants: [],
  // Each demand is a rule on responses.
  response_format: [],
  // Each entry is a rule of the tool that it forbids.
  forbids_after: [],
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
      value: ({ binds }) => binds.map(bindText).sort().join(", ") || "nothing",
      isAsStrong: areBindsKept,
      hasEffect: true,
      at: ({ binds }) => binds[0]?.at ?? null,
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
      isAsStrong: atMost(({ max_sleep_seconds: most }) => most),
    },
  ],
  allowed_errors: [
    {
      name: "allowed errors",
      value: ({ allowed_errors: errors }) => errors,
      isAsStrong: (after, before) => areErrorsKept(after.allowed_errors, before.allowed_errors),
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

/** Of a pack with phases and one without no phase is compared: the rules that tell them apart came or went. */
function bothHavePhases(one: CompiledPack, other: CompiledPack): boolean {
  return one.phases !== null && other.phases !== null;
}

/** What a pack has beside its rules, its tools, phases and transitions. */
const OF_PACK: SettingsOf<CompiledPack> = {
  folder: [],
  agent: [],
  tools: [],
  // Each is a rule of the tools that it is for.
  aggregates: [],
  envelopes: [],
  circuit_breaker: [],
  // Compared rule by rule.
  unmatched_checks: [],
  providers: [],
  // Whether any policy asks who is calling; the policies are rules.
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
      // No call is judged by them.
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
  resources: [
    {
      name: "resources",
      value: ({ resources }) => resources,
      isAsStrong: (after, before) => isWithin(resourceTexts(before), resourceTexts(after)),
      at: ({ resources }) => resources[0]?.at ?? null,
    },
  ],
};

/** The type of a resource is for people. */
function resourceTexts({ resources }: CompiledPack): readonly string[] {
  return resources.map(({ name, path }) => canonicalJson([name, path]));
}

/** The settings of tools; the phase that a tool leads to is among them where no rule about phases tells it. */
export function toolSettings(hasPhaseRules: boolean): readonly Setting<CompiledTool>[] {
  const all = Object.values(OF_TOOL).flat();
  return hasPhaseRules ? all.filter((setting) => !OF_TOOL.advances_to.includes(setting)) : all;
}

/** The settings of packs as a whole. */
export const PACK_SETTINGS: readonly Setting<CompiledPack>[] = Object.values(OF_PACK).flat();
