import type { Random } from "./random.js";

/** Rules that may have a reason, by the names of the fields that hold them. */
const HOLDERS: ReadonlySet<string> = new Set([
  "preconditions",
  "input_invariants",
  "output_invariants",
  "argument_value_invariants",
  "transitions",
  "checkpoint",
  "checkpoints",
  "allow",
  "deny",
]);

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The value with a reason at some of its rules; `holder` is the name of the field that holds it. */
export function withReasons(random: Random, value: unknown, holder = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => withReasons(random, item, holder));
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const isConstraint = holder === "execution_constraints" && name === "arguments";
      return [name, withReasons(random, item, isConstraint ? "preconditions" : name)];
    }),
  );
  return HOLDERS.has(holder) && random.chance(0.3) ? { ...inner, reason: `The policy says ${holder}` } : inner;
}
