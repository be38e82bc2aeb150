import type { JsonObject } from "../../../../src/base/json.js";
import type { Program } from "../../../../src/guard/program/program.js";
import type { SessionEvent } from "../../../../src/guard/session/event.js";
import type { Outcome } from "../../../../src/guard/session/outcome.js";
import type { PendingApproval } from "../../../../src/guard/session/pending-approval.js";
import { callIdOf, type Session } from "../../../../src/guard/session/session.js";
import { settlementOf } from "../../../../src/guard/session/settlement.js";
import type { Random } from "../../../differential/generate/random.js";
import { someObject } from "../../../differential/generate/values.js";

/** Names of calls under keys and of tools that are easily mistaken for something else. */
export const KEYS = ["k1", "k2", "__proto__"];
const STRAY = ["ghost", "__proto__"];
const DIGEST = `sha256-${"0".repeat(64)}`;
const RULE = { file: "session.yaml", line: 3 };
/** Sums of these are no whole numbers, or larger than those that doubles hold. */
const LARGE = [2 ** 53 - 1, 2 ** 53, 1e300, -1e300, 0.1, 5e-324];

/** Anything that may happen to a session, allowed or not: `advance` has to take it. */
export class Walk {
  private readonly pool: readonly JsonObject[];
  private readonly tools: readonly string[];
  /** How readily calls are left open. */
  private readonly settles: number;

  constructor(
    private readonly random: Random,
    private readonly program: Program,
  ) {
    this.pool = random.list(random.pick([1, 2, 4]), () => this.args());
    this.tools = [...program.tools.keys(), ...(random.chance(0.2) ? STRAY : [])];
    this.settles = random.pick([0.25, 0.4, 0.5]);
  }

  /** Calls to be judged: each tool, with the same arguments as some other call. */
  probes(): readonly { readonly tool: string; readonly args: JsonObject }[] {
    return this.tools.map((tool) => ({ tool, args: this.random.pick(this.pool) }));
  }

  /** The events of the next thing that happens; none if it does not apply. */
  next(session: Session): readonly SessionEvent[] {
    const roll = this.random.next();
    if (roll < this.settles) return this.settle(session);
    if (roll < 0.7) return [this.reserve(session)];
    if (roll < 0.85) return this.approvals(session);
    if (roll < 0.9) return this.late(session);
    return [this.aside(session)];
  }

  private args(): JsonObject {
    const { random } = this;
    return { ...someObject(random), ...random.maybe(0.15, () => ({ n: random.pick(LARGE) })) };
  }

  private reserve(session: Session): SessionEvent {
    const { random } = this;
    return {
      kind: "reserved",
      callId: callIdOf(session.issued + 1),
      tool: random.pick(this.tools),
      args: random.chance(0.7) ? random.pick(this.pool) : this.args(),
      isApproved: false,
      ...random.maybe(0.3, () => ({ key: random.pick(KEYS) })),
      ...random.maybe(0.2, () => ({ digest: DIGEST })),
      ...random.maybe(0.3, () => ({ at: 1_700_000_000_000 + random.below(1000) })),
    };
  }

  private outcome(): Outcome {
    const { random } = this;
    return random.make<Outcome>([
      () => ({ kind: "result", output: someObject(random) }),
      () => ({ kind: "result", output: someObject(random) }),
      () => ({ kind: "happened", output: someObject(random) }),
      () => ({ kind: "happened" }),
      () => ({ kind: "did_not_happen" }),
      () => ({ kind: "timeout", sent: true }),
      () => ({ kind: "error", sent: false }),
      () => ({ kind: "error", sent: true, status: random.pick([404, 500]) }),
    ]);
  }

  private settle(session: Session): readonly SessionEvent[] {
    const { random, program } = this;
    if (session.unsettled.size === 0) return [];
    const { id } = random.pick([...session.unsettled]);
    const outcome = this.outcome();
    const settled = settlementOf({ program, session, judges: random.chance(0.9), now: () => 1500 }, id, outcome);
    if (!settled.accepted) return [];
    return [settled.event];
  }

  private late(session: Session): readonly SessionEvent[] {
    const { random, program } = this;
    const running = [...session.unsettled].filter(({ origin }) => origin === "proposed");
    if (running.length > 0 && random.chance(0.3)) return [{ kind: "unanswered", callId: random.pick(running).id }];
    if (session.late.size > 0 && random.chance(0.5)) {
      const happened = random.chance(0.5);
      return [{ kind: "late_result_acknowledged", callId: random.pick([...session.late]), happened }];
    }
    if (session.denied.size === 0) return [];
    const callId = random.pick([...session.denied.keys()]);
    const { event } = settlementOf({ program, session, judges: true, now: () => 1500 }, callId, {
      kind: "result",
      output: {},
    });
    return event === undefined ? [] : [event];
  }

  private approvals(session: Session): readonly SessionEvent[] {
    const { random } = this;
    const { approval, resumable } = session;
    if (resumable.size > 0 && random.chance(0.3)) {
      const request = random.pick([...resumable.values()]);
      return this.allowed(request, random.pick(["resumed", "denied"]));
    }
    if (approval === null) return [{ kind: "approval_requested", request: this.request(session) }];
    if (random.chance(0.2)) return [{ kind: "approval_given", approvalId: approval.id, by: "somebody" }];
    return this.allowed(approval, random.pick(["approved", "granted", "denied", "expired", "expired", "withdrawn"]));
  }

  private request(session: Session): PendingApproval {
    const { random, program } = this;
    const serial = session.issued + 1;
    const args = random.pick(this.pool);
    return {
      id: `approval_${serial}`,
      callId: callIdOf(serial),
      tool: random.pick(this.tools),
      args,
      deadline: 1000 + random.below(1000),
      onTimeout: random.pick(["deny", "allow"]),
      artifactHash: program.artifact.hash,
      ...random.maybe(0.4, () => ({ key: random.pick(KEYS) })),
      ...random.maybe(0.5, () => ({ rule: RULE, rules: [RULE] })),
      ...random.maybe(0.3, () => ({ digest: DIGEST, guard: "g1", requester: "somebody", notRequester: true })),
      ...random.maybe(0.3, () => ({ needed: 2, context: [{ label: "Amount", value: args }] })),
    };
  }

  private allowed(
    request: PendingApproval,
    end: "approved" | "resumed" | "granted" | "denied" | "expired" | "withdrawn",
  ) {
    const ended = { kind: "approval_ended", approvalId: request.id, end } as const;
    if (end !== "approved" && end !== "resumed") return [ended];
    const { callId, tool, args, key, digest } = request;
    const reserved = {
      ...({ kind: "reserved", callId, tool, args, isApproved: true } as const),
      ...(key === undefined ? {} : { key }),
      ...(digest === undefined ? {} : { digest }),
    };
    return [ended, reserved];
  }

  private aside({ openSteps }: Session): SessionEvent {
    const { random } = this;
    return random.make<SessionEvent>([
      () => ({ kind: "blocked" }),
      () => ({ kind: "blocked" }),
      () => (openSteps < 4 ? { kind: "step_begun" } : { kind: "blocked" }),
      () => ({ kind: "cost_recorded", usd: random.pick([0.1, 0.2, 1, 1e300]) }),
      () => ({ kind: "label_added", label: random.pick(["secret", "tainted", "__proto__"]) }),
      () => (random.chance(0.2) ? { kind: "killed", why: "by the test" } : { kind: "blocked" }),
    ]);
  }
}
