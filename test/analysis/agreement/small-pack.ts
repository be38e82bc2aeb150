import type { JsonObject } from "../../../src/base/json.js";
import { Random } from "../../differential/generate/random.js";
import type { Pack } from "../../differential/reference/model.js";
import { Draft, type ToolDomain } from "./draft.js";
import { laterSession, laterTools } from "./later-rules.js";
import { PRINCIPALS, someSession } from "./session-rules.js";
import { someBinds, someDefinition, someNature, someTool } from "./tool-rules.js";

/** Everything that may be done in sessions of a pack. */
export interface Domain {
  readonly tools: ReadonlyMap<string, ToolDomain>;
  readonly principals: readonly (JsonObject | null)[];
  readonly labels: readonly string[];
  readonly costs: readonly number[];
  readonly env: Readonly<Record<string, string>>;
}

/** A pack, and the values worth trying in its calls. */
export interface SmallPack {
  readonly pack: Pack;
  /** With the values of environment variables. */
  domain(env: Readonly<Record<string, string>>): Domain;
}

/** Which parts of the language a small pack has; `later` for those that only language 1.1 has too. */
export type Edition = "plain" | "later";

/** The small pack of a seed, always the same. */
export function smallPack(seed: number, edition: Edition = "plain"): SmallPack {
  const draft = new Draft(new Random(seed));
  const natures = draft.tools.map((tool) => ({ tool, ...someNature(draft, tool) }));
  // The binds of all tools first, because rules of any tool may refer to the slots.
  const bound = natures.map(({ tool, ...nature }) => ({ tool, given: { ...nature, ...someBinds(draft, tool) } }));
  const plain = bound.map(({ tool, given }) => someTool(draft, tool, given));
  const tools = edition === "plain" ? plain : laterTools(draft, plain);
  const session = edition === "plain" ? someSession(draft) : laterSession(draft, someSession(draft), tools);
  const definitions = draft.parts.has("schema")
    ? draft.random.some(draft.tools, 0.6).map((tool) => someDefinition(draft, tool))
    : null;
  const domain = (env: Readonly<Record<string, string>>): Domain => ({
    tools: new Map(draft.tools.map((tool) => [tool, draft.domainOf(tool, Object.values(env))])),
    principals: draft.parts.has("policy") ? PRINCIPALS : [null],
    labels: [...draft.labels],
    costs: [...draft.costs],
    env,
  });
  return { pack: { tools, session, definitions }, domain };
}
