import { compileFolder } from "../../compiler/compile-pack.js";
import { createGuard } from "../../guard/guard.js";
import type { Guard } from "../../guard/guard-api.js";
import type { Verdict } from "../../guard/public.js";
import type { Outcome } from "../../guard/session/outcome.js";
import { EXIT, type ExitCode } from "../exit-code.js";
import { packagePath } from "../package-file.js";
import type { Terminal } from "../terminal.js";

interface ScriptedCall {
  readonly intent: string;
  readonly tool: string;
  readonly args: object;
  /** What the tool would answer; a refused call never gets that far. */
  readonly outcome: Outcome;
}

const result = (output: object): Outcome => ({ kind: "result", output });
const refund = (amount: number, eligibility = "elig_1") => ({
  order_id: "4521",
  eligibility_id: eligibility,
  amount,
  currency: "USD",
  reason: "damaged",
});
const REFUNDED = result({ refund_id: "re_1", status: "succeeded" });

/** The script of an agent, mistakes included. */
const SCRIPT: readonly ScriptedCall[] = [
  {
    intent: "look up the order",
    tool: "get_order",
    args: { order_id: "4521" },
    outcome: result({ status: "shipped" }),
  },
  { intent: "pay at once", tool: "issue_refund", args: refund(79.5), outcome: REFUNDED },
  { intent: "a tool without a contract", tool: "delete_order", args: { order_id: "4521" }, outcome: result({}) },
  {
    intent: "check who is asking",
    tool: "verify_identity",
    args: { customer_id: "cust_99", verification_code: "204815" },
    outcome: result({ verified: true }),
  },
  {
    intent: "ask about another customer's order",
    tool: "check_eligibility",
    args: { order_id: "4521", customer_id: "cust_12" },
    outcome: result({ eligible: true, max_amount: 900, eligibility_id: "elig_9" }),
  },
  {
    intent: "ask what may be paid back",
    tool: "check_eligibility",
    args: { order_id: "4521", customer_id: "cust_99" },
    outcome: result({ eligible: true, max_amount: 79.5, eligibility_id: "elig_1" }),
  },
  { intent: "pay back more than that", tool: "issue_refund", args: refund(100), outcome: REFUNDED },
  {
    intent: "in another currency",
    tool: "issue_refund",
    args: { ...refund(79.5), currency: "EUR" },
    outcome: REFUNDED,
  },
  {
    intent: "pay back what is due, connection lost",
    tool: "issue_refund",
    args: refund(79.5),
    outcome: { kind: "timeout", sent: true },
  },
  { intent: "try again, outcome unknown", tool: "issue_refund", args: refund(79.5), outcome: REFUNDED },
];

function line(cells: readonly [string, string, string]): string {
  const [call, verdict, detail] = cells;
  return `${call.padEnd(20)} ${verdict.padEnd(32)} ${detail}`.trimEnd();
}

function refusalLines(verdict: Verdict): readonly string[] {
  if (verdict.kind !== "block") return [];
  const { rule, message, because, hint = "" } = verdict;
  const place = rule === undefined ? "" : ` [${rule.file}:${rule.line}]`;
  // The hint ends with the words of the rule, which are shown above it here.
  const remedy = because === undefined ? hint : hint.replace(`; because: ${because}`, "");
  return [`${because ?? message}${place}`, `hint: ${remedy}`];
}

async function play(guard: Guard, { intent, tool, args, outcome }: ScriptedCall): Promise<string> {
  const verdict = await guard.propose({ tool, args });
  const shown = verdict.kind === "block" ? `block ${verdict.reason}` : verdict.kind;
  const lines = [line([tool, shown, intent]), ...refusalLines(verdict).map((text) => `${" ".repeat(21)}${text}`)];
  if (verdict.kind === "allow") {
    await guard.settle(verdict.callId, outcome);
    if (outcome.kind === "timeout")
      lines.push(`${" ".repeat(21)}no answer: the amount stays counted until it is known what happened`);
  }
  return `${lines.join("\n")}\n`;
}

/** Lets a scripted agent work through the refunds pack and shows the guard's verdict on each call. */
export async function demoCommand(terminal: Terminal): Promise<ExitCode> {
  const pack = packagePath("contracts/refunds");
  const { artifact } = compileFolder(pack);
  if (artifact === null) throw new Error("the example pack does not compile");
  const guard = await createGuard(artifact, { principal: { department: "support", type: "agent" }, sessionId: "demo" });
  terminal.stdout.write(
    `contracts/refunds, ${artifact.packs[0]?.tools.length} tools, ${artifact.hash.slice(0, 19)}…\n\n`,
  );
  for (const call of SCRIPT) terminal.stdout.write(await play(guard, call));
  const { phase, toolCalls, aggregates, unsettled } = guard.state();
  const open = unsettled.map(({ tool, status }) => `${tool} (${status})`).join(", ");
  terminal.stdout.write(
    `\nphase ${phase}, ${toolCalls} calls counted, refunded ${aggregates.refunded_total} USD, open: ${open}\n`,
  );
  return EXIT.clean;
}
