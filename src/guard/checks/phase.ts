import type { CheckOf } from "../../artifact/compiled.js";
import { block, textOnce } from "../decide/verdict.js";
import { possiblePhases } from "../decide/worlds.js";
import type { Program, Run } from "../program/program.js";

function isCut(program: Program, from: string, to: string): boolean {
  return from !== to && !(program.edges.get(from)?.has(to) ?? false);
}

/** Refuses a tool outside its phases, or whose next phase no transition leads to. */
export function phase({ at, phases, advances_to: next }: CheckOf<"phase">): Run {
  const allowed = new Set(phases);
  const required = textOnce(() => `one of the phases ${phases.join(", ")}`);
  return (_proposal, session, program) => {
    const { phase: present, open } = session;
    const isSure = open === null || open.phases.size === 0;
    if (present === null) return null;
    if (isSure && allowed.has(present) && (next === null || !isCut(program, present, next))) return null;
    // Without the lists below: most refusals are these.
    if (isSure && !allowed.has(present)) return block("phase_not_allowed", at, required(), `phase ${present}`);
    const possible = isSure ? [present] : possiblePhases(session, present);
    // Waiting helps only if the session may end up in a phase that the call is legal in.
    const isLegalIn = (name: string) => allowed.has(name) && (next === null || !isCut(program, name, next));
    const later = () => (possible.some(isLegalIn) ? "settlement" : null);
    for (const name of possible) {
      if (allowed.has(name)) continue;
      return name === present
        ? block("phase_not_allowed", at, required(), `phase ${name}`)
        : block("phase_not_allowed", at, required(), `a call that has not settled and leads to ${name}`, later());
    }
    if (next === null) return null;
    for (const name of possible) {
      if (!isCut(program, name, next)) continue;
      const wanted = `a transition from ${name} to ${next}`;
      return block("transition_not_allowed", at, wanted, "none", name === present ? null : later());
    }
    return null;
  };
}
