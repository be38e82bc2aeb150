import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/base/json.js";
import { decide, explainAll } from "../../../../src/guard/decide/decide.js";
import { visibleTools } from "../../../../src/guard/decide/visible-tools.js";
import { encodeSnapshot } from "../../../../src/guard/durable/session-snapshot.js";
import type { Program } from "../../../../src/guard/program/program.js";
import { proposalOf } from "../../../../src/guard/program/proposal.js";
import { advance } from "../../../../src/guard/session/advance.js";
import type { SessionEvent } from "../../../../src/guard/session/event.js";
import { copySession, newSession, type Session } from "../../../../src/guard/session/session.js";
import { stateOf } from "../../../../src/guard/session/state.js";
import { someCallablePack } from "../../../differential/generate/callable-pack.js";
import { Random } from "../../../differential/generate/random.js";
import { somePrincipal } from "../../../differential/generate/values.js";
import { haveOneHiddenClass } from "../../../support/hidden-class.js";
import { seedOf } from "../../../support/seed.js";
import { DENSE_PACK } from "./dense-pack.js";
import { ALL_FEATURES, featuresOf } from "./session-features.js";
import { structureOf } from "./session-structure.js";
import { KEYS, Walk } from "./session-walk.js";
import { programOf, storedAndRead } from "./snapshot-text.js";

const SEED = seedOf("SNAPSHOT_SEED", 5);
const WALKS = 50;
const STEPS = 60;
/** Some deadlines have passed, others have not. */
const NOW = 1500;

interface Probe {
  readonly tool: string;
  readonly args: JsonObject;
}

/** Everything that can be seen of a session. */
function seen(program: Program, session: Session, probes: readonly Probe[]): unknown {
  const proposals = probes.map(({ tool, args }) =>
    proposalOf(program.tools.get(tool) ?? program.unmatched(tool), args),
  );
  return {
    state: stateOf(program, session),
    visible: visibleTools(program, session, NOW),
    verdicts: proposals.map((proposal) => decide(program, session, proposal, NOW)),
    refusals: proposals.map((proposal) => explainAll(program, session, proposal)),
    keys: KEYS.map((key) => session.keys?.find(session, key)),
    calls: Array.from(session.unsettled, ({ id }) => session.unsettled.find(id)?.id),
    copy: structureOf(copySession(session)),
  };
}

describe("a session that was stored and read again", () => {
  it("goes on as the one that was not", () => {
    const seeds = new Random(SEED);
    const features = new Set<string>();
    for (let run = 0; run < WALKS; run++) {
      const random = new Random(seeds.fork());
      const program = programOf(run % 2 === 0 ? DENSE_PACK : someCallablePack(random), somePrincipal(random));
      const walk = new Walk(random, program);
      const untouched = newSession(program);
      let stored = newSession(program);
      for (let step = 0; step < STEPS; step++) {
        if (random.chance(0.3)) {
          for (const feature of featuresOf(program, stored)) features.add(feature);
          stored = storedAndRead(program, stored);
        }
        for (const event of walk.next(untouched)) {
          advance(program, untouched, event);
          advance(program, stored, event);
        }
        const probes = walk.probes();
        const wanted = seen(program, untouched, probes);
        expect(seen(program, stored, probes), `walk ${run}, step ${step}`).toStrictEqual(wanted);
      }
    }
    expect(ALL_FEATURES.filter((feature) => !features.has(feature))).toEqual([]);
  }, 120_000);
});

describe("a call that was stored and read again", () => {
  it("has the hidden class of other calls", () => {
    const program = programOf(DENSE_PACK, {});
    const session = newSession(program);
    for (const tool of ["look", "pay"]) advance(program, session, reserved(session.issued + 1, tool, { id: "e1" }));
    expect(haveOneHiddenClass([...session.unsettled, ...storedAndRead(program, session).unsettled])).toBe(true);
  });
});

const reserved = (serial: number, tool: string, args: JsonObject) =>
  ({ kind: "reserved", callId: `call_${serial}`, tool, args, isApproved: false }) as const;
const released = (serial: number) =>
  ({ kind: "settled", callId: `call_${serial}`, ending: "released", sign: "neither" }) as const;

describe("what a refusal shows does not depend on calls that have ended:", () => {
  const program = programOf(DENSE_PACK, {});

  function refusals(session: Session, { tool, args }: Probe) {
    const proposal = proposalOf(program.tools.get(tool) ?? program.unmatched(tool), args);
    return explainAll(program, session, proposal);
  }

  function expectSame(events: readonly SessionEvent[], probe: Probe, found: string) {
    const session = newSession(program);
    for (const event of events) advance(program, session, event);
    expect(refusals(session, probe)).toContainEqual(expect.objectContaining({ found }));
    expect(refusals(storedAndRead(program, session), probe)).toEqual(refusals(session, probe));
    expect(refusals(copySession(session), probe)).toEqual(refusals(session, probe));
  }

  it("the phase", () => {
    const open = [reserved(1, "pay", {}), reserved(2, "move", {}), reserved(3, "pay", {})];
    expectSame([...open, released(1)], { tool: "stop", args: {} }, "a call that has not settled and leads to busy");
  });

  const committed = (output: JsonObject): SessionEvent => ({
    ...{ kind: "settled", callId: "call_1", ending: "committed", sign: "success" },
    output,
  });

  it("a reference that is no number", () => {
    const open = ["a", "b", "a"].map((s, at) => reserved(2 + at, "pay", { s }));
    const events = [reserved(1, "look", {}), committed({ s: 5 }), ...open, released(2)];
    expectSame(
      events,
      { tool: "pay", args: { s: 1 } },
      "1 against last that is no number, of a call that has not settled",
    );
  });

  it("a reference where the ones that are kept are no interval", () => {
    const open = [1, 2, 1].map((n, at) => reserved(2 + at, "move", { n }));
    const events = [reserved(1, "move", { n: 100 }), committed({ ok: true }), ...open, released(2)];
    expectSame(events, { tool: "pay", args: { m: 100 } }, "100 against anchor 1, of a call that has not settled");
  });
});

describe("the keys of calls in a snapshot", () => {
  it("are the same whenever the session was read again", () => {
    const program = programOf(DENSE_PACK, {});
    const tool = [...program.tools.keys()][0] ?? "";
    const go = (session: Session, from: number, to: number) => {
      for (let n = from; n < to; n++) {
        const callId = `call_${n + 1}`;
        // A key that was forgotten is given again.
        const key = n === 58_001 ? { key: "k1" } : n % 2 === 1 ? { key: `k${n}` } : {};
        advance(program, session, { kind: "reserved", callId, tool, args: {}, digest: "d", isApproved: false, ...key });
        advance(program, session, { kind: "settled", callId, ending: "released", sign: "neither" });
      }
    };
    const whole = newSession(program);
    go(whole, 0, 46_000);
    const read = storedAndRead(program, whole);
    go(whole, 46_000, 62_000);
    go(read, 46_000, 62_000);
    expect(JSON.stringify(encodeSnapshot(read))).toBe(JSON.stringify(encodeSnapshot(whole)));
  });
});
