import type { CheckOf } from "../../artifact/compiled.js";
import { block } from "../decide/verdict.js";
import type { Run } from "../program/program.js";
import { loopKey } from "../session/call-digest.js";

/** Refuses the call that would be the `threshold`-th equal one among the last `window` proposals, itself included. */
export function loopDetection({ at, window, threshold }: CheckOf<"loop_detection">): Run {
  return ({ tool, args, digest }, { recent }) => {
    if (recent.length + 1 < threshold) return null;
    const key = digest ?? loopKey(tool.name, args);
    const others = window === 1 ? [] : recent.slice(1 - window);
    const equal = others.filter((other) => other === key).length;
    if (equal + 1 < threshold) return null;
    return block("loop_detected", at, `fewer than ${threshold} equal calls among ${window}`, `${equal + 1}`);
  };
}
