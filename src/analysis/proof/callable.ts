import type { CheckOf, CompiledCheck, CompiledEnvelope, CompiledPack, CompiledTool } from "../../artifact/compiled.js";
import type { PackRules } from "../../artifact/pack-rules.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { referencesOf } from "../../guard/checks/envelope.js";
import type { ReferenceName } from "../../guard/program/tool-effects.js";
import { impossiblePlace } from "./impossible-values.js";
import { PhasePaths } from "./phase-paths.js";
import type { ArgumentName, Proof } from "./proof.js";

/** The reference that a stage of an envelope writes; null if it writes none. */
export function writtenBy(
  { constraint }: CompiledEnvelope,
  { role }: CompiledEnvelope["stages"][number],
): ReferenceName | null {
  if (role === "initial") return "last";
  if (role === "constrained") return constraint.startsWith("monotonic") ? "last" : null;
  return role;
}

/** Whether a policy refuses every principal. */
function deniesAll({ denies, allows, default_deny: byDefault }: CheckOf<"policy">): boolean {
  if (denies.some(({ principal }) => principal.length === 0)) return true;
  if (allows.length === 0) return byDefault !== null;
  const conditionsOf = ({ principal }: (typeof allows)[number]) =>
    principal.map(({ path, operators }) => canonicalJson([path.text, ...operators]));
  const isDefinite = ({ principal }: (typeof allows)[number]) =>
    principal.every(({ path }) => path.kind === "definite");
  // A deny entry with a subset of an allow entry's conditions denies everyone that the allow entry names.
  return allows.every((allow) => {
    const named = new Set(conditionsOf(allow));
    return denies.some((deny) => isDefinite(deny) && conditionsOf(deny).every((condition) => named.has(condition)));
  });
}

/** Whether an aggregate judges every call that it counts. */
export function isJudgedEverywhere(
  index: number,
  { aggregates, tools, unmatched_checks: unmatched }: CompiledPack,
): boolean {
  const named = aggregates[index]?.tools ?? null;
  const counted = tools.filter(({ name }) => named === null || named.includes(name)).map(({ checks }) => checks);
  return [...counted, ...(named === null ? [unmatched] : [])].every((checks) =>
    checks.some((check) => check.kind === "aggregate" && check.index === index),
  );
}

/** By which argument a check refuses every call in every session; null if that is not known. */
export function isShut(check: CompiledCheck, pack: CompiledPack): ArgumentName | null {
  switch (check.kind) {
    case "gate":
      return "gate";
    case "policy":
      return deniesAll(check) ? "policy_denies_all" : null;
    case "max_tool_calls":
    case "max_calls_per_tool":
      return check.max < 1 ? "limit_of_zero" : null;
    case "max_cost":
      return check.max <= 0 ? "limit_of_zero" : null;
    case "loop_detection":
      return check.threshold <= 1 ? "loop_at_once" : null;
    case "aggregate": {
      const aggregate = pack.aggregates[check.index];
      if (aggregate?.metric !== "count" || aggregate.when.length > 0) return null;
      // The first call counts as one and is judged with it; no other call may raise the count unjudged.
      const { gte, lte } = aggregate;
      const isShort = gte !== null && gte > 1 && isJudgedEverywhere(check.index, pack);
      return isShort || (lte !== null && lte < 1) ? "count_out_of_bounds" : null;
    }
    default:
      return null;
  }
}

const SHUT: Partial<Record<ArgumentName, string>> = {
  gate: "a gate or a risk default blocks every call",
  policy_denies_all: "its policy denies every principal",
  limit_of_zero: "a limit allows no call at all",
  loop_at_once: "loop detection already refuses the first call",
  count_out_of_bounds: "a count refuses the first call, so the count never changes",
};

/** Why a tool cannot be called, as far as known. */
interface Obstacle {
  readonly by: ArgumentName;
  readonly check: CompiledCheck | null;
  readonly because: string;
}

