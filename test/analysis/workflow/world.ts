import { timeIn } from "../../../src/analysis/state/clock.js";
import type { Artifact } from "../../../src/artifact/compiled.js";
import type { JsonObject } from "../../../src/base/json.js";
import { decide } from "../../../src/guard/decide/decide.js";
import { prepareProgram } from "../../../src/guard/program/prepare-program.js";
import type { Program, Tool } from "../../../src/guard/program/program.js";
import { proposalOf } from "../../../src/guard/program/proposal.js";
import { advance } from "../../../src/guard/session/advance.js";
import { callIdOf, copySession, newSession, type Session } from "../../../src/guard/session/session.js";
import { settlementOf } from "../../../src/guard/session/settlement.js";
import { admission } from "../../../src/workflow/rules/admission.js";
import { callRefusal } from "../../../src/workflow/rules/call-refusal.js";
import { handoffRefusal } from "../../../src/workflow/rules/handoff-refusal.js";
import { startRefusal } from "../../../src/workflow/rules/start-refusal.js";
import { isTouch, touchesOf } from "../../../src/workflow/rules/touched-resources.js";
import { type WorkflowRules, workflowRules } from "../../../src/workflow/rules/workflow-rules.js";
import { advanceWorkflow } from "../../../src/workflow/state/advance-workflow.js";
import type { WorkflowEvent } from "../../../src/workflow/state/workflow-event.js";
import {
  copyWorkflow,
  hasEnded,
  type Member,
  newWorkflow,
  type WorkflowState,
} from "../../../src/workflow/state/workflow-state.js";
import { KEYS } from "./small-workflow.js";

/** All sessions of a workflow at one moment. */
export interface World {
  readonly workflow: WorkflowState;
  readonly sessions: ReadonlyMap<string, Session>;
}

/** An allowed call. */
export interface WorldCall {
  readonly member: Member;
  readonly tool: Tool;
  readonly args: JsonObject;
}

/** One thing that may happen next. */
export interface Move {
  readonly kind: "start" | "handoff" | "close" | "kill" | "call" | "settle";
  readonly session: string;
  readonly to: World;
}

const ARGUMENTS: readonly JsonObject[] = [{}, ...KEYS.map((r) => ({ r }))];

/** What can happen in a workflow, with every order of events, unsettled calls, failures, closes and kills. */
export class Worlds {
  readonly rules: WorkflowRules;
  private readonly programs = new Map<string, Program>();

  constructor(
    artifact: Artifact,
    private readonly most: Readonly<Record<string, number>>,
    private readonly hasCalls = true,
  ) {
    const rules = workflowRules(artifact);
    if (rules === null) throw new Error("there is no workflow");
    this.rules = rules;
    for (const { name, pack } of rules.roles.values()) {
      const compiled = artifact.packs[pack];
      if (compiled !== undefined)
        this.programs.set(name, prepareProgram(artifact, compiled, { env: {}, principal: null }));
    }
  }

  beginning(): World {
    return { workflow: newWorkflow(), sessions: new Map() };
  }

  program(role: string): Program {
    const program = this.programs.get(role);
    if (program === undefined) throw new Error(`there is no role ${role}`);
    return program;
  }

  isFinished(member: Member, session: Session): boolean {
    return (this.program(member.role).pack.phases?.terminal ?? []).includes(session.phase ?? "");
  }

  *moves(world: World): Generator<Move> {
    yield* this.begins(world);
    for (const member of world.workflow.sessions.values()) {
      const session = member.id;
      if (!hasEnded(member)) {
        yield { kind: "close", session, to: this.after(world, { kind: "closed", session }) };
        const kill = { kind: "killed", scope: "session", session, why: "", operator: null } as const;
        yield { kind: "kill", session, to: this.after(world, kill) };
      }
      if (this.hasCalls) yield* this.acts(world, member);
    }
  }

  private *begins(world: World): Generator<Move> {
    const { workflow } = world;
    for (const role of this.rules.roles.values()) {
      const count = [...workflow.sessions.values()].filter((member) => member.role === role.name).length;
      if (count >= (this.most[role.name] ?? 0)) continue;
      const session = `${role.name}${count + 1}`;
      const begun = (parent: string | null) => {
        const { workflow: next, sessions } = this.after(world, { kind: "started", session, role: role.name, parent });
        return { workflow: next, sessions: new Map([...sessions, [session, newSession(this.program(role.name))]]) };
      };
      if (startRefusal(this.rules, workflow, role) === null) yield { kind: "start", session, to: begun(null) };
      for (const from of workflow.sessions.values()) {
        const artifacts = { names: new Set<string>(), problem: null };
        if (handoffRefusal(this.rules, workflow, { from, to: role, artifacts }) === null)
          yield { kind: "handoff", session: from.id, to: begun(from.id) };
      }
    }
  }

