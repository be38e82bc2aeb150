import type { CheckOf, CompiledPack } from "../../artifact/compiled.js";
import { type Block, block } from "../decide/verdict.js";
import { onOneLine } from "../expression/evaluate.js";
import type { Fault } from "../expression/fault.js";
import { neededCalls } from "../expression/needed-call.js";
import { preparedOf } from "../expression/of-pack.js";
import { beforeCall } from "../expression/surroundings.js";
import { judgeWorlds, type WorldsAnswer } from "../expression/worlds/judge-worlds.js";
import { PresentSlots } from "../expression/worlds/present-slots.js";
import type { Check, Run } from "../program/program.js";
import type { Session } from "../session/session.js";
import { SlotWorlds } from "../session/slots/slot-worlds.js";

type Failed = Exclude<WorldsAnswer, { readonly kind: "true" }>;

/** More ways in which unsettled calls may end are not looked at for a hint. */
const MOST_WORLDS = 100;

/** Whether an unsettled call may still set a place of a slot. */
function isAwaited(session: Session, { what: slot, keys }: Fault): boolean {
  if (session.open === null) return false;
  const worlds = new SlotWorlds(session);
  for (let tried = 0; tried < MOST_WORLDS; tried++) {
    const value = keys.length === 0 ? worlds.read(slot) : worlds.entry(slot, keys);
    if (value !== undefined) return true;
    if (!worlds.next()) return false;
  }
  return true;
}

/** The refusal of a call whose expression needs a slot that is not set, or no longer known. */
function unset(base: Block, fault: Fault, pack: CompiledPack, session: Session): Block {
  const { kind, what: slot, keys } = fault;
  if (kind === "unset" && isAwaited(session, fault)) return { ...base, remedy: "settlement" };
  // Asking again gives the same answer.
  if (kind === "unset" && new PresentSlots(session).isLeftUnset(slot, keys))
    return { ...base, found: `${base.found}: the latest output did not set it`, remedy: "other_output" };
  const calls = neededCalls(slot, keys, pack);
  if (calls.length === 0) return base;
  const text = calls.map((call) => call.text).join(" or ");
  const needed = kind === "unset" ? text : `${text} (${base.found})`;
  return { ...base, after: calls.map(({ tool }) => tool), needed, calls };
}

/** Refuses a call unless its expression holds, however the open calls end. */
export function requires(
  { at, reason: because, that }: CheckOf<"requires">,
  pack: CompiledPack,
): Pick<Check, "run" | "surely"> {
  const prepared = preparedOf(that, pack);
  const { reads } = prepared;
  const readsArguments = reads.args.length > 0;

  const refused = (answer: Failed, session: Session): Block => {
    const required = onOneLine(that);
    const refusal = (code: Block["reason"], remedy: Block["remedy"]): Block => ({
      ...block(code, at, required, answer.found, answer.isPresent ? remedy : "settlement"),
      because,
    });
    switch (answer.kind) {
      case "awaited":
        return refusal("pending_conflict", null);
      case "false":
        return refusal("requirement_failed", readsArguments ? "arguments" : null);
      case "unjudgeable": {
        const { kind } = answer.why;
        const isOfSlot = kind === "unset" || kind === "lost" || kind === "forgotten";
        const base = refusal("requirement_unjudgeable", !isOfSlot && readsArguments ? "arguments" : null);
        return isOfSlot && answer.isPresent ? unset(base, answer.why, pack, session) : base;
      }
    }
  };

  const run: Run = (proposal, session, program) => {
    const answer = judgeWorlds(prepared, session, beforeCall(prepared, proposal, session, program));
    return answer.kind === "true" ? null : refused(answer, session);
  };
  // Without a call there is no time to judge it by.
  return { run, surely: readsArguments || reads.now ? null : run };
}
