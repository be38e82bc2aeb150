import type { CertifiedProof, Counted, Region, SessionSet, Statement } from "../../../artifact/certificate.js";
import type { ControlProof, ControlRegion } from "./control-prover.js";
import type { ControlState } from "./control-state.js";
import type { Counter } from "./counters.js";

function countedOf({ of }: Counter): Counted {
  return of;
}

function stateOf({ phase, past, committed, open, counts }: ControlState): SessionSet {
  return {
    phase,
    past,
    committed: [...committed].sort(),
    open: [...open].sort().map(([tool, calls]) => ({ tool, calls: Number.isFinite(calls) ? calls : null })),
    counts,
  };
}

function regionOf({ denied, view, kept, states }: ControlRegion): Region {
  const { tools, hasPhases, counters } = view;
  return {
    denied: [...denied].sort(),
    tools,
    kept: [...kept].sort(),
    hasPhases,
    counters: counters.map(countedOf),
    states: states.map(stateOf),
  };
}

/** A proof as data that can be checked without searching. */
export function certified(pack: number, statement: Statement, { regions }: ControlProof): CertifiedProof {
  const assumes = statement.kind === "at_most" ? (["enforced", "no_late_result"] as const) : (["enforced"] as const);
  return { pack, statement, assumes, regions: regions.map(regionOf) };
}
