import { describe, expect, it } from "vitest";
import { Decisions } from "../../../src/guard/decide/decisions.js";
import { guardParts } from "../../../src/guard/guard-parts.js";
import { advance } from "../../../src/guard/session/advance.js";
import type { SessionEvent } from "../../../src/guard/session/event.js";
import { settlementOf } from "../../../src/guard/session/settlement.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { haveOneHiddenClass } from "../../support/hidden-class.js";

const PACK = `
#== session.yaml (with the required fields)
#== pay.yaml (with the required fields)
argument_value_invariants: [{ path: $.n, gte: 1 }]
`;

async function session() {
  const { program, ledger, options } = await guardParts(artifactOf(PACK), { env: {} }, {});
  const decisions = new Decisions(program, options);
  const propose = (n: number, key?: string) =>
    decisions.propose(ledger.session, "pay", decisions.proposals.of("pay", { n }), key);
  const happen = (event: SessionEvent) => advance(program, ledger.session, event);
  const settle = (callId: string) =>
    settlementOf({ program, session: ledger.session, judges: true, now: () => 0 }, callId, {
      kind: "result",
      output: { ok: true },
    });
  return { propose, happen, settle };
}

/** The last of many: the first ones may still be laid out anew. */
function latest<T>(count: number, make: (at: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, at) => make(at)).slice(-100);
}

describe("objects that every call makes have one hidden class:", () => {
  it("events of reservations, with a key and without", async () => {
    const { propose, happen } = await session();
    for (const key of [null, "key"]) {
      const events = latest(500, (at) => {
        const { events } = key === null ? propose(1) : propose(1, `${key} ${at}`);
        events.forEach(happen);
        return events;
      });
      expect(haveOneHiddenClass(events.flat())).toBe(true);
    }
  });

  it("events of settlements", async () => {
    const { propose, happen, settle } = await session();
    const events = latest(500, () => {
      const { events, result } = propose(1);
      events.forEach(happen);
      const settlement = settle(result.kind === "allow" ? result.callId : "");
      const own = settlement.accepted ? [settlement.event] : [];
      own.forEach(happen);
      return own;
    });
    expect(haveOneHiddenClass(events.flat())).toBe(true);
  });
});

describe("objects that every call reads have one hidden class, whichever guard they belong to:", () => {
  const pack = (n: number) =>
    `${PACK}\n#== refund_${n}.yaml (with the required fields)\nbinds: [{ name: s, source: output, path: $.id }]\n`;

  it("tools, programs and options", async () => {
    const packs = Array.from({ length: 8 }, (_, n) => artifactOf(pack(n)));
    const parts = await Promise.all(packs.map((artifact) => guardParts(artifact, { env: {} }, {})));
    expect(haveOneHiddenClass(parts.map(({ program }) => program))).toBe(true);
    expect(haveOneHiddenClass(parts.map(({ options }) => options))).toBe(true);
    const tools = parts.flatMap(({ program }) => [...program.tools.values(), program.unmatched("other")]);
    expect(haveOneHiddenClass(tools)).toBe(true);
  });
});
