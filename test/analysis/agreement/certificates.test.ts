import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PackUnderTest } from "../../../src/analysis/model/pack-under-test.js";
import { certify } from "../../../src/analysis/proof/certify.js";
import type { CertifiedProof, Counted, Region, SessionSet } from "../../../src/artifact/certificate.js";
import { statementOf } from "../../../src/artifact/certificate.js";
import type { Artifact, CompiledPack } from "../../../src/artifact/compiled.js";
import { whyRejected, whyUnproved } from "../../../src/certificate/check-certificate.js";
import { Transitions } from "../../../src/certificate/transitions.js";
import { prepareProgram } from "../../../src/guard/program/prepare-program.js";
import { Random } from "../../differential/generate/random.js";
import { seedOf } from "../../support/seed.js";
import { sizeOf } from "../../support/size.js";
import { brokenBy } from "./broken-by.js";
import { compileSmall } from "./compile-small.js";
import { RandomSession, type Watcher } from "./random-session.js";
import { type CallClaim, claimsOf } from "./small-claims.js";
import { smallPack } from "./small-pack.js";

const MUTATIONS = sizeOf("CERTIFICATE_MUTATIONS", { share: 60, full: 1000 });
const PACKS = sizeOf("CERTIFICATE_PACKS", { share: 8, full: 400 });
const SEED = seedOf("CERTIFICATES_SEED", 1);
const MOST_STATES = 300;

interface Sample {
  readonly artifact: Artifact;
  readonly pack: CompiledPack;
  readonly claims: readonly CallClaim[];
  /** Those that some session broke. */
  readonly broken: readonly CallClaim[];
}

function sampleOf(seed: number): Sample | null {
  const random = new Random(seed * 7919);
  const small = smallPack(seed);
  const artifact = compileSmall(small.pack);
  const [pack] = artifact?.packs ?? [];
  if (artifact === null || pack === undefined) return null;
  const under = new PackUnderTest(artifact, pack);
  const domain = small.domain(under.env);
  const claims = claimsOf(domain);
  const broken = new Set<CallClaim>();
  const watcher: Watcher = {
    acted: () => {},
    rested: () => {},
    allowed: (walk, call) => {
      for (const claim of claims) if (brokenBy(claim, walk, call)) broken.add(claim);
    },
  };
  for (let at = 0; at < 30; at++) {
    const program = prepareProgram(artifact, pack, { env: under.env, principal: random.pick(domain.principals) });
    new RandomSession(program, { rules: under.rules, domain, random, watcher }).run(12);
  }
  return { artifact, pack, claims, broken: [...broken] };
}

function isWithin(inner: SessionSet, outer: SessionSet): boolean {
  const most = (set: SessionSet, tool: string) => {
    const found = set.open.find((each) => each.tool === tool);
    return found === undefined ? 0 : (found.calls ?? Number.POSITIVE_INFINITY);
  };
  return (
    inner.phase === outer.phase &&
    inner.past === outer.past &&
    inner.committed.every((name) => outer.committed.includes(name)) &&
    inner.open.every(({ tool }) => most(inner, tool) <= most(outer, tool)) &&
    inner.counts.every((count, at) => count >= (outer.counts[at] ?? 0))
  );
}

type Mutation = (proof: CertifiedProof, sample: Sample, random: Random) => CertifiedProof | null;

function withRegion(proof: CertifiedProof, random: Random, change: (region: Region) => Region | null) {
  const at = Math.floor(random.next() * proof.regions.length);
  const region = proof.regions[at];
  const changed = region === undefined ? null : change(region);
  return changed === null
    ? null
    : { ...proof, regions: proof.regions.map((each, index) => (index === at ? changed : each)) };
}

