import type { Span } from "../../../diagnostics/source.js";
import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { keySpan, valueSpan } from "../../../language/located.js";
import { givenSessions } from "../../given-sessions.js";
import { defineRule } from "../../rule.js";
import { eachName, type RuleContext } from "../../rule-context.js";

interface Params {
  readonly phase: string;
  readonly known: ReadonlySet<string>;
}

interface PhaseReference {
  readonly name: string;
  readonly span: Span;
  readonly tool?: string;
}

function* phaseReferences(context: RuleContext): Generator<PhaseReference> {
  for (const { name: tool, contract } of context.tools) {
    const { transitions } = contract;
    for (const reference of eachName(transitions?.valid_in_phases)) yield { ...reference, tool };
    if (transitions?.advances_to !== undefined) {
      yield { name: transitions.advances_to, span: valueSpan(transitions, "advances_to"), tool };
    }
  }
  for (const { given, tool } of givenSessions(context)) {
    if (given.phase === undefined) continue;
    yield { name: given.phase, span: valueSpan(given, "phase"), ...(tool === undefined ? {} : { tool }) };
  }
  const transitions = context.session?.transitions ?? {};
  for (const [from, followers] of Object.entries(transitions)) {
    yield { name: from, span: keySpan(transitions, from) };
    yield* eachName(followers);
  }
  for (const { always_possible: possible } of context.claims?.claims ?? []) {
    if (possible?.reach === undefined || possible.reach === "terminal") continue;
    yield { name: possible.reach, span: valueSpan(possible, "reach") };
  }
}

/** A rule for a phase that does not exist never applies. */
export const unknownPhase = defineRule<Params>({
  code: "unknown_phase",
  stage: "resolve",
  severity: "error",
  what: "A phase is named that session.yaml does not declare.",
  why: "A tool bound to it would never be offered, and a transition to it would never be taken.",
  fix: "Declare the phase under `phases`, or correct the name.",
  message: ({ phase }) => `phase ${quoted(phase)} is not declared`,
  help({ phase, known }) {
    const declared = [...known].map(quoted).join(", ");
    return didYouMean(
      phase,
      known,
      declared === "" ? "declare it under `phases` in session.yaml" : `declared phases: ${declared}`,
    );
  },
  check(context, report) {
    const known = context.phaseNames();
    if (known === null) return;
    for (const { name, span, tool } of phaseReferences(context)) {
      if (!known.has(name)) report(span, { phase: name, known }, tool);
    }
  },
});
