import { type CompiledCheck, expressionsOf } from "../../artifact/compiled.js";
import { allParts } from "../../artifact/expression-parts.js";
import { compareSum, sumNumber } from "../../base/exact-sum.js";
import { judgeAggregate } from "../../guard/checks/aggregate.js";
import { preparedOf } from "../../guard/expression/of-pack.js";
import { variablesIn } from "../../guard/program/prepare-program.js";
import type { Program } from "../../guard/program/program.js";
import type { ToolEffects } from "../../guard/program/tool-effects.js";
import type { AggregateState, Session } from "../../guard/session/session.js";
import { type JudgedSession, toolOf } from "./carried-session.js";
import { aggregateDefinition, envelopeDefinition, settlingDefinition, slotDefinition } from "./definitions.js";

type Reasons = readonly string[];

function phaseReasons({ session }: JudgedSession, { pack: { phases } }: Program): Reasons {
  const { phase } = session;
  if (phases === null)
    return phase === null ? [] : [`the session is in phase \`${phase}\`, and the pack has no phases`];
  if (phase === null) return ["the session has no phase, and the pack has phases"];
  return phases.names.includes(phase) ? [] : [`the session is in phase \`${phase}\`, which the pack does not have`];
}

/** What the guarantees of a tool read of the arguments: nothing else has to be stored for them. */
function ensuredPaths({ pack }: Program, { compiled }: ToolEffects): readonly string[] {
  return (compiled?.ensures ?? []).flatMap(({ that }) => preparedOf(that, pack).reads.args.map(({ text }) => text));
}

function callReasons({ program, session }: JudgedSession, next: Program): Reasons {
  return Array.from(session.unsettled, ({ id, tool }) => {
    const other = toolOf(next, tool.name);
    if (tool.compiled !== null && other.compiled === null) {
      return `the call \`${id}\` of \`${tool.name}\` is unsettled, and the pack does not have the tool`;
    }
    const isSame = settlingDefinition(program, tool) === settlingDefinition(next, other);
    if (isSame && ensuredPaths(next, other).every((path) => ensuredPaths(program, tool).includes(path))) return null;
    return `the call \`${id}\` of \`${tool.name}\` is unsettled, and settling it means something else; settle it first`;
  }).filter((reason) => reason !== null);
}

/** Nothing happened so far that a new rule could have counted. */
function isUntouched({ toolCalls, denied }: Session): boolean {
  return toolCalls === 0 && denied.size === 0;
}

/** The slots that expressions ask about with `has`. */
function askedSlots({ pack: { tools, unmatched_checks: unmatched } }: Program): ReadonlySet<string> {
  const judged = [...unmatched, ...tools.flatMap(({ checks }) => checks)].flatMap(expressionsOf);
  const ensured = tools.flatMap(({ ensures = [] }) => ensures.map(({ that }) => that));
  const parts = [...judged, ...ensured].flatMap(({ tree }) => allParts(tree));
  return new Set(parts.flatMap((part) => (part.kind === "has_slot" ? [part.name] : [])));
}

function slotReasons({ program, session }: JudgedSession, next: Program): Reasons {
  const isOther = (slot: string) => slotDefinition(program, slot) !== slotDefinition(next, slot);
  const bound = [...session.slots.keys()]
    .filter(isOther)
    .map((slot) => `the slot \`${slot}\` has a value, and is bound by other tools, sources or paths`);
  const isMissing = (slot: string) => !isUntouched(session) && !session.slots.has(slot) && isOther(slot);
  // A slot without a value leaves the general bounds in force, which may be the wider ones.
  const deciding = new Set(next.aggregates.flatMap(({ when }) => when.map(({ slot }) => slot)));
  const unbound = [...deciding]
    .filter(isMissing)
    .map((slot) => `the slot \`${slot}\` decides which bounds hold, and the calls made so far did not bind it`);
  // That it has none may permit a call.
  const asked = [...askedSlots(next)]
    .filter(isMissing)
    .map((slot) => `a rule asks whether the slot \`${slot}\` has a value, and the calls made so far did not bind it`);
  return [...bound, ...unbound, ...asked, ...collectionReasons({ program, session }, next)];
}

/** What is not in a keyed slot or a union may permit a call, so that all earlier calls must have written to it alike. */
function collectionReasons({ program, session }: JudgedSession, next: Program): Reasons {
  if (isUntouched(session)) return [];
  return next.collections.flatMap(({ name, limit }) => {
    const content = session.collections.get(name);
    if (content === undefined)
      return [`the slot \`${name}\` is new, and does not have what the calls made so far bind there`];
    if (slotDefinition(program, name) !== slotDefinition(next, name)) {
      return [`the slot \`${name}\` is bound or unbound by other tools, sources, keys or paths than before`];
    }
    const { size } = content;
    return size > limit ? [`the slot \`${name}\` has ${size} values, and may have ${limit}`] : [];
  });
}

function aggregateReasons({ program, session }: JudgedSession, next: Program): Reasons {
  if (isUntouched(session)) return [];
  const known = new Map(program.aggregates.map((aggregate) => [aggregate.name, aggregateDefinition(aggregate)]));
  return next.aggregates.flatMap((aggregate) => {
    const { name } = aggregate;
    const before = known.get(name);
    if (before === undefined) return [`the aggregate \`${name}\` is new, and does not count the calls made so far`];
    if (before === aggregateDefinition(aggregate)) return [];
    return [`the aggregate \`${name}\` counts something else than before`];
  });
}

