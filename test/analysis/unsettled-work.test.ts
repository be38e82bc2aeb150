import { describe, expect, it } from "vitest";
import { most } from "../../src/analysis/model/caps.js";
import { PackUnderTest } from "../../src/analysis/model/pack-under-test.js";
import { workSoFar } from "../../src/analysis/model/work.js";
import { explore } from "../../src/analysis/search/exploration.js";
import { verify } from "../../src/analysis/verify.js";
import type { Artifact } from "../../src/artifact/compiled.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { tryCompile } from "../differential/compile-pack.js";
import { generateCase } from "../differential/generate.js";
import { withPack } from "../support/pack-text.js";
import { compileSmall } from "./agreement/compile-small.js";
import { smallPack } from "./agreement/small-pack.js";

const BOUNDS = { depth: 12, states: 60 };

const ALWAYS = "  - { that: size(labels) >= 0, reason: Always true }";

/** A tool whose calls write keyed slots. */
function writing(tool: string, slots: readonly string[]): string {
  const binds = slots.map((name) => `  - { name: ${name}, source: arguments, path: $.n, key: $.id }`);
  return `#== ${tool}.yaml (with the required fields)\nbinds:\n${binds.join("\n")}\n`;
}

/** Requirements that read all of some slots, and one that nothing breaks, for which every search is done. */
function reading(slots: readonly string[]): string {
  const sizes = slots.map((name) => `size(slots.${name})`);
  return `requires:\n  - { that: ${sizes.join(" + ")} >= 0, reason: Counted }\n${ALWAYS}\n`;
}

function compiled(text: string): Artifact {
  const { artifact, diagnostics } = withPack(text, (folder) => compileFolder(folder));
  if (artifact === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return artifact;
}

function generated(seed: number): Artifact {
  const artifact = tryCompile(generateCase(seed, 1).pack);
  if (typeof artifact === "string") throw new Error(artifact);
  return artifact;
}

function small(seed: number): Artifact {
  const artifact = compileSmall(smallPack(seed, "later").pack);
  if (artifact === null) throw new Error(`seed ${seed} is no pack`);
  return artifact;
}

const SESSION = `#== session.yaml (with the required fields)\nschema_version: "1.1"\n`;
const ALL = ["a", "b", "c"];
const WRITERS = SESSION + ["one", "two", "three"].map((tool) => writing(tool, ALL) + reading(ALL)).join("");
const READER = `${SESSION}${writing("write", ALL)}#== read.yaml (with the required fields)\n${reading(ALL)}`;

/** What all judgements for a pack may take: twice the sessions of mixed calls of each tool, the last state of which may exceed its bound. */
function mostWork({ packs }: Artifact): number {
  return 2 * most("mixed_work") * (packs[0]?.tools.length ?? 0);
}

describe("the work of searches with many unsettled calls", () => {
  it("is bounded, and what is left out is recorded", () => {
    const artifact = compiled(WRITERS);
    const [pack] = artifact.packs;
    if (pack === undefined) throw new Error("no pack");
    const before = workSoFar();
    const exploration = explore(new PackUnderTest(artifact, pack), BOUNDS);
    expect(exploration.metBy(["one"])).toEqual(expect.arrayContaining(["call_work", "mixed_work"]));
    expect(workSoFar() - before).toBeLessThan(mostWork(artifact));
  });

  it.each([
    ["slots that are read as a whole", () => compiled(READER)],
    ["a keyed slot within a keyed slot, and a union", () => generated(3921417603)],
    ["a slot that calls clear key by key", () => small(1086)],
  ])("is bounded while witnesses are replayed and shortened: %s", async (_, make) => {
    const artifact = make();
    const before = workSoFar();
    const [found] = await verify(artifact, [[]], BOUNDS);
    expect(workSoFar() - before).toBeLessThan(mostWork(artifact));
    expect(found?.rules.some(({ status }) => status === "fires")).toBe(true);
  });
});
