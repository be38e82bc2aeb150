import { judge } from "../evaluate.js";
import { parseExpression } from "../language.js";
import type { Evaluate } from "./run.js";

/** The reference evaluator under test. */
export const evaluateByModel: Evaluate = (text, args) => {
  const parsed = parseExpression(text);
  if (parsed.kind === "outside") return null;
  const nothing = { principal: null, labels: [], tool: "", now: 0, constants: {}, timezone: null, slots: new Map() };
  return judge(parsed.tree, { ...nothing, args });
};
