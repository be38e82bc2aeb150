import { quoted } from "../../../diagnostics/wording.js";
import { isDamaged } from "../../../language/draft.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly phase: string;
}

/** Tools of a phase that is never entered are never callable. */
export const unreachablePhase = defineRule<Params>({
  code: "unreachable_phase",
  stage: "resolve",
  severity: "error",
  what: "A non-terminal phase cannot be reached from the initial phase.",
  why: "It is never entered, so the contracts of its tools never apply.",
  fix: "Add a transition that leads to it, or remove the phase.",
  message: ({ phase }) => `no transition leads from the initial phase to ${quoted(phase)}`,
  help: ({ phase }) => `add ${quoted(phase)} to the \`transitions\` of a reachable phase, or remove it`,
  check(context, report) {
    const { session } = context;
    if (session === null || isDamaged(session, "phases") || isDamaged(session, "transitions")) return;
    const declared = context.phaseNames();
    const edges = Object.entries(session.transitions ?? {}).flatMap(([from, to]) => [from, ...(to ?? [])]);
    const reachable = context.reachablePhases();
    // A misspelt phase in a transition is reported as such; which phases it should lead to is not known.
    if (reachable.size === 0 || edges.some((name) => !declared?.has(name))) return;
    for (const phase of session.phases ?? []) {
      if (phase.name === undefined || phase.terminal === true || reachable.has(phase.name)) continue;
      report(valueSpan(phase, "name"), { phase: phase.name });
    }
  },
});