/** Replaces a state by one that does not include it. */
function withState(proof: CertifiedProof, random: Random, change: (state: SessionSet) => SessionSet | null) {
  return withRegion(proof, random, (region) => {
    const at = Math.floor(random.next() * region.states.length);
    const state = region.states[at];
    const changed = state === undefined ? null : change(state);
    if (state === undefined || changed === null || isWithin(state, changed)) return null;
    const others = region.states.filter((_each, index) => index !== at);
    // A state that another one includes is not missed.
    return others.some((other) => isWithin(state, other)) ? null : { ...region, states: [...others, changed] };
  });
}

/** Changes of a valid proof after which it proves nothing. */
const MUTATIONS_BY_NAME: Readonly<Record<string, Mutation>> = {
  "a state removed": (proof, _sample, random) =>
    withRegion(proof, random, (region) => {
      const at = Math.floor(random.next() * region.states.length);
      const state = region.states[at];
      const states = region.states.filter((_each, index) => index !== at);
      return state === undefined || states.some((other) => isWithin(state, other)) ? null : { ...region, states };
    }),
  "a committed call removed": (proof, _sample, random) =>
    withState(proof, random, (state) =>
      state.committed.length === 0 ? null : { ...state, committed: state.committed.slice(1) },
    ),
  "fewer open calls": (proof, _sample, random) =>
    withState(proof, random, (state) => (state.open.length === 0 ? null : { ...state, open: state.open.slice(1) })),
  "a count raised": (proof, _sample, random) =>
    withState(proof, random, (state) =>
      state.counts.length === 0 ? null : { ...state, counts: state.counts.map((count) => count + 1) },
    ),
  "another phase": (proof, { pack }, random) =>
    withState(proof, random, (state) => {
      const phase = random.pick(pack.phases?.names ?? [""]);
      return state.phase === null || phase === state.phase ? null : { ...state, phase };
    }),
  "another past": (proof, _sample, random) => withState(proof, random, (state) => ({ ...state, past: state.past + 1 })),
  "a broken claim": (proof, { broken }, random) => {
    const statement = broken.length === 0 ? null : statementOf(random.pick(broken));
    return statement === null ? null : { ...proof, statement };
  },
  "its tool left out": (proof, _sample, random) =>
    withRegion(proof, random, (region) => ({
      ...region,
      tools: region.tools.filter((name) => name !== proof.statement.tool),
    })),
  "a needed tool left out": (proof, _sample, random) =>
    withRegion(proof, random, (region) => {
      const [needed] = region.kept;
      return needed === undefined ? null : { ...region, tools: region.tools.filter((name) => name !== needed) };
    }),
  "a principal left out": (proof, _sample, random) => {
    const at = Math.floor(random.next() * proof.regions.length);
    return { ...proof, regions: proof.regions.filter((_each, index) => index !== at) };
  },
  "a tool denied to everyone": (proof, { pack }, random) =>
    pack.needs_principal
      ? null
      : withRegion(proof, random, (region) => ({ ...region, denied: [proof.statement.tool, ...region.denied] })),
  "nothing assumed": (proof) => ({ ...proof, assumes: [] }),
  "another pack": (proof) => ({ ...proof, pack: proof.pack + 1 }),
};

