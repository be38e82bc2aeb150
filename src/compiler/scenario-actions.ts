import type { Draft } from "../language/draft.js";
import type { ScenarioEntry } from "../language/schema/scenario.js";

/** What a step of a scenario may do. */
export const ACTIONS = ["call", "approve", "deny", "label", "cost", "step", "advance_clock", "settle"] as const;
export type Action = (typeof ACTIONS)[number];

/** What a step does; it should be one thing. */
export function actionsOf(entry: Draft<ScenarioEntry>): readonly Action[] {
  return ACTIONS.filter((action) => entry[action] !== undefined);
}

const OF_CALL = ["args", "output", "error"] as const;
const EXPECTED = ["expect", "reason", "because"] as const;
type IdleKey = (typeof OF_CALL | typeof EXPECTED)[number];
/** What is not judged, and so gets no verdict. */
const UNJUDGED: ReadonlySet<Action> = new Set<Action>(["label", "cost", "advance_clock"]);

/** The keys of a step that its action leaves without effect. */
export function idleKeysOf(entry: Draft<ScenarioEntry>, action: Action): readonly IdleKey[] {
  const idle = [...(action === "call" ? [] : OF_CALL), ...(UNJUDGED.has(action) ? EXPECTED : [])];
  return idle.filter((key) => entry[key] !== undefined);
}

/** The ways in which a settlement says what became of a call; it should be one. */
export function endingsOf(given: {
  readonly as?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
}): readonly string[] {
  return (["as", "output", "error"] as const).filter((key) => given[key] !== undefined);
}
