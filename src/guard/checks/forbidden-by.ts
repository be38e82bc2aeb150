import type { CheckOf } from "../../artifact/compiled.js";
import { block } from "../decide/verdict.js";
import type { Run } from "../program/program.js";

/** Refuses a tool that an earlier call forbids, unsettled ones included. */
export function forbiddenBy({ tools }: CheckOf<"forbidden_by">): Run {
  return (_proposal, { callsOf }) => {
    for (const { at, tool } of tools) {
      if (callsOf.has(tool))
        return block("forbidden_after", at, `no earlier call of \`${tool}\``, `a call of \`${tool}\``);
    }
    return null;
  };
}