/** Every state that the checker's own steps lead to, with all that it can follow; null if there are too many. */
function closureOf({ artifact, pack }: Sample, claim: CallClaim): CertifiedProof | null {
  const statement = statementOf(claim);
  if (statement === null) return null;
  const limits = pack.tools.flatMap(({ name, checks }) =>
    checks.flatMap((check): readonly Counted[] => {
      if (check.kind === "max_calls_per_tool") return [{ kind: "calls", tool: name, most: check.max }];
      if (check.kind === "max_tool_calls") return [{ kind: "calls", tool: null, most: check.max }];
      if (check.kind === "aggregate") return [{ kind: "aggregate", index: check.index }];
      return check.kind === "forbidden_by" ? check.tools.map(({ tool }) => ({ kind: "forbidding", tool })) : [];
    }),
  );
  const tools = pack.tools.map(({ name }) => name);
  const every = { denied: [], tools, kept: tools, hasPhases: pack.phases !== null, states: [] };
  const unique = [...new Map(limits.map((counter) => [JSON.stringify(counter), counter])).values()];
  const known = new Transitions(pack, { ...every, counters: [] }, statement);
  const counters = unique.filter((counter) => known.most(counter) !== null);
  const region = { ...every, counters };
  const transitions = new Transitions(pack, region, statement);
  const phase = pack.phases?.initial ?? null;
  const states: SessionSet[] = [{ phase, past: 0, committed: [], open: [], counts: counters.map(() => 0) }];
  for (let at = 0; at < states.length; at++) {
    for (const next of transitions.after(states[at] ?? assertNever()))
      if (!states.some((state) => isWithin(next, state)))
        states.push({ ...next, committed: [...new Set(next.committed)] });
    if (states.length > MOST_STATES) return null;
  }
  const assumes = ["enforced", "no_late_result"] as const;
  return { pack: artifact.packs.indexOf(pack), statement, assumes, regions: [{ ...region, states }] };
}

function assertNever(): never {
  throw new Error("the index is within the list");
}

describe("certificates", () => {
  it("are checked by at most 400 lines, which share only types with what proves", () => {
    const folder = new URL("../../../src/certificate/", import.meta.url);
    const texts = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), "utf8"));
    expect(texts.join("").trimEnd().split("\n").length).toBeLessThanOrEqual(400);
    const imports = texts.flatMap((text) => [...text.matchAll(/^import (.*) from "(.*)";$/gm)]);
    const outside = imports.filter(([, , from = ""]) => !from.startsWith("./"));
    expect(outside.filter(([, what = ""]) => !what.startsWith("type "))).toEqual([]);
    expect(imports.length).toBeGreaterThan(outside.length);
  });

  it("are rejected after any change that takes away what they prove", () => {
    const tried: Record<string, number> = {};
    const random = new Random(SEED);
    const names = Object.keys(MUTATIONS_BY_NAME);
    let count = 0;
    for (let seed = SEED; count < MUTATIONS; seed++) {
      const sample = sampleOf(seed);
      if (sample === null) continue;
      const { certificate } = certify(sample.artifact, [random.subset(sample.claims, 0.2)]);
      expect({ seed, why: whyRejected(sample.artifact, certificate) }).toEqual({ seed, why: null });
      expect(whyRejected(sample.artifact, { ...certificate, artifact: "sha256:0" })).toContain("sha256:0");
      for (const proof of certificate.proofs) {
        const name = random.pick(names);
        const mutated = MUTATIONS_BY_NAME[name]?.(proof, sample, random) ?? null;
        if (mutated === null) continue;
        tried[name] = (tried[name] ?? 0) + 1;
        count += 1;
        const isRejected = whyUnproved(sample.artifact, mutated) !== null;
        expect({ seed, name, statement: mutated.statement, isRejected }).toMatchObject({ isRejected: true });
      }
    }
    console.info(tried);
    expect(Object.keys(tried).length).toBeGreaterThan(names.length / 2);
  }, 300_000);

  it("cannot be made for what sessions do, with all that the checker follows", () => {
    const tried = { broken: 0, held: 0 };
    for (let seed = SEED; seed < SEED + PACKS; seed++) {
      const sample = sampleOf(seed);
      for (const claim of sample?.claims ?? []) {
        const proof = sample === null ? null : closureOf(sample, claim);
        if (sample === null || proof === null) continue;
        const isBroken = sample.broken.includes(claim);
        const isAccepted = whyUnproved(sample.artifact, proof) === null;
        if (isBroken) expect({ seed, claim, isAccepted }).toEqual({ seed, claim, isAccepted: false });
        if (isBroken) tried.broken += 1;
        else if (isAccepted) tried.held += 1;
      }
    }
    console.info(tried);
    expect(Math.min(tried.broken, tried.held)).toBeGreaterThan(PACKS);
  }, 300_000);
});
