import { unreachable } from "../../base/invariant.js";
import type { Json } from "../../base/json.js";
import type { StepOutcome, StepVerdict, TraceStep } from "./trace.js";

/** How a session is written: the same events, in more or fewer words. */
export interface Wording {
  /** Long values are cut: a reader wants to see the call, not all of its data. */
  readonly value: (value: Json) => string;
  readonly principal: (value: string) => string;
  readonly allowed: string;
  readonly approved: string;
  readonly unanswered: string;
  /** By a reason code, with the words of the rule if it has any. */
  readonly refused: (reason: string) => string;
  readonly answered: (output: string) => string;
  readonly withheld: (output: string, reason: string) => string;
  readonly failed: string;
  readonly lost: string;
  readonly open: string;
  readonly turn: string;
  readonly label: (label: string) => string;
  readonly cost: (usd: number) => string;
  readonly clock: (time: string) => string;
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

const LONGEST_TEXT = 80;

/** Long texts are cut first, so that what follows them is still visible. */
function withShortTexts(value: Json): string {
  const text = JSON.stringify(value, (_, item: unknown) =>
    typeof item === "string" && item.length > LONGEST_TEXT
      ? `${cut(item, LONGEST_TEXT)} (${item.length} characters)`
      : item,
  );
  return cut(text, 400);
}

/** For comparing two packs, where the verdict is what matters. */
export const IN_WORDS: Wording = {
  value: withShortTexts,
  principal: (value) => `principal ${value}`,
  allowed: ": allowed",
  approved: ": allowed after an approval",
  unanswered: ": allowed, because the approval expired",
  refused: (reason) => `: refused (${reason})`,
  answered: (output) => `, answers ${output}`,
  withheld: (output, reason) => `, answers ${output}, which is withheld (${reason})`,
  failed: ", fails before it is sent",
  lost: ", times out after it was sent",
  open: ", still runs",
  turn: "a step begins",
  label: (label) => `the session gets the label ${withShortTexts(label)}`,
  cost: (usd) => `the session has cost another ${usd} USD`,
  clock: (time) => `it is ${time}`,
};

/** For a witness, where all but the last call are allowed. */
export const IN_SHORT: Wording = {
  value: (value) => cut(JSON.stringify(value), 300),
  principal: (value) => `called by ${value}`,
  allowed: "",
  approved: " [asks for an approval]",
  unanswered: " [asks for an approval, which expires unanswered; that allows the call]",
  refused: (reason) => ` REFUSED: ${reason}`,
  answered: (output) => ` -> ${output}`,
  withheld: (output, reason) => ` -> ${output} (withheld: ${reason})`,
  failed: " (fails before it is sent)",
  lost: " (times out after it was sent)",
  open: " (still running)",
  turn: "the model's next turn begins",
  label: (label) => `the label ${label} is added`,
  cost: (usd) => `a cost of ${usd} US dollars is reported`,
  clock: (time) => `it is ${time}`,
};

function words({ because }: { readonly because?: string }): string {
  return because === undefined ? "" : `, because: ${because}`;
}

function verdictText(verdict: StepVerdict, { allowed, approved, unanswered, refused }: Wording): string {
  switch (verdict.kind) {
    case "allow":
      return allowed;
    case "approval":
      return verdict.isUnanswered === true ? unanswered : approved;
    case "block":
      return refused(`${verdict.reason}${words(verdict)}`);
    default:
      return unreachable(verdict);
  }
}

function outcomeText(outcome: StepOutcome, { value, answered, withheld, failed, lost, open }: Wording): string {
  switch (outcome.kind) {
    case "result":
      return answered(value(outcome.output));
    case "violated":
      return withheld(value(outcome.output), `${outcome.reason}${words(outcome)}`);
    case "failed":
      return failed;
    case "lost":
      return lost;
    case "open":
      return open;
    default:
      return unreachable(outcome);
  }
}

/** A step of a session in one line. */
export function stepText(step: TraceStep, wording: Wording): string {
  switch (step.kind) {
    case "call": {
      const outcome = step.outcome === null ? "" : outcomeText(step.outcome, wording);
      return `${step.tool} ${wording.value(step.args)}${verdictText(step.verdict, wording)}${outcome}`;
    }
    case "settle":
      return `${step.tool} answers ${wording.value(step.output)}`;
    case "step":
      return wording.turn;
    case "label":
      return wording.label(step.label);
    case "cost":
      return wording.cost(step.usd);
    case "clock":
      return wording.clock(new Date(step.now).toISOString());
    default:
      return unreachable(step);
  }
}

/** The principal of a session, as a list of no line or one. */
export function principalLines(principal: Json | null, { value, principal: format }: Wording): readonly string[] {
  return principal === null ? [] : [format(value(principal))];
}
