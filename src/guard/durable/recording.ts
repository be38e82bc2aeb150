import { canonicalJson, contentHash } from "../../base/canonical-json.js";
import type { Json, JsonObject } from "../../base/json.js";
import { contextOf } from "../approvals/approval-context.js";
import { type Block, becauseIn } from "../decide/verdict.js";
import type { Proposal, Tool } from "../program/program.js";
import type { ToolEffects } from "../program/tool-effects.js";
import type { Clock, GuardOptions, RecordedAnswer, StepVerdict, Verdict } from "../public.js";
import type { SessionEvent } from "../session/event.js";
import { inRecordedOrder } from "../values/recorded-order.js";
import type { NeededFields } from "./needed-fields.js";
import type { Note, RecordedCall, RecordedVerdict } from "./note.js";
import { withoutSchema } from "./reduced-tool.js";

/** What the recording of a session needs to know. */
interface Parts {
  readonly sessionId: string;
  /** What is kept of arguments and outputs; null keeps all of them. */
  readonly needed: NeededFields | null;
  readonly clock: Clock;
  readonly principal: Json | null;
  /** How the guard judges, `enforce` by default, and whether it blocks tools without a contract. */
  readonly mode?: GuardOptions["mode"];
  readonly unmatched?: GuardOptions["unmatched"];
}

/** The refusal of arguments that could not be judged, with the digest of their call where it has one. */
type RefusedArguments = Block & { readonly digest: string | null };

/** What is recorded of a principal. */
export function principalDigest(principal: Json): string {
  return contentHash(canonicalJson(principal));
}

/** What is recorded of calls where the session outlives the process: only what decisions and audits need. */
export class Recording {
  /** What verdicts depend on beside the artifact and the session. */
  private readonly setting: Pick<Note, "principal" | "mode" | "unmatched">;

  constructor(private readonly parts: Parts) {
    const { principal, mode = "enforce", unmatched = "block" } = parts;
    this.setting = {
      ...(principal === null ? {} : { principal: principalDigest(principal) }),
      ...(mode === "enforce" ? {} : { mode }),
      ...(unmatched === "block" ? {} : { unmatched }),
    };
  }

  /** The id of a request for an approval: unique in the store, and naming its session. */
  approvalId(serial: number): string {
    return `approval_${serial}@${this.parts.sessionId}`;
  }

  args(tool: Tool, args: JsonObject): JsonObject {
    return inRecordedOrder(this.parts.needed?.args(tool, args) ?? args);
  }

  /** An output as the event of its call has it. */
  output(tool: ToolEffects, output: Json): Json {
    return inRecordedOrder(this.parts.needed === null ? output : this.parts.needed.output(tool, output));
  }

  reserved(event: SessionEvent & { readonly kind: "reserved" }, { tool, args, digest }: Proposal): SessionEvent {
    const reduced = { ...event, args: this.args(tool, args), at: this.parts.clock.now() };
    return digest === undefined ? reduced : { ...reduced, digest };
  }

  /** The tool of a call whose arguments are reduced. Its JSON Schema was judged on all of them. */
  judgedTool(tool: Tool): Tool {
    return withoutSchema(tool);
  }

  /** The note of a verdict on a proposed call. */
  proposed(tool: string | null, proposal: Proposal | RefusedArguments | null, verdict: Verdict, key?: string): Note {
    return {
      verdict: recordedVerdict(verdict),
      call: this.call(tool, proposal, verdict, key),
      ...this.setting,
    };
  }

  /** The note of an answer to a request for an approval. */
  answered(answer: NonNullable<Note["answer"]>, verdict: Verdict | RecordedAnswer): Note {
    return { answer, verdict: recordedVerdict(verdict), ...this.setting };
  }

  /** The note of a verdict on a call that waited for an approval. */
  resumed(approvalId: string, verdict: Verdict): Note {
    return { resumed: approvalId, verdict: recordedVerdict(verdict), ...this.setting };
  }

  /** The note of a verdict on a step. */
  step(verdict: StepVerdict): Note {
    return { step: true, verdict: recordedStep(verdict), ...this.setting };
  }

  private call(
    tool: string | null,
    proposal: Proposal | RefusedArguments | null,
    verdict: Verdict,
    key: string | undefined,
  ): RecordedCall {
    // What a reservation or a request says of its call is in its event.
    const isInEvent = verdict.kind !== "block" && verdict.repeated !== true;
    const keyed: { readonly key?: string } = key === undefined || isInEvent ? {} : { key };
    if (proposal === null) return { tool, ...keyed };
    if (proposal.kind === "block") {
      const { digest } = proposal;
      return { tool, ...keyed, ...(digest === null || keyed.key === undefined ? {} : { digest }) };
    }
    const { digest, args } = proposal;
    const context = contextOf(
      proposal.tool.checkpoints.flatMap((checkpoint) => checkpoint.context),
      args,
    );
    return {
      tool,
      ...keyed,
      ...(digest === undefined || isInEvent ? {} : { digest }),
      ...(verdict.kind === "block" ? { fields: this.args(proposal.tool, args) } : {}),
      ...(context.length === 0 ? {} : { context }),
    };
  }
}

/** What is recorded of a verdict on a step. */
export function recordedStep(verdict: StepVerdict): RecordedVerdict {
  if (verdict.kind === "block") return recordedVerdict(verdict);
  const { kind, would } = verdict;
  return would === undefined ? { kind } : { kind, would: recordedVerdict(would) };
}

/** What is recorded of a verdict. */
export function recordedVerdict(verdict: Verdict | RecordedAnswer): RecordedVerdict {
  switch (verdict.kind) {
    case "recorded":
      return { kind: "recorded" };
    case "block":
      return {
        kind: "block",
        reason: verdict.reason,
        ...(verdict.rule === undefined ? {} : { rule: verdict.rule }),
        ...becauseIn(verdict),
      };
    case "approval_required":
      return {
        kind: verdict.kind,
        rules: verdict.rules,
        ...becauseIn(verdict),
        callId: verdict.callId,
        approvalId: verdict.approvalId,
        ...(verdict.repeated === true ? { repeated: true } : {}),
      };
    case "allow":
      return {
        kind: "allow",
        callId: verdict.callId,
        ...(verdict.repeated === true ? { repeated: true } : {}),
        ...(verdict.would === undefined ? {} : { would: recordedVerdict(verdict.would) }),
      };
  }
}
