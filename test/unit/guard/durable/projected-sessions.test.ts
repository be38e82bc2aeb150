import { describe, expect, it } from "vitest";
import type { Artifact } from "../../../../src/artifact/compiled.js";
import { isJsonObject, type Json } from "../../../../src/base/json.js";
import { Decisions } from "../../../../src/guard/decide/decisions.js";
import { neededFields } from "../../../../src/guard/durable/needed-fields.js";
import { prepareProgram } from "../../../../src/guard/program/prepare-program.js";
import type { Program, Tool } from "../../../../src/guard/program/program.js";
import { proposalOf } from "../../../../src/guard/program/proposal.js";
import { advance } from "../../../../src/guard/session/advance.js";
import { decodeEvent } from "../../../../src/guard/session/decode-event.js";
import type { SessionEvent } from "../../../../src/guard/session/event.js";
import { checkedOutcome } from "../../../../src/guard/session/outcome.js";
import { newSession, type Session } from "../../../../src/guard/session/session.js";
import { settlementOf } from "../../../../src/guard/session/settlement.js";
import { stateOf } from "../../../../src/guard/session/state.js";
import { compileGenerated } from "../../../differential/compile-pack.js";
import { Random } from "../../../differential/generate/random.js";
import type { Operation, Setting, Trace } from "../../../differential/generate/trace.js";
import { generateCase } from "../../../differential/generate.js";
import { sizeOf } from "../../../support/size.js";

const SEED = 20261207;
const PACKS = sizeOf("PROJECTED_PACKS", { share: 150, full: 400 });
const TRACES = 6;

function hasCheck(tool: Tool, kind: string): boolean {
  return tool.checks.some((check) => check.kind === kind);
}

/** A session that is advanced with whole events, or with what has to be stored of them. */
class Advanced {
  readonly session: Session;
  private readonly toolsOf = new Map<string, string>();
  dropped = 0;

  constructor(
    private readonly program: Program,
    private readonly isProjected: boolean,
  ) {
    this.session = newSession(program);
  }

  take(events: readonly SessionEvent[]): void {
    for (const event of events) {
      const stored = this.isProjected ? decodeEvent(this.projected(event)) : event;
      this.dropped += JSON.stringify(event).length - JSON.stringify(stored).length;
      advance(this.program, this.session, stored);
    }
  }

  private tool(name: string): Tool {
    return this.program.tools.get(name) ?? this.program.unmatched(name);
  }

  private projected(event: SessionEvent): SessionEvent {
    const fields = neededFields(this.program);
    const argsOf = (tool: Tool, args: Json) => (isJsonObject(args) ? fields.args(tool, args) : args);
    switch (event.kind) {
      case "reserved":
        this.toolsOf.set(event.callId, event.tool);
        return { ...event, args: argsOf(this.tool(event.tool), event.args) };
      case "settled": {
        const tool = this.tool(this.toolsOf.get(event.callId) ?? "");
        return event.output === undefined ? event : { ...event, output: fields.output(tool, event.output) };
      }
      case "approval_requested": {
        const tool = this.tool(event.request.tool);
        // An approved call is judged again, here by its schema too.
        if (hasCheck(tool, "schema")) return event;
        return { ...event, request: { ...event.request, args: argsOf(tool, event.request.args) } };
      }
      default:
        return event;
    }
  }
}

type Step = (session: Session) => { readonly events: readonly SessionEvent[]; readonly result: unknown };

function record(event: SessionEvent): Step {
  return () => ({ events: [event], result: null });
}

/** Both sessions, and the decisions on both. */
class Pair {
  readonly whole: Advanced;
  readonly part: Advanced;
  answers = 0;
  private readonly decisions: Decisions;
  private now = 1_700_000_000_000;
  private readonly asked = new Set<string>();

  constructor(
    private readonly program: Program,
    { mode, unmatched, approver }: Setting,
  ) {
    this.whole = new Advanced(program, false);
    this.part = new Advanced(program, true);
    const { principal } = program;
    const clock = { now: () => this.now };
    const options = {
      ...{ sessionId: "s", principal, mode, unmatched, approver: approver ?? undefined, clock },
      ...{ guardId: "g", requester: null, approvals: { quorum: 1, notRequester: true }, recording: null, seat: null },
    };
    this.decisions = new Decisions(program, options);
  }

