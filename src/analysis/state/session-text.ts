import { canonicalJson } from "../../base/canonical-json.js";
import { present } from "../../guard/decide/worlds.js";
import type { Watch } from "../../guard/program/tool-effects.js";
import { UNKNOWN } from "../../guard/session/call.js";
import type { Session, Writes } from "../../guard/session/session.js";

/** Something that a session has, spelled out. */
export type Text = (session: Session) => string;

/** What a session remembers under a name. */
export function valueText(writes: Writes | undefined): string {
  const value = present(writes);
  if (value === undefined) return "";
  return value === UNKNOWN ? "?" : canonicalJson(value);
}

/** The entities for which an earlier call was made, and whether the last one was as required. */
export function priorText({ index }: Watch): Text {
  return ({ priors }) =>
    [...(priors[index] ?? [])]
      .map(([entity, calls]) => `${entity}${calls.at(-1)?.satisfies === true ? "+" : "-"}`)
      .sort()
      .join(",");
}
