import { withAdditions } from "./generate/additions.js";
import { type Plan, someFeatures } from "./generate/features.js";
import { withLater } from "./generate/later.js";
import { Random } from "./generate/random.js";
import { someSession } from "./generate/session.js";
import { someBindings, someDefinition, someNature, someTool } from "./generate/tool.js";
import { someTrace, type Trace } from "./generate/trace.js";
import type { Pack } from "./reference/model.js";

/** A pack and sessions under it. */
export interface Case {
  readonly pack: Pack;
  readonly traces: readonly Trace[];
}

/** A random small pack of language 1.0 that the compiler accepts, and later operators. */
function someFirstPack(random: Random): Pack {
  const features = someFeatures(random);
  const tools = ["alpha", "beta", "gamma", "delta"].slice(0, random.pick([1, 2, 2, 3, 3, 4]));
  const natures = new Map(tools.map((tool) => [tool, someNature({ random, features })]));
  const plan: Plan = {
    random,
    features,
    tools,
    observable: new Set(tools.filter((tool) => natures.get(tool)?.evidence_class !== "unverifiable")),
    phases: ["open", "ready", "busy", "closed"].slice(0, random.pick([2, 3, 4])),
    slots: new Set(),
  };
  const bindings = someBindings(plan);
  const pack = withLater({
    tools: [...natures].map(([tool, nature]) => someTool(plan, tool, { ...nature, ...bindings.get(tool) })),
    session: someSession(plan),
    definitions: features.has("schema")
      ? random.some([...tools, "stray"], 0.8).map((tool) => someDefinition(plan, tool))
      : null,
  });
  return pack;
}

/** A random small pack that the compiler accepts; between them packs use every construct of the language. */
export function somePack(random: Random): Pack {
  return withAdditions(someFirstPack(random));
}

/** Every fourth session is kept in a durable store. */
function isDurable(at: number): boolean {
  return at % 4 === 3;
}

/** The case of a seed, always the same. */
export function generateCase(seed: number, traces: number, packOf: (random: Random) => Pack = somePack): Case {
  const random = new Random(seed);
  const pack = packOf(random);
  return { pack, traces: random.list(traces, (at) => someTrace(random, pack, isDurable(at) ? "durable" : "failing")) };
}
