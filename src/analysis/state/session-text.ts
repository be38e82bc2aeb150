import { canonicalJson } from "../../base/canonical-json.js";
import type { ExactSum } from "../../base/exact-sum.js";
import type { Json } from "../../base/json.js";
import { present } from "../../guard/decide/worlds.js";
import type { Watch } from "../../guard/program/tool-effects.js";
import { UNKNOWN } from "../../guard/session/call.js";
import type { AggregateState, Session, Writes } from "../../guard/session/session.js";
import type { CommittedSlot } from "../../guard/session/slots/committed-slot.js";
import type { StoredContent } from "../../guard/session/slots/slot-content.js";
import { timeIn } from "./clock.js";

/** A part of a session as text. */
export type Text = (session: Session) => string;

/** What expressions read besides slots: the time, and the labels. */
export const momentText: Text = (session) => `${timeIn(session)} ${[...session.labels].sort().join()}`;

/** The remembered value as text. */
export function valueText(writes: Writes | undefined): string {
  const value = present(writes);
  if (value === undefined) return "";
  return value === UNKNOWN ? "?" : canonicalJson(value);
}

/** A slot as text: its value, or all of a keyed slot or a union, in the order in which it would be forgotten. */
export function slotText(slot: string): Text {
  return ({ slots, collections }) => {
    const content = collections.get(slot);
    return content === undefined ? valueText(slots.get(slot)) : committedText(content);
  };
}

/** Without the numbers that only order its changes. */
function contentText({ entries, isUnknown, hasForgotten }: StoredContent): Json {
  const values = entries.map(({ keys, value }) => [keys, value === UNKNOWN ? "?" : [value]]);
  return [values, isUnknown, hasForgotten];
}

/** What it was before open calls changed it matters, too: an output may change it anew. */
function committedText(slot: CommittedSlot): string {
  const { steps, ...content } = slot.stored();
  const present = steps.length === 0 ? null : contentText(slot.present.stored());
  return canonicalJson([contentText(content), present, slot.present.isAwaited]);
}

/** The entities with an earlier call, and whether the last one satisfies the precondition. */
export function priorText({ index }: Watch): Text {
  return ({ priors }) =>
    [...(priors[index] ?? [])]
      .map(([entity, calls]) => `${entity}${calls.at(-1)?.satisfies === true ? "+" : "-"}`)
      .sort()
      .join(",");
}

function sumText(sum: ExactSum): string {
  return typeof sum === "number" ? `${sum}` : `${sum.digits}e${sum.exponent}`;
}

function stateText({ total, extreme, distinct, parts }: AggregateState): string {
  if (parts === null) return `${sumText(total)} ${extreme} ${[...distinct].sort().join()}`;
  return canonicalJson(Array.from(parts, ([key, { state }]) => [key, stateText(state)]).sort());
}

/** The state of an aggregate, with all its values where they are counted apart. */
export function aggregateText(index: number): Text {
  return ({ aggregates }) => {
    const state = aggregates[index];
    return state === undefined ? "" : stateText(state);
  };
}
