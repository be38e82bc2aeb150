import { type Attributes, type Span, SpanStatusCode } from "@opentelemetry/api";
import type { Place } from "../artifact/compiled-value.js";
import { foreignErrorName } from "../base/foreign-value.js";
import type { GuardEvents, Verdict } from "../guard/public.js";
import { quietly } from "./quiet.js";

function placeText({ file, line }: Place): string {
  return `${file}:${line}`;
}

/** The attributes of a verdict. Nothing of its texts, which may show arguments. */
function verdictAttributes(verdict: Verdict): Attributes {
  const kind = { "contract_guard.verdict": verdict.kind };
  switch (verdict.kind) {
    case "allow":
      return verdict.would === undefined
        ? kind
        : {
            ...kind,
            "contract_guard.would": verdict.would.kind === "block" ? verdict.would.reason : verdict.would.kind,
          };
    case "approval_required":
      return { ...kind, "contract_guard.rule": verdict.rules.map(placeText).join(", ") };
    case "block":
      return {
        ...kind,
        "contract_guard.reason": verdict.reason,
        ...(verdict.rule === undefined ? {} : { "contract_guard.rule": placeText(verdict.rule) }),
      };
  }
}

/** The span of one call, from its proposal to its settlement. Where it cannot be written, nothing else fails. */
export class CallSpan {
  private isEnded = false;
  private isNamed = false;

  constructor(readonly span: Span) {}

  judged(verdict: Verdict, phase: string | null): void {
    this.said(verdictAttributes(verdict));
    this.inPhase(phase);
    if (verdict.kind !== "block") this.named(verdict.callId);
    if (verdict.kind === "block") this.failed(verdict.reason);
  }

  /** A wrapped call was allowed. The first time it is this one: calls that its tool proposes itself are decided after it. */
  allowed({ callId, would, rules }: GuardEvents["decision"]): void {
    if (this.isNamed || callId === undefined) return;
    this.named(callId);
    // Said here: of what the tool throws afterwards nothing else tells that the call was allowed.
    this.happened();
    const enforced = would ?? (rules === undefined ? null : "approval_required");
    if (enforced !== null) this.said({ "contract_guard.would": enforced });
  }

  private named(callId: string): void {
    this.isNamed = true;
    this.said({ "gen_ai.tool.call.id": callId });
  }

  /** The call was allowed. */
  happened(): void {
    this.said({ "contract_guard.verdict": "allow" });
  }

  inPhase(phase: string | null): void {
    if (phase !== null) this.said({ "contract_guard.phase": phase });
  }

  /** The class of what was thrown, but not its message, which may hold arguments. */
  threw(cause: unknown): void {
    this.failed(foreignErrorName(cause));
  }

  failed(type: string): void {
    this.said({ "error.type": type });
    quietly(() => this.span.setStatus({ code: SpanStatusCode.ERROR }), this.span);
  }

  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    quietly(() => this.span.end(), undefined);
  }

  private said(attributes: Attributes): void {
    quietly(() => this.span.setAttributes(attributes), this.span);
  }
}
