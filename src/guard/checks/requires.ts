import type { CheckOf, CompiledPack } from "../../artifact/compiled.js";
import { cut } from "../../base/wording.js";
import { type Block, block } from "../decide/verdict.js";
import type { Fault } from "../expression/fault.js";
import { neededCall } from "../expression/needed-call.js";
import { preparedOf } from "../expression/of-pack.js";
import { beforeCall } from "../expression/surroundings.js";
import { judgeWorlds, type WorldsAnswer } from "../expression/worlds/judge-worlds.js";
import { PresentSlots } from "../expression/worlds/present-slots.js";
import type { Run } from "../program/program.js";
import type { Session } from "../session/session.js";

type Failed = Exclude<WorldsAnswer, { readonly kind: "true" }>;

/** Whether an unsettled call may still set a slot. */
function isOpen({ open }: Session, slot: string): boolean {
  return open?.slot(slot) !== undefined || open?.collection(slot) !== undefined;
}

/** The refusal of a call whose expression needs a slot that is not set. */
function unset(base: Block, fault: Fault, pack: CompiledPack, session: Session): Block {
  const { what: slot, keys } = fault;
  if (isOpen(session, slot)) return { ...base, remedy: "settlement" };
  // Asking again gives the same answer.
  if (fault.kind === "unset" && new PresentSlots(session).isLeftUnset(slot, keys))
    return { ...base, found: `${base.found}: the latest output did not set it`, remedy: "other_output" };
  const { tools, text } = neededCall(slot, keys, pack);
  return tools.length === 0 ? base : { ...base, after: tools, needed: text };
}

/** Refuses a call unless its expression holds, however the open calls end. */
export function requires({ at, reason: because, that }: CheckOf<"requires">, pack: CompiledPack): Run {
  const prepared = preparedOf(that, pack);
  const readsArguments = prepared.reads.args.length > 0;

  const refused = (answer: Failed, session: Session): Block => {
    const required = cut(that.text.trim());
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

  return (proposal, session, program) => {
    const answer = judgeWorlds(prepared, session, beforeCall(prepared, proposal, session, program));
    return answer.kind === "true" ? null : refused(answer, session);
  };
}
