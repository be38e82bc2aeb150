import { canonicalJson } from "../../base/canonical-json.js";
import { present } from "../../guard/decide/worlds.js";
import type { Watch } from "../../guard/program/tool-effects.js";
import { UNKNOWN } from "../../guard/session/call.js";
import type { Session, Writes } from "../../guard/session/session.js";
import type { StoredContent } from "../../guard/session/slots/slot-content.js";

/** A part of a session as text. */
export type Text = (session: Session) => string;

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
    return content === undefined ? valueText(slots.get(slot)) : contentText(content.stored());
  };
}

/** Without the numbers that only order its changes. */
function contentText({ entries, isUnknown, hasForgotten, awaiting }: StoredContent): string {
  const values = entries.map(({ keys, value }) => [keys, value === UNKNOWN ? "?" : [value]]);
  return canonicalJson([values, isUnknown, hasForgotten, awaiting.size]);
}

/** The entities with an earlier call, and whether the last one satisfies the precondition. */
export function priorText({ index }: Watch): Text {
  return ({ priors }) =>
    [...(priors[index] ?? [])]
      .map(([entity, calls]) => `${entity}${calls.at(-1)?.satisfies === true ? "+" : "-"}`)
      .sort()
      .join(",");
}