  /** Does it to both sessions; the answers have to be the same. */
  perform(operation: Operation): void {
    const step = this.stepOf(operation);
    if (step === null) return;
    const whole = step(this.whole.session);
    const part = step(this.part.session);
    expect(part.result).toEqual(whole.result);
    this.whole.take(whole.events);
    this.part.take(part.events);
    expect(stateOf(this.program, this.part.session)).toEqual(stateOf(this.program, this.whole.session));
    expect(this.decisions.visibleTools(this.part.session)).toEqual(this.decisions.visibleTools(this.whole.session));
    this.answers += 1;
  }

  private stepOf(operation: Operation): Step | null {
    switch (operation.op) {
      case "propose":
      case "wrap":
        return typeof operation.tool === "string" ? this.propose(operation.tool, operation.args) : null;
      case "settle":
        return this.settle(operation.back, operation.outcome);
      case "approve":
      case "deny":
      case "resume":
        return this.answer(operation.op, [...this.asked].at(-1 - (operation.back ?? 0)) ?? "unknown");
      case "beginStep":
        return (session) => this.decisions.beginStep(session);
      case "recordCost":
        return record({ kind: "cost_recorded", usd: operation.usd });
      case "addLabel":
        return record({ kind: "label_added", label: String(operation.label) });
      case "kill":
        return record({ kind: "killed", why: String(operation.why) });
      case "acknowledge":
      case "reopen":
        return null;
      case "wait":
        this.now += operation.seconds * 1000;
        return null;
    }
  }

  /** The arguments that are stored have to be judged like all of them, too. */
  private propose(toolName: string, args: unknown): Step {
    const { decisions, program } = this;
    const proposal = decisions.proposals.of(toolName, args);
    return (session) => {
      const decided = decisions.propose(session, toolName, proposal);
      const { result } = decided;
      if (result.kind === "approval_required") this.asked.add(result.approvalId);
      if (proposal.kind === "call" && !hasCheck(proposal.tool, "schema")) {
        const stored = proposalOf(proposal.tool, neededFields(program).args(proposal.tool, proposal.args));
        expect(decisions.propose(session, toolName, stored).result).toEqual(result);
      }
      return decided;
    };
  }

  private answer(op: "approve" | "deny" | "resume", id: string): Step {
    const { approvals } = this.decisions;
    if (op === "resume") return (session) => approvals.resume(session, id);
    return (session) => approvals.answer(session, id, op === "deny" ? "denied" : "approved", { by: "tester" });
  }

  private settle(back: number, given: unknown): Step | null {
    const open = [...this.whole.session.unsettled];
    const call = open.at(-1 - (back % open.length));
    if (call === undefined) return null;
    const outcome = checkedOutcome(given);
    return (session) => {
      const settlement = settlementOf(
        { program: this.program, session, judges: true, now: () => this.now },
        call.id,
        outcome,
      );
      return { events: settlement.accepted ? [settlement.event] : [], result: { ...settlement, event: null } };
    };
  }
}

function isOutcome(operation: Operation): boolean {
  if (operation.op !== "settle") return true;
  try {
    checkedOutcome(operation.outcome);
    return true;
  } catch {
    return false;
  }
}

function play(artifact: Artifact, { setting, operations }: Trace): Pair | null {
  const [pack] = artifact.packs;
  if (pack === undefined) return null;
  const program = prepareProgram(artifact, pack, { env: setting.env, principal: setting.principal });
  const pair = new Pair(program, setting);
  for (const operation of operations.filter(isOutcome)) pair.perform(operation);
  return pair;
}

describe("a session that is advanced with what has to be stored", () => {
  it("decides the same as one that is advanced with everything", () => {
    const seeds = new Random(SEED);
    let [answers, dropped] = [0, 0];
    for (let made = 0; made < PACKS; made++) {
      const { pack, traces } = generateCase(seeds.fork(), TRACES);
      const artifact = compileGenerated(pack);
      if (artifact === null) continue;
      // Loop detection compares whole arguments.
      if (pack.session?.session_limits?.loop_detection !== undefined) continue;
      for (const trace of traces) {
        const pair = play(artifact, trace);
        answers += pair?.answers ?? 0;
        dropped += pair?.part.dropped ?? 0;
      }
    }
    expect(answers).toBeGreaterThan(10_000);
    expect(dropped).toBeGreaterThan(100_000);
  }, 120_000);
});