  private after({ workflow, sessions }: World, event: WorkflowEvent): World {
    const next = copyWorkflow(workflow);
    advanceWorkflow(this.rules, next, event);
    return { workflow: next, sessions };
  }

  private *acts(world: World, member: Member): Generator<Move> {
    const session = world.sessions.get(member.id);
    if (session === undefined) return;
    for (const call of this.calls(world, member)) {
      // One unsettled call of each session is enough to hold something.
      if (session.unsettled.size > 0) break;
      const open = this.reserved(world, call);
      // A call that keeps nobody out is settled at once.
      if (this.holds(call)) yield { kind: "call", session: member.id, to: open };
      yield* this.settlements(open, member, "call");
    }
    yield* this.settlements(world, member, "settle");
  }

  /** The calls that are allowed now, if need be after an approval. */
  *calls({ workflow, sessions }: World, member: Member): Generator<WorldCall> {
    const session = sessions.get(member.id);
    const program = this.program(member.role);
    const role = this.rules.roles.get(member.role);
    if (session === undefined || role === undefined || admission(this.rules, workflow, member) !== null) return;
    for (const tool of program.tools.values()) {
      for (const args of ARGUMENTS) {
        if (decide(program, session, proposalOf(tool, args), 0).kind === "block") continue;
        const call = { isStep: true, isMutating: !tool.isRead, touches: touchesOf(role, args) };
        if (callRefusal(this.rules, workflow, { member, call }) === null) yield { member, tool, args };
      }
    }
  }

  private holds({ member, tool, args }: WorldCall): boolean {
    const role = this.rules.roles.get(member.role);
    const touches = role === undefined ? [] : touchesOf(role, args);
    return touches.some(({ resource }) => !tool.isRead || resource.mode === "exclusive_pending");
  }

  private reserved(world: World, { member, tool, args }: WorldCall): World {
    const program = this.program(member.role);
    const role = this.rules.roles.get(member.role);
    const before = world.sessions.get(member.id);
    if (before === undefined || role === undefined) throw new Error("nobody calls");
    const session = copySession(before);
    const callId = callIdOf(session.issued + 1);
    advance(program, session, { kind: "reserved", callId, tool: tool.name, args, isApproved: false });
    const resources = touchesOf(role, args)
      .filter(isTouch)
      .map(({ resource: { alias }, key }) => ({ alias, key }));
    const reserved = resources.length === 0 ? [] : [{ callId, isMutating: !tool.isRead, resources }];
    const event = { kind: "progressed", session: member.id, steps: 0, reserved } as const;
    const { workflow } = this.after(world, event);
    return { workflow, sessions: new Map([...world.sessions, [member.id, session]]) };
  }

  private *settlements(world: World, member: Member, kind: "call" | "settle"): Generator<Move> {
    const program = this.program(member.role);
    const before = world.sessions.get(member.id);
    const [open] = before?.unsettled ?? [];
    if (before === undefined || open === undefined) return;
    for (const outcome of [{ kind: "result", output: {} } as const, { kind: "error", sent: false } as const]) {
      const session = copySession(before);
      const settlement = settlementOf({ program, session, judges: true, now: () => timeIn(session) }, open.id, outcome);
      if (!settlement.accepted) continue;
      advance(program, session, settlement.event);
      const isTouching = world.workflow.sessions.get(member.id)?.calls.has(open.id) === true;
      const ended = isTouching ? [{ callId: open.id, isReleased: outcome.kind === "error" }] : [];
      const event = { kind: "progressed", session: member.id, steps: 0, ended } as const;
      const { workflow } = this.after(world, event);
      yield {
        kind,
        session: member.id,
        to: { workflow, sessions: new Map([...world.sessions, [member.id, session]]) },
      };
    }
  }

  /** Everything that distinguishes a world from others. */
  keyOf({ workflow, sessions }: World): string {
    const members = [...workflow.sessions.values()].map(({ id, parent, status, children }) => {
      const session = sessions.get(id);
      const open = Array.from(session?.unsettled ?? [], ({ tool, args }) => [tool.name, args]);
      // Nothing that an ended session could still do depends on how it ended.
      return [id, parent, status === "killed" ? "closed" : status, [...children], session?.phase, open];
    });
    const resources = Array.from(workflow.resources.entries(), ([name, { users }]) => {
      const uses = Array.from(users, ([id, use]) => [id, use.open, use.openMutating, Math.min(use.done, 1)]);
      return [name, uses.sort()];
    });
    return JSON.stringify([members, resources.sort(), workflow.isKilled]);
  }
}
