import type { CheckOf } from "../../artifact/compiled.js";
import { block } from "../decide/verdict.js";
import type { Run } from "../program/program.js";
import { loopKey } from "../session/call-digest.js";

/** Refuses the call that would be the `threshold`-th equal one among the last `window` proposals, itself included. */
export function loopDetection({ at, window, threshold }: CheckOf<"loop_detection">): Run {
  return ({ tool, args, digest }, { recent }) => {
    if (recent.length + 1 < threshold) return null;
    const key = digest ?? loopKey(tool.name, args);
    let equal = 0;
    for (let back = 1; back < window && back <= recent.length; back++) {
      if (recent[recent.length - back] === key) equal += 1;
    }
    if (equal + 1 < threshold) return null;
    return block("loop_detected", at, `fewer than ${threshold} equal calls among ${window}`, `${equal + 1}`);
  };
}
