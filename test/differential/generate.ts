import { isWordIn, WORDS } from "../../src/operators/words.js";
import { type Plan, someFeatures } from "./generate/features.js";
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

/** A random small pack that the compiler accepts; between them packs use every construct of the language. */
export function somePack(random: Random): Pack {
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
  return withVersion(random, {
    tools: [...natures].map(([tool, nature]) => someTool(plan, tool, { ...nature, ...bindings.get(tool) })),
    session: someSession(plan),
    definitions: features.has("schema")
      ? random.some([...tools, "stray"], 0.8).map((tool) => someDefinition(plan, tool))
      : null,
  });
}

const LATER: ReadonlySet<string> = new Set(WORDS.filter((word) => !isWordIn("1.0", word)));

function usesLater(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  return Object.entries(part).some(([key, inner]) => LATER.has(key) || usesLater(inner));
}

/** The pack with the version of the language that it needs, or with a later one. */
function withVersion(random: Random, { tools, session, definitions }: Pack): Pack {
  const isLater = usesLater([tools, session]) || (session !== null && random.chance(0.2));
  const later = { agent: "differential", ...session, schema_version: "1.1" };
  return { tools, session: isLater ? later : session, definitions };
}

/** The case of a seed, always the same. */
export function generateCase(seed: number, traces: number): Case {
  const random = new Random(seed);
  const pack = somePack(random);
  return { pack, traces: random.list(traces, () => someTrace(random, pack)) };
}
