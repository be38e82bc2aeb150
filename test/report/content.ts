import type { Difference } from "../../src/analysis/difference.js";
import type { StepVerdict, Trace, TraceStep } from "../../src/analysis/trace/trace.js";
import type { RuleResult, Verification } from "../../src/analysis/verification.js";
import type { Artifact } from "../../src/artifact/compiled.js";
import { PackRules } from "../../src/artifact/pack-rules.js";
import type { Json, JsonObject } from "../../src/base/json.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { Verdict } from "../../src/guard/public.js";
import type { ReportContent } from "../../src/report/report-content.js";

const CONTRACTS = new URL("../../contracts/", import.meta.url).pathname;

/** The artifact of an example pack. */
export function exampleArtifact(name: string): Artifact {
  const { artifact } = compileFolder(`${CONTRACTS}${name}`);
  if (artifact === null) throw new Error(`${name} does not compile`);
  return artifact;
}

/** A report with nothing but its artifact. */
export function bareContent(artifact: Artifact): ReportContent {
  const examined = {
    findings: [],
    verifications: [],
    workflow: null,
    suppressed: [],
    difference: [],
    coverage: null,
    refusals: null,
  };
  return { artifact, ...examined, isDeadlockMeant: false, sources: null };
}

/** A call and what the tool would answer. */
export type Call = readonly [tool: string, args: JsonObject, output?: Json];

const AGENT = { department: "support", type: "agent" };

function stepVerdict(verdict: Verdict, asked: StepVerdict | null): StepVerdict {
  if (verdict.kind !== "block") return asked ?? { kind: "allow" };
  const { reason, rule = null, required = "", found = "" } = verdict;
  return { kind: "block", reason, rule, required, found };
}

async function step(guard: Guard, [tool, args, output = {}]: Call): Promise<TraceStep> {
  const first = await guard.propose({ tool, args });
  const asked: StepVerdict | null =
    first.kind === "approval_required" ? { kind: "approval", rules: first.rules } : null;
  const last = first.kind === "approval_required" ? await guard.approve(first.approvalId, { by: "ada" }) : first;
  if (last.kind === "recorded") throw new Error("the guard that proposed the call judges it again");
  if (last.kind === "allow") await guard.settle(last.callId, { kind: "result", output });
  const { phase } = await guard.state();
  const verdict = stepVerdict(last, asked);
  return {
    kind: "call",
    tool,
    args,
    verdict,
    outcome: last.kind === "allow" ? { kind: "result", output } : null,
    phase,
  };
}

/** A trace as the guard itself judges it. */
export async function replayed(artifact: Artifact, calls: readonly Call[], principal: Json = AGENT): Promise<Trace> {
  const guard = await createGuard(artifact, { principal, approver: "manual" });
  const steps: TraceStep[] = [];
  for (const call of calls) steps.push(await step(guard, call));
  return { principal, env: {}, steps };
}

const CUSTOMER = { customer_id: "cust_99" };
const VERIFY: Call = [
  "verify_identity",
  { ...CUSTOMER, verification_code: "204815" },
  { verified: true, customer_id: "cust_99" },
];
const ASSESS: Call = [
  "check_eligibility",
  { ...CUSTOMER, order_id: "4521" },
  { eligible: true, max_amount: 700, eligibility_id: "elig_1" },
];

/** A refund of order 4521. */
export function refund(amount: number): Call {
  const args = { order_id: "4521", eligibility_id: "elig_1", amount, currency: "USD", reason: "damaged" };
  return ["issue_refund", args, { refund_id: "re_1", status: "succeeded" }];
}

const PATHS: Readonly<Record<string, readonly Call[]>> = {
  phase: [refund(10)],
  requires: [VERIFY, ASSESS, refund(701)],
  ref: [VERIFY, ["check_eligibility", { customer_id: "cust_12", order_id: "4521" }]],
  checkpoint: [VERIFY, ASSESS, refund(600)],
  loop_detection: [
    ["get_order", { order_id: "1" }],
    ["get_order", { order_id: "4521" }, { status: "shipped" }],
  ],
};

/** What a verification of the refunds pack would say, with traces that the guard gave. */
export async function refundsVerification(artifact: Artifact): Promise<Verification> {
  const [pack] = artifact.packs;
  if (pack === undefined) throw new Error("no pack");
  const paid = await replayed(artifact, [VERIFY, ASSESS, refund(100)]);
  const results: RuleResult[] = [];
  const { all } = new PackRules(pack);
  const [first] = all;
  for (const { id, body } of all) {
    const trace = await replayed(artifact, PATHS[body.kind] ?? [refund(1)]);
    const isAlone = body.kind !== "capture";
    results.push({
      rule: id,
      status: isAlone ? "fires" : "never_alone",
      trace,
      others: isAlone ? [] : [first?.id ?? ""],
      by: null,
      because: null,
      met: [],
      miss: null,
    });
  }
  return {
    pack: "customer-refunds",
    bounds: { depth: 12, states: 20_000, explored: 1234, hit: [] },
    rules: results,
    tools: pack.tools.map(({ name }) => ({
      tool: name,
      status: "allowed",
      by: null,
      because: null,
      met: [],
      trace: paid,
      miss: null,
    })),
    claims: [
      {
        at: { file: "claims.yaml", line: 3 },
        text: "`issue_refund` is never called without an earlier `verify_identity`",
        status: "proved",
        by: "precondition",
        because: "a precondition requires an earlier call of `verify_identity`",
        rules: [],
        states: 0,
        met: [],
        trace: null,
      },
      {
        at: { file: "claims.yaml", line: 7 },
        text: "`issue_refund` is called at most 0 times",
        status: "violated",
        by: null,
        because: null,
        rules: [],
        states: 12,
        met: [],
        trace: paid,
      },
    ],
    stuck: [{ phase: "assessed", cause: "limits", isProved: true, trace: await replayed(artifact, [VERIFY, ASSESS]) }],
  };
}

/** A change that lets larger refunds through. */
export async function refundsDifference(artifact: Artifact): Promise<Difference> {
  const [pack] = artifact.packs;
  if (pack === undefined) throw new Error("no pack");
  const rule = new PackRules(pack).all.find(({ body }) => body.kind === "checkpoint");
  const words = "A person must approve when $.amount is at least 500 (within 900 seconds; silence means no).";
  const before = words.replace("500", "100");
  return {
    pack: "customer-refunds",
    changes: [
      {
        kind: "added",
        what: "tool",
        name: "send_receipt",
        tools: ["send_receipt"],
        before: null,
        after: null,
        oldRule: null,
        newRule: null,
        direction: "weaker",
        at: null,
      },
      {
        kind: "added",
        what: "phase",
        name: "refunded",
        tools: [],
        before: null,
        after: null,
        oldRule: null,
        newRule: null,
        direction: "same",
        at: null,
      },
      {
        kind: "loosened",
        what: "rule",
        name: words,
        tools: ["issue_refund"],
        before,
        after: words,
        oldRule: "checkpoint@issue_refund.yaml:190",
        newRule: rule?.id ?? null,
        direction: "weaker",
        at: rule?.at ?? null,
      },
    ],
    divergences: [
      {
        tool: "issue_refund",
        now: "allowed",
        over: "call",
        trace: await replayed(artifact, [VERIFY, ASSESS, refund(400)]),
        rule: before,
        ruleId: null,
      },
    ],
    isLoosened: true,
    isTightened: false,
    isBounded: false,
    isSearched: true,
  };
}
