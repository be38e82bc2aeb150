import { describe, expect, it } from "vitest";
import { ClaimChecker } from "../../../src/analysis/claims/claim-check.js";
import { PackUnderTest } from "../../../src/analysis/model/pack-under-test.js";
import { timeIn } from "../../../src/analysis/state/clock.js";
import { Player } from "../../../src/analysis/trace/replay.js";
import type { Artifact } from "../../../src/artifact/compiled.js";
import type { JsonObject } from "../../../src/base/json.js";
import { decide } from "../../../src/guard/decide/decide.js";
import type { Decision } from "../../../src/guard/decide/verdict.js";
import { prepareProgram } from "../../../src/guard/program/prepare-program.js";
import type { Program } from "../../../src/guard/program/program.js";
import { proposalOf } from "../../../src/guard/program/proposal.js";
import { advance } from "../../../src/guard/session/advance.js";
import { callIdOf, copySession, newSession, type Session } from "../../../src/guard/session/session.js";
import { settlementOf } from "../../../src/guard/session/settlement.js";
import { type Environment, judgeClosing, judgeEntries } from "../../../src/guard/values/judge-value.js";
import { sizeOf } from "../../support/size.js";
import { compileSmall } from "./compile-small.js";
import { sessionText } from "./session-text.js";
import { type CallClaim, claimsOf } from "./small-claims.js";
import { type Domain, smallPack } from "./small-pack.js";

const PACKS = sizeOf("AGREEMENT_PACKS", { share: 25, full: 150 });
const SEED = Number(process.env.AGREEMENT_SEED ?? 1);
const BOUNDS = { depth: 12, states: 1500 };
const DEPTH = 3;
const MOST_STATES = 600;

/** A call as the guard judges it. */
interface Judged {
  readonly args: JsonObject;
  readonly decision: Decision;
  readonly env: Environment;
}

interface State {
  readonly session: Session;
  /** Tools with a committed call, and how often each was called. */
  readonly committed: ReadonlySet<string>;
  readonly calls: ReadonlyMap<string, number>;
}

function breaks(claim: CallClaim, { committed, calls, session }: State, { decision, args, env }: Judged): boolean {
  switch (claim.kind) {
    case "requires_approval":
      return decision.kind === "allow" && judgeEntries(claim.when, args, env, judgeClosing) === true;
    case "never_without_prior":
      return !committed.has(claim.prior);
    case "never_after":
      return committed.has(claim.after);
    case "at_most":
      return (calls.get(claim.tool) ?? 0) >= claim.calls;
    case "never_when_label":
      return session.labels.has(claim.label);
  }
}

/** The claims that sessions over a domain break, one call after the other. */
class BrokenClaims {
  readonly broken = new Set<CallClaim>();

  constructor(
    private readonly program: Program,
    private readonly domain: Domain,
    private readonly claims: readonly CallClaim[],
  ) {
    let layer: readonly State[] = [{ session: newSession(program), committed: new Set(), calls: new Map() }];
    for (let depth = 0; depth <= DEPTH && layer.length < MOST_STATES; depth++) {
      const next = new Map<string, State>();
      for (const state of layer) for (const [text, reached] of this.look(state)) next.set(text, reached);
      layer = [...next.values()];
    }
  }

  private *look(state: State): Generator<[string, State]> {
    for (const labelled of this.domain.labels.map((label) => this.labelled(state, label))) this.judge(labelled);
    for (const { tool, args } of this.judge(state)) {
      for (const output of this.domain.tools.get(tool.name)?.outputs ?? []) {
        const session = copySession(state.session);
        const callId = callIdOf(session.issued + 1);
        advance(this.program, session, { kind: "reserved", callId, tool: tool.name, args, isApproved: false });
        const settled = settlementOf(
          { program: this.program, session, judges: true, now: () => timeIn(session) },
          callId,
          {
            kind: "result",
            output,
          },
        );
        if (!settled.accepted) throw new Error(`not settled: ${settled.reason}`);
        advance(this.program, session, settled.event);
        const isCommitted = settled.violation === null || tool.commitsAtDispatch;
        const committed = isCommitted ? new Set([...state.committed, tool.name]) : state.committed;
        const calls = new Map([...state.calls, [tool.name, (state.calls.get(tool.name) ?? 0) + 1]]);
        const text = JSON.stringify([sessionText(session), [...committed].sort(), [...calls].sort()]);
        yield [text, { session, committed, calls }];
      }
    }
  }

  private labelled(state: State, label: string): State {
    const session = copySession(state.session);
    advance(this.program, session, { kind: "label_added", label });
    return { ...state, session };
  }

  private judge(state: State) {
    const proposals = [...this.program.tools.values()].flatMap((tool) =>
      (this.domain.tools.get(tool.name)?.args ?? []).map((args) => proposalOf(tool, args)),
    );
    const { env } = this.program;
    const judged = proposals.map((proposal) => ({
      ...proposal,
      env,
      decision: decide(this.program, state.session, proposal, 0),
    }));
    const allowed = judged.filter(({ decision }) => decision.kind !== "block");
    for (const claim of this.claims) {
      const own = allowed.filter(({ tool }) => tool.name === claim.tool);
      if (own.some((call) => breaks(claim, state, call))) this.broken.add(claim);
    }
    return allowed;
  }
}

function brokenByForce(artifact: Artifact, domain: Domain, claims: readonly CallClaim[]): ReadonlySet<CallClaim> {
  const [pack] = artifact.packs;
  if (pack === undefined) return new Set();
  const all = domain.principals.flatMap((principal) => [
    ...new BrokenClaims(prepareProgram(artifact, pack, { env: domain.env, principal }), domain, claims).broken,
  ]);
  return new Set(all);
}

describe("claims and exhaustive enumeration", () => {
  it("agree on which claims sessions break", async () => {
    const tried = { broken: 0, held: 0, late: 0, cut: 0 };
    for (let seed = SEED; seed < SEED + PACKS; seed++) {
      const small = smallPack(seed);
      const artifact = compileSmall(small.pack);
      const [compiled] = artifact?.packs ?? [];
      if (artifact === null || compiled === undefined) continue;
      const under = new PackUnderTest(artifact, compiled);
      const domain = small.domain(under.env);
      const claims = claimsOf(domain);
      const broken = brokenByForce(artifact, domain, claims);
      const checker = new ClaimChecker(under, BOUNDS);
      for (const claim of claims) {
        const { counterexample, isComplete } = checker.check(claim);
        if (counterexample === null) {
          tried[isComplete ? "held" : "cut"] += 1;
          expect({ seed, claim, isBroken: isComplete && broken.has(claim) }).toEqual({ seed, claim, isBroken: false });
          continue;
        }
        tried[broken.has(claim) ? "broken" : "late"] += 1;
        const { trace } = await new Player(artifact, undefined).play(counterexample);
        const last = trace.steps.at(-1);
        expect({ seed, claim, last }).toMatchObject({ last: { kind: "call", tool: claim.tool } });
        expect(last?.kind === "call" && last.verdict.kind !== "block").toBe(true);
      }
    }
    console.info(tried);
    expect(Math.min(tried.broken, tried.held)).toBeGreaterThan(PACKS);
  }, 300_000);
});
