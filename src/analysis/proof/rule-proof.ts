import type { CompiledPack } from "../../artifact/compiled.js";
import { isSamePlace } from "../../artifact/compiled-value.js";
import type { PackRule, RuleBody } from "../../artifact/pack-rules.js";
import { checksOf } from "../model/checks-of.js";
import type { Proof } from "./proof.js";

/** What is known about a pack. */
interface Known {
  readonly pack: CompiledPack;
  /** The tools that are proved to be never allowed. */
  readonly never: ReadonlySet<string>;
  /** The rule of the session's limit on calls, if it has one. */
  readonly callLimit: PackRule | undefined;
}

/** The largest number of calls that a session may have. */
function mostCalls({ pack: { tools, unmatched_checks: unmatched } }: Known): number {
  // Normally every tool has the session limit among its checks; a tool without it is unlimited.
  const all = [...tools.map(({ checks }) => checks), unmatched];
  const limits = all.map((checks) => checksOf(checks, "max_tool_calls").map(({ max }) => max));
  return Math.max(...limits.map((own) => Math.min(Number.POSITIVE_INFINITY, ...own)));
}

/** Whether a rule also applies to tools without a contract, which a guard can be configured to allow. */
function isForUnmatched({ kind, ...rest }: RuleBody, { unmatched_checks: unmatched }: CompiledPack): boolean {
  if (kind !== "checkpoint" || !("at" in rest)) return false;
  const { at } = rest;
  return unmatched.some((check) => check.kind === kind && isSamePlace(check.at, at));
}

function proof(by: Proof["by"], because: string, rules: readonly string[] = []): Proof {
  return { by, because, rules };
}

function lowerLimit(known: Known): Proof {
  const { callLimit } = known;
  const rules = callLimit === undefined ? [] : [callLimit.id];
  return proof(
    "other_limit_lower",
    `a session has at most ${mostCalls(known)} calls, fewer than this rule allows`,
    rules,
  );
}

/** Why a rule never refuses a call, asks for an approval or rejects an output; null if that is not known. */
export function proofNeverFires({ body, tools }: PackRule, known: Known): Proof | null {
  switch (body.kind) {
    case "precondition":
      return body.prior === null && (body.step_count ?? 0) <= 0
        ? proof("always_met", "no session has fewer steps")
        : null;
    case "max_calls_per_tool":
    case "max_calls_per_step":
      return body.max > mostCalls(known) ? lowerLimit(known) : null;
    case "loop_detection":
      return body.threshold > Math.max(1, body.window)
        ? proof("window_too_small", `${body.threshold} equal calls do not fit into ${body.window}`)
        : null;
    case "aggregate": {
      const { metric, gte, lte, when, per } = body.aggregate;
      // With `per` it also refuses calls without a value to count apart.
      const isPlain = metric === "count" && gte === null && lte !== null && when.length === 0 && per === undefined;
      return isPlain && lte >= mostCalls(known) + 1 ? lowerLimit(known) : null;
    }
    case "forbidden_by":
      return known.never.has(body.tool)
        ? proof("forbidding_tool_never_allowed", `no call of \`${body.tool}\` is ever allowed`)
        : null;
    case "checkpoint":
    case "output_invariant":
    case "ensures":
    case "output_stage":
      return tools.every((tool) => known.never.has(tool)) && !isForUnmatched(body, known.pack)
        ? proof("tool_never_allowed", `no call of ${tools.map((tool) => `\`${tool}\``).join(", ")} is ever allowed`)
        : null;
    default:
      return null;
  }
}
