import type { Program } from "../../guard/program/program.js";
import type { PriorCall } from "../../guard/session/call.js";
import { Calls } from "../../guard/session/calls.js";
import { copySession, newSession, type Session } from "../../guard/session/session.js";
import { watchDefinition } from "./definitions.js";

/** A session and the program that it was judged by. */
export interface JudgedSession {
  readonly program: Program;
  readonly session: Session;
}

/** The tool of a name, with a contract or without. */
export function toolOf(program: Program, name: string) {
  return program.tools.get(name) ?? program.unmatched(name);
}

function byName<T>(rules: readonly { readonly name: string }[], states: readonly T[]): ReadonlyMap<string, T> {
  return new Map(rules.flatMap(({ name }, index) => states.slice(index, index + 1).map((state) => [name, state])));
}

type Priors = Map<string, PriorCall[]>;

function copyOf(priors: Priors): Priors {
  return new Map(Array.from(priors, ([entity, calls]) => [entity, calls.map((call) => ({ ...call }))]));
}

/**
 * The history of each precondition, by its definition. Where more preconditions than before have the same, each has a copy
 * of its own; a new one begins empty, so that what it asks for has to happen first.
 */
function carriedPriors(old: JudgedSession, next: Program): Priors[] {
  const left = new Map<string, Priors[]>();
  for (const watch of old.program.watches) {
    const definition = watchDefinition(watch);
    left.set(definition, [...(left.get(definition) ?? []), ...old.session.priors.slice(watch.index, watch.index + 1)]);
  }
  const used = new Map<string, number>();
  return next.watches.map((watch) => {
    const definition = watchDefinition(watch);
    const known = left.get(definition) ?? [];
    const turn = used.get(definition) ?? 0;
    used.set(definition, turn + 1);
    const [first] = known;
    return known[turn] ?? (first === undefined ? new Map() : copyOf(first));
  });
}

/** Where they were not counted, every call may have been of the present step; the next one begins at 0. */
function stepCallsOf({ stepCalls, openSteps, toolCalls }: Session): number {
  return stepCalls ?? (openSteps === 0 ? 0 : toolCalls);
}

/** The same session as the new program keeps it. Aggregates, envelopes, keyed slots and unions go by their names. */
export function carriedSession(given: JudgedSession, next: Program): Session {
  const session = copySession(given.session);
  const empty = newSession(next);
  const aggregates = byName(given.program.aggregates, session.aggregates);
  const references = byName(given.program.envelopes, session.references);
  const unsettled = new Calls();
  for (const call of session.unsettled) {
    unsettled.add({ ...call, tool: toolOf(next, call.tool.name), before: null, after: null, isListed: false });
  }
  return {
    ...session,
    stepCalls: empty.stepCalls === null ? null : stepCallsOf(session),
    callsOf: new Map([...session.callsOf].filter(([name]) => toolOf(next, name).isCounted)),
    collections: new Map(
      Array.from(empty.collections, ([slot, content]) => [slot, session.collections.get(slot) ?? content]),
    ),
    priors: carriedPriors({ program: given.program, session }, next),
    aggregates: empty.aggregates.map((state, at) => aggregates.get(next.aggregates[at]?.name ?? "") ?? state),
    references: empty.references.map((names, at) => references.get(next.envelopes[at]?.name ?? "") ?? names),
    unsettled,
    denied: new Map(Array.from(session.denied, ([id, call]) => [id, { ...call, tool: toolOf(next, call.tool.name) }])),
    // Follows from the unsettled calls.
    open: null,
  };
}
