import type { CheckOf } from "../../artifact/compiled.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { type Block, block } from "../verdict.js";
import { possiblePhases } from "../worlds.js";

function isCut(program: Program, from: string, to: string): boolean {
  return from !== to && !(program.edges.get(from)?.has(to) ?? false);
}

/** Refuses a tool outside its phases, or whose next phase no transition leads to. */
export function phase(check: CheckOf<"phase">, session: Session, program: Program): Block | null {
  const { at, phases, advances_to: next } = check;
  if (session.phase === null) return null;
  const possible = session.openAdvances === 0 ? [session.phase] : possiblePhases(session, session.phase);
  for (const name of possible) {
    if (!phases.includes(name))
      return block("phase_not_allowed", at, `one of the phases ${phases.join(", ")}`, `phase ${name}`);
  }
  if (next === null) return null;
  for (const name of possible) {
    if (isCut(program, name, next))
      return block("transition_not_allowed", at, `a transition from ${name} to ${next}`, "none");
  }
  return null;
}
