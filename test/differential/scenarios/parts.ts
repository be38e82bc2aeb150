import type { SessionContract } from "../../../src/language/schema/session.js";
import { settle, tool } from "../scenario.js";

/** Parts that several tables of scenarios use. */

/** Three phases in a row. */
export const PHASES: Partial<SessionContract> = {
  phases: [{ name: "one", initial: true }, { name: "two" }, { name: "end", terminal: true }],
  transitions: { one: ["two"], two: ["end"] },
};

/** A checkpoint on every call. */
export const ALWAYS = { when: "always" as const, timeout_seconds: 30 };

/** No answer came, and the call may have run. */
export const lost = settle({ kind: "timeout", sent: true });

/** The call never left. */
export const unsent = settle({ kind: "error", sent: false });

/** Binds `x` from its arguments. */
export const BINDER = tool("a", { binds: [{ name: "x", path: "$.n" }] });

/** Binds `x` from its output. */
export const REPLIER = tool("o", { binds: [{ name: "x", source: "output", path: "$.n" }] });

/** Refers to `x`. */
export const USER = tool("u", { argument_value_invariants: [{ path: "$.n", ref: "x" }] });

/** Wants an output that says so. */
export const OK = { assertions: { input_invariants: [], output_invariants: [{ path: "$.ok", equals: true }] } };
