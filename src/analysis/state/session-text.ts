import { canonicalJson } from "../../base/canonical-json.js";
import { present } from "../../guard/decide/worlds.js";
import type { Watch } from "../../guard/program/tool-effects.js";
import { UNKNOWN } from "../../guard/session/call.js";
import type { Session, Writes } from "../../guard/session/session.js";

/** A part of a session as text. */
export type Text = (session: Session) => string;

/** The remembered value as text. */
export function valueText(writes: Writes | undefined): string {
  const value = present(writes);
  if (value === undefined) return "";
  return value === UNKNOWN ? "?" : canonicalJson(value);
}

/** The entities with an earlier call, and whether the last one satisfies the precondition. */
export function priorText({ index }: Watch): Text {
  return ({ priors }) =>
    [...(priors[index] ?? [])]
      .map(([entity, calls]) => `${entity}${calls.at(-1)?.satisfies === true ? "+" : "-"}`)
      .sort()
      .join(",");
}
