import { type Case, somePack } from "../generate.js";
import { tool } from "../scenario.js";
import { withAdditions } from "./additions.js";
import type { Operation } from "./operation.js";
import { someOutcome } from "./outcomes.js";
import { Random } from "./random.js";
import { someNature } from "./tool.js";
import { someTrace } from "./trace.js";
import { someObject } from "./values.js";

/** Calls of a few tools that mostly stay open for a while. */
function someOperation(random: Random, tools: readonly string[]): Operation {
  if (random.chance(0.4)) return { op: "settle", among: "open", back: random.below(3), outcome: someOutcome(random) };
  return { op: "propose", tool: random.pick(tools), args: someObject(random) };
}

/** A pack with nothing but what language 1.1 adds, and a session under it. */
export function plainCase(seed: number): Case {
  const random = new Random(seed);
  const names = ["alpha", "beta", "gamma"];
  for (;;) {
    const features = new Set(random.chance(0.3) ? (["dispatch"] as const) : []);
    const tools = names.map((name) => tool(name, someNature({ random, features })));
    const bare = { tools, session: { schema_version: "1.1", agent: `agent ${random.fork()}` }, definitions: null };
    const pack = withAdditions(bare);
    if (pack === bare) continue;
    const { setting } = someTrace(random, somePack(random), "failing");
    const operations = random.list(24, () => someOperation(random, names));
    return { pack, traces: [{ setting: { ...setting, mode: "enforce" }, operations }] };
  }
}
