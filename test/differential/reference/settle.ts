import type { Json } from "../../../src/base/json.js";
import type { AllowedError, ToolContract } from "../../../src/language/schema/tool.js";
import { wordsOf } from "./check.js";
import { type Call, type Calls, commitsAtDispatch, type End, type Event } from "./history.js";
import { isJsonOutput } from "./json.js";
import { judgeEntry } from "./judge.js";
import { contractOf, type Options, type Outcome, type Pack, type SettleRefusal, type Violation } from "./model.js";
import { brokenGuarantee } from "./requirements.js";
import { judgeStages } from "./value-checks.js";
import { endedOf, type World } from "./worlds.js";

const RELEASED: End = { kind: "released", proof: "outcome" };
const INDETERMINATE: End = { kind: "indeterminate" };

type ErrorOutcome = Extract<Outcome, { kind: "error" }>;

function statusMatches(wanted: string, status: number | undefined): boolean {
  if (status === undefined) return false;
  return wanted.endsWith("xx") ? wanted[0] === String(status)[0] : wanted === String(status);
}

/** A string is a status, a class of them, or an error code; of a mapping every given key must match. */
function isMatch(entry: string | AllowedError, error: ErrorOutcome): boolean {
  if (typeof entry === "string") {
    return /^[1-5]([0-9]{2}|xx)$/.test(entry) ? statusMatches(entry, error.status) : entry === error.code;
  }
  const { status, code, message_regex: pattern } = entry;
  if (status !== undefined && !statusMatches(String(status), error.status)) return false;
  if (code !== undefined && code !== error.code) return false;
  return pattern === undefined || (error.message !== undefined && new RegExp(pattern, "u").test(error.message));
}

function allowedErrors(contract: ToolContract | null, outcome: Outcome): readonly (string | AllowedError)[] {
  if (outcome.kind !== "error") return [];
  return (contract?.allowed_errors ?? []).filter((entry) => isMatch(entry, outcome));
}

/** What proves that the call did not happen; what proves nothing leaves it open. */
function endOfError(contract: ToolContract | null, outcome: ErrorOutcome): End {
  if (outcome.sent === false) return RELEASED;
  for (const entry of allowedErrors(contract, outcome)) {
    if (typeof entry === "string" || entry.outcome === undefined) continue;
    return entry.outcome === "not_executed" ? RELEASED : INDETERMINATE;
  }
  const { status = 0, answered = false } = outcome;
  const isRefusal = status >= 400 && status < 500 && status !== 408;
  return answered || isRefusal ? RELEASED : INDETERMINATE;
}

interface Settling {
  readonly pack: Pack;
  readonly events: readonly Event[];
  readonly options: Options;
  readonly calls: Calls;
  readonly call: Call;
}

/** What is committed without the call itself. */
function worldBefore(calls: Calls, { callId }: Call): World {
  const ended = endedOf(calls).filter((other) => other.call.callId !== callId);
  return { commits: calls.commits.filter((other) => other.callId !== callId), counted: [], ended };
}

/** The first rule that an output breaks: invariants, guarantees and constrained stages, against what is committed when it arrives. */
function violationOf({ pack, options, events, calls, call }: Settling, output: Json): Violation | null {
  const contract = contractOf(pack, call.tool);
  const invariants = contract?.assertions.output_invariants ?? [];
  const broken = invariants.find((entry) => judgeEntry(entry, output, options.env) !== "true");
  if (broken !== undefined) return { reason: "output_invariant_failed", because: wordsOf(broken) };
  const world = worldBefore(calls, call);
  const { tool, args } = call;
  const guarantee = brokenGuarantee({ pack, options, events, tool, args, output }, world);
  if (guarantee !== undefined) return { reason: "guarantee_failed", because: guarantee.reason };
  const staged = { tool: call.tool, source: "output" as const, value: output };
  const left = (pack.session?.envelopes ?? []).find((envelope) =>
    judgeStages(envelope, staged, world).some((result) => result !== "pass"),
  );
  return left === undefined ? null : { reason: "output_stage_violated", because: left.reason };
}

function committedWith(output: Json | undefined): End {
  return { kind: "committed", output: output === undefined ? { kind: "none" } : { kind: "known", value: output } };
}

/** Log-only judges no output, but what is no JSON cannot be kept in any mode. */
function endOfResult(settling: Settling, output: unknown): End {
  if (!isJsonOutput(output)) return { kind: "violated", by: { reason: "output_not_json" } };
  const known = output ?? null;
  const by = settling.options.mode === "log-only" ? null : violationOf(settling, known);
  return by === null ? committedWith(known) : { kind: "violated", by };
}

/** An output that comes with the word that the call happened is judged like a result; without one nothing is bound. */
function endOfHappened(settling: Settling, output: unknown): End {
  return output === undefined ? committedWith(undefined) : endOfResult(settling, output);
}

/** The table "Settling" of decision 0007, for a call that is running or indeterminate. */
function endOf(settling: Settling, outcome: Outcome): End | SettleRefusal {
  const { pack, call } = settling;
  const contract = contractOf(pack, call.tool);
  const isOpen = call.open === "indeterminate";
  switch (outcome.kind) {
    case "happened":
      return endOfHappened(settling, outcome.output);
    case "did_not_happen":
      return { kind: "released", proof: "word" };
    case "result":
      if (isOpen) return "outcome_is_open";
      return endOfResult(settling, outcome.output);
    case "error":
      if (isOpen) return "outcome_is_open";
      return endOfError(contract, outcome);
    case "timeout":
      if (isOpen) return "outcome_is_open";
      return outcome.sent === false ? RELEASED : INDETERMINATE;
  }
}

/** The same for a call committed at dispatch: nothing is taken back, and only its output may still come. */
function endAfterDispatch(settling: Settling, outcome: Outcome): End | SettleRefusal {
  if (outcome.kind === "did_not_happen") return "committed_at_dispatch";
  if (outcome.kind === "happened") return endOfHappened(settling, outcome.output);
  if (outcome.kind !== "result") return committedWith(undefined);
  return endOf(settling, outcome);
}

/** What a settlement says about errors in a row. */
function tally(contract: ToolContract | null, outcome: Outcome, end: End): readonly Event[] {
  if (end.kind === "violated") return [{ kind: "error" }];
  if (outcome.kind === "result") return [{ kind: "success" }];
  if (outcome.kind !== "error" && outcome.kind !== "timeout") return [];
  return allowedErrors(contract, outcome).length > 0 ? [] : [{ kind: "error" }];
}

/** The events that a settlement makes, or the name of its refusal. */
export function settle(settling: Settling, outcome: Outcome): readonly Event[] | SettleRefusal {
  const { pack, call } = settling;
  if (call.open === null) return "already_settled";
  const contract = contractOf(pack, call.tool);
  const end = commitsAtDispatch(pack, call.tool) ? endAfterDispatch(settling, outcome) : endOf(settling, outcome);
  if (typeof end === "string") return end;
  const isRead = contract?.side_effect === "read";
  const final: End = end.kind === "indeterminate" && isRead ? RELEASED : end;
  return [{ kind: "settled", callId: call.callId, end: final }, ...tally(contract, outcome, end)];
}
