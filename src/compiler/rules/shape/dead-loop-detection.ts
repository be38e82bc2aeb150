import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly window: number;
  readonly threshold: number;
}

/** More equal calls than the window holds can never be seen. */
export const deadLoopDetection = defineRule<Params>({
  code: "dead_loop_detection",
  stage: "resolve",
  severity: "warning",
  what: "The threshold of the loop detection is larger than its window.",
  why: "That many equal calls never fit into the window, so it can never fire.",
  fix: "Make `threshold` at most `window`.",
  message: ({ window, threshold }) => `${threshold} equal calls never fit into a window of ${window}`,
  help: ({ window }) => `make \`threshold\` at most ${window}`,
  check(context, report) {
    const detection = context.session?.session_limits?.loop_detection;
    if (detection?.window === undefined || detection.threshold === undefined) return;
    const { window, threshold } = detection;
    if (threshold > window) report(valueSpan(detection, "threshold"), { window, threshold });
  },
});