/**
 * The tools of a pack that may be called at all, and the phases that may be reached: an over-approximation. A tool is left
 * out only if it needs something that none of the others provides.
 */
export class Callable {
  readonly tools = new Set<string>();
  private readonly phases: Set<string>;
  private readonly paths: PhasePaths;

  constructor(
    private readonly pack: CompiledPack,
    private readonly without: string | null,
  ) {
    this.paths = new PhasePaths(pack);
    this.phases = new Set(pack.phases === null ? [] : [pack.phases.initial]);
  }

  /** Adds tools until no further one can be called. */
  complete(): void {
    for (let before = -1; before < this.tools.size; ) {
      before = this.tools.size;
      for (const tool of this.pack.tools)
        if (!this.tools.has(tool.name) && this.obstacle(tool) === null) this.enter(tool);
    }
  }

  private enter({ name, advances_to: next }: CompiledTool): void {
    this.tools.add(name);
    if (next !== null && name !== this.without) this.phases.add(next);
  }

  /** Why no call of a tool is allowed; null if one may be. */
  proofAgainst(tool: CompiledTool, rules: PackRules): Proof | null {
    const obstacle = this.tools.has(tool.name) ? null : this.obstacle(tool);
    if (obstacle === null) return null;
    const { by, check, because } = obstacle;
    return { by, because, rules: check === null ? [] : rules.inCheck(check).map(({ id }) => id) };
  }

  private obstacle(tool: CompiledTool): Obstacle | null {
    for (const check of tool.checks) {
      const obstacle = this.obstacleIn(tool, check);
      if (obstacle !== null) return obstacle;
    }
    const place = impossiblePlace(tool);
    if (place === null) return null;
    return { by: "no_value", check: null, because: `no value at \`${place.text}\` satisfies all of its rules` };
  }

  private obstacleIn(tool: CompiledTool, check: CompiledCheck): Obstacle | null {
    const shut = isShut(check, this.pack);
    if (shut !== null) return { by: shut, check, because: SHUT[shut] ?? "" };
    switch (check.kind) {
      case "phase":
        if (this.pack.phases === null || [...this.phases].some((phase) => this.paths.isOpen(tool, phase))) return null;
        return { by: "phase_out_of_reach", check, because: "no call leads into a phase that it may be called in" };
      case "precondition": {
        const prior = check.prior?.tool;
        if (prior === undefined || this.commits(prior)) return null;
        return {
          by: "prior_never_allowed",
          check,
          because: `it needs an earlier call of \`${prior}\`, which is never committed`,
        };
      }
      case "ref":
        if (
          this.pack.tools.some(
            ({ name, binds }) => this.commits(name) && binds.some((bind) => bind.slot === check.slot),
          )
        )
          return null;
        return { by: "slot_never_set", check, because: `nothing that can be called binds \`${check.slot}\`` };
      case "envelope":
        return this.missingReference(tool, check);
      default:
        return null;
    }
  }

  private commits(name: string): boolean {
    return name !== this.without && this.tools.has(name);
  }

  private missingReference(tool: CompiledTool, check: CheckOf<"envelope">): Obstacle | null {
    const envelope = this.pack.envelopes[check.index];
    if (envelope === undefined) return null;
    const isJudged = envelope.stages.some(
      (stage) => stage.tool === tool.name && stage.role === "constrained" && stage.source === "arguments",
    );
    const isSet = (name: ReferenceName) =>
      envelope.stages.some((stage) => writtenBy(envelope, stage) === name && this.commits(stage.tool));
    const missing = isJudged ? referencesOf(envelope.constraint).find((name) => !isSet(name)) : undefined;
    if (missing === undefined) return null;
    return {
      by: "reference_never_set",
      check,
      because: `nothing that can be called sets the ${missing} of the envelope \`${envelope.name}\``,
    };
  }
}

/** What may be called in sessions of a pack, or only in those in which no call of one tool is committed. */
export function callableIn(pack: CompiledPack, without: string | null = null): Callable {
  const callable = new Callable(pack, without);
  callable.complete();
  return callable;
}