/** A new envelope begins without references: its calls are refused until they are set. */
function envelopeReasons({ program, session }: JudgedSession, next: Program): Reasons {
  return program.envelopes.flatMap(({ name }, index) => {
    const before = program.envelopes[index];
    const after = next.envelopes.find((envelope) => envelope.name === name);
    const hasState = (session.references[index]?.size ?? 0) > 0;
    if (!hasState || before === undefined || after === undefined) return [];
    if (envelopeDefinition(before) === envelopeDefinition(after)) return [];
    return [`the envelope \`${name}\` has values, and has other stages or another constraint`];
  });
}

/** How often tools were called is counted only for those that some rule asks about. */
function countReasons({ program, session }: JudgedSession, next: Program): Reasons {
  if (isUntouched(session)) return [];
  const named = [...next.tools.values()]
    .filter(({ name, isCounted }) => isCounted && !toolOf(program, name).isCounted)
    .map(({ name }) => `a rule asks how often \`${name}\` was called, which was not counted so far`);
  const [counts, counted] = [next.unmatched("").isCounted, program.unmatched("").isCounted];
  return counts && !counted
    ? [...named, "a rule asks how often tools without a contract were called, which was not counted so far"]
    : named;
}

/** Proposals are remembered as far back as loops were looked for. */
function loopReasons({ program, session }: JudgedSession, next: Program): Reasons {
  const { loopWindow: after } = next.unmatched("");
  const { loopWindow: before } = program.unmatched("");
  if (after === null || (before !== null && after <= before)) return [];
  // Where fewer are remembered than could be, none was dropped.
  const isAllKnown = before === null ? session.issued === 0 : session.recent.length < before - 1;
  return isAllKnown ? [] : [`loops are looked for among the last ${after} calls, and fewer are remembered`];
}

function limitReason(check: CompiledCheck, tool: string | null, session: Session): string | null {
  const { openSteps, ownSteps, toolCalls, callsOf, cost } = session;
  const steps = openSteps + ownSteps;
  switch (check.kind) {
    case "max_steps":
      return steps > check.max ? `the session has ${steps} steps, and may have ${check.max}` : null;
    case "max_tool_calls":
      return toolCalls > check.max ? `the session has ${toolCalls} calls, and may have ${check.max}` : null;
    case "max_cost":
      return compareSum(cost, check.max) > 0 ? `the session cost ${sumNumber(cost)}, and may cost ${check.max}` : null;
    case "max_calls_per_tool": {
      const calls = tool === null ? 0 : (callsOf.get(tool) ?? 0);
      return calls > check.max ? `the session has ${calls} calls of \`${tool}\`, and may have ${check.max}` : null;
    }
    default:
      return null;
  }
}

function limitReasons({ session }: JudgedSession, { pack, tools }: Program): Reasons {
  const { consecutive_blocks: blocks, consecutive_errors: errors } = pack.circuit_breaker;
  const unmatched = [...session.callsOf.keys()].filter((name) => !tools.has(name));
  const found = [
    ...pack.tools.flatMap(({ name, checks }) => checks.map((check) => limitReason(check, name, session))),
    ...[null, ...unmatched].flatMap((name) => pack.unmatched_checks.map((check) => limitReason(check, name, session))),
    blocks !== null && session.blocksInRow >= blocks ? `${session.blocksInRow} calls in a row were refused` : null,
    errors !== null && session.errorsInRow >= errors ? `${session.errorsInRow} calls in a row failed` : null,
  ];
  return [...new Set(found.filter((reason) => reason !== null))];
}

function approvalReasons({ session }: JudgedSession, now: number): Reasons {
  const { approval } = session;
  if (approval === null || session.isKilled || now >= approval.deadline) return [];
  return [`the approval \`${approval.id}\` is pending; answer it, or wait until it expires`];
}

/** What preconditions know of outputs was found out with these variables. */
function variableReasons({ program }: JudgedSession): Reasons {
  return variablesIn(program.watches.map(({ withOutput }) => withOutput))
    .filter((name) => !program.env.has(name))
    .map((name) => `outputs are compared with the variable \`${name}\`, which is not set here; pass it in \`env\``);
}

/** Why a session cannot go on under another program; empty if nothing speaks against it so far. */
export function structuralReasons(given: JudgedSession, next: Program, now: number): Reasons {
  return [
    ...phaseReasons(given, next),
    ...limitReasons(given, next),
    ...slotReasons(given, next),
    ...callReasons(given, next),
    ...aggregateReasons(given, next),
    ...envelopeReasons(given, next),
    ...countReasons(given, next),
    ...loopReasons(given, next),
    ...approvalReasons(given, now),
    ...variableReasons(given),
  ];
}

/** Nothing was added: a lower bound that only the first call can reach does not hold yet. */
function isEmpty(state: AggregateState): boolean {
  if (state.parts !== null) return state.parts.size === 0;
  const { total, raise, lower, extreme, openExtremes, distinct, openTexts } = state;
  const isUnmoved = [total, raise, lower].every((sum) => compareSum(sum, 0) === 0);
  return isUnmoved && extreme === null && openExtremes === null && distinct.size === 0 && openTexts === null;
}

/** The aggregates of a session that are outside of their bounds. */
export function boundReasons({ program, session }: JudgedSession): Reasons {
  return program.aggregates.flatMap(({ name }, index) => {
    const state = session.aggregates[index];
    const refused = state === undefined || isEmpty(state) ? null : judgeAggregate(program, session, index);
    return refused === null ? [] : [`the aggregate \`${name}\` is outside of its bounds: ${refused.found}`];
  });
}
