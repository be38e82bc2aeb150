import type { ExpectedVerdict } from "../../artifact/golden-case.js";
import type { GoldenFindingCode } from "../../diagnostics/golden-findings.js";
import { quoted } from "../../diagnostics/wording.js";
import type { Actual, PlayedCase } from "../../golden/played-case.js";

type Refusal = Pick<Actual & { readonly kind: "block" }, "required" | "found">;

function demand({ required, found }: Refusal): string {
  return `required: ${required}; found: ${found}`;
}

/** What a case expects. */
export function expectedWords({ ok, reason }: ExpectedVerdict): string {
  if (ok) return "an allowed call";
  return reason === null ? "a refused call" : `a call refused with \`${reason}\``;
}

/** What happened instead. */
export function actualWords(actual: Actual): string {
  switch (actual.kind) {
    case "allow":
      return "the guard allows it";
    case "block":
      return `the guard refuses it with \`${actual.reason}\` (${demand(actual)})`;
    case "approval_required":
      return "the guard asks for an approval";
    case "history_refused": {
      const { number, call, refuses, reason } = actual;
      const what = refuses === "call" ? "is refused" : "has an output that is refused";
      return `call ${number} of its history, ${quoted(call.tool)}, ${what} with \`${reason}\` (${demand(actual)})`;
    }
    case "not_started":
      return `it cannot be judged: ${actual.why}`;
  }
}

function blockHelp({ ok }: ExpectedVerdict, reason: string, hint: string | null): string {
  if (!ok) return `write \`expected_error: ${reason}\` if that refusal is the right one, or correct the rules`;
  return `correct the case, or the rule that refuses the call${hint === null ? "" : `; hint of the guard: ${hint}`}`;
}

function historyHelp({ given }: PlayedCase["golden"], hint: string | null): string {
  const begins =
    given.phase === null && given.bindings.size === 0
      ? "the history begins in a new session"
      : "the history begins neither in a new session nor in the given phase and bindings";
  return `${begins}; give the calls that lead there, oldest first${hint === null ? "" : `; hint of the guard: ${hint}`}`;
}

/** How to fix a case that failed. */
export function helpFor({ golden, actual }: PlayedCase): string {
  switch (actual.kind) {
    case "allow":
      return "correct the case, or add the rule that should refuse the call";
    case "block":
      return blockHelp(golden.expected, actual.reason, actual.hint);
    case "approval_required":
      return "a call that waits for an approval is not ok: write `expect_ok: false`, with no `expected_error` or with `approval_denied`";
    case "history_refused":
      return historyHelp(golden, actual.hint);
    case "not_started":
      return actual.help;
  }
}

/** The code of a case that failed. */
export function codeOf({ kind }: Actual): GoldenFindingCode {
  return kind === "history_refused" ? "golden_history_refused" : "golden_case_failed";
}

/** What is wrong with a case, without its place. */
export function failureWords({ golden, actual }: PlayedCase): string {
  const name = `the golden case ${quoted(golden.id)}`;
  return actual.kind === "history_refused"
    ? `${name} has a history that is not possible: ${actualWords(actual)}`
    : `${name} expects ${expectedWords(golden.expected)}, but ${actualWords(actual)}`;
}
