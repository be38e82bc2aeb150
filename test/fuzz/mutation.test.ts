import { describe, expect, it } from "vitest";
import { decodeArtifact } from "../../src/artifact/decode.js";
import { encodeArtifact } from "../../src/artifact/encode.js";
import { type Compiled, compile } from "../../src/compiler/compile.js";
import { hasErrors } from "../../src/diagnostics/diagnostic.js";
import { misplaced } from "../support/diagnostic-place.js";
import { memoryTree } from "../support/memory-tree.js";
import { timed } from "../support/processor-time.js";
import { randomFrom } from "../support/random.js";
import { seedOf } from "../support/seed.js";
import { sizeOf } from "../support/size.js";
import { type Mutant, mutate } from "./mutate.js";

const SEED = seedOf("FUZZ_SEED", 1);
const FIRST = Number(process.env.FUZZ_FIRST ?? 0);
const COUNT = sizeOf("FUZZ_COUNT", { share: 150, full: 20_000 });
const TIME_LIMIT = 2000;

interface Failure {
  readonly what: string;
  readonly number: number;
  readonly mutant: Mutant;
}

interface Outcome {
  readonly failures: readonly string[];
  readonly compiled: Compiled | null;
}

function faultsOf({ artifact, diagnostics }: Compiled): readonly string[] {
  const faults: string[] = [...new Set(misplaced(diagnostics).map((place) => `misplaced ${place.split(" ", 1)[0]}`))];
  if (artifact === null) return hasErrors(diagnostics) ? faults : [...faults, "no artifact and no error"];
  if (hasErrors(diagnostics)) faults.push("an artifact beside an error");
  const text = encodeArtifact(artifact);
  const decoded = decodeArtifact(text);
  if (!decoded.ok) faults.push(`the artifact is refused: ${decoded.refusal}`);
  else if (encodeArtifact(decoded.artifact) !== text) faults.push("the decoded artifact is another one");
  return faults;
}

function judge({ files }: Mutant): Outcome {
  try {
    const { result: compiled, milliseconds } = timed(() => compile(memoryTree(files)));
    const isSlow = milliseconds > TIME_LIMIT;
    return { failures: [...faultsOf(compiled), ...(isSlow ? ["slow"] : [])], compiled };
  } catch (cause) {
    return {
      failures: [`thrown ${cause instanceof Error ? firstLines(cause.stack ?? cause.message) : cause}`],
      compiled: null,
    };
  }
}

/** The message and where it was thrown; the rest of the stack differs with the input. */
function firstLines(stack: string): string {
  return stack.split("\n").slice(0, 2).join(" ").trim();
}

function reportOf({ what, number, mutant }: Failure): string {
  return `${what}\nFUZZ_SEED=${SEED} FUZZ_FIRST=${number} FUZZ_COUNT=1: ${mutant.description}\n--- ${mutant.file}\n${mutant.text}\n---`;
}

describe("a pack with one thing changed", () => {
  it(`compiles or is refused at a place, ${COUNT} times (FUZZ_SEED=${SEED})`, { timeout: 600_000 }, () => {
    const failures = new Map<string, Failure>();
    const codes = new Set<string>();
    let compiling = 0;
    for (let number = FIRST; number < FIRST + COUNT; number++) {
      const mutant = mutate(randomFrom(SEED, number));
      const outcome = judge(mutant);
      for (const what of outcome.failures) if (!failures.has(what)) failures.set(what, { what, number, mutant });
      for (const { code } of outcome.compiled?.diagnostics ?? []) codes.add(code);
      if (outcome.compiled?.artifact != null) compiling += 1;
    }
    console.info(`FUZZ_SEED=${SEED}: ${COUNT} mutants, ${compiling} compile, ${codes.size} distinct codes`);
    expect([...failures.values()].map(reportOf).join("\n\n")).toBe("");
    if (COUNT < 20_000) return;
    expect(codes.size).toBeGreaterThanOrEqual(40);
    expect(compiling).toBeGreaterThan(COUNT / 20);
  });
});
