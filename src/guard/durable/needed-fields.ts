import type { CheckOf, CompiledCheck, CompiledPack, CompiledTool } from "../../artifact/compiled.js";
import { unreachable } from "../../base/invariant.js";
import type { Json, JsonObject } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import { preparedOf } from "../expression/of-pack.js";
import type { StatefulRules, ToolEffects } from "../program/tool-effects.js";
import { type Plan, planOf, project, projectObject } from "./projection.js";

/** What of arguments and outputs has to be stored. The results share parts with what is given. */
export interface NeededFields {
  /** The parts of the arguments that some rule of the pack reads for a call of this tool. */
  args(tool: ToolEffects, args: JsonObject): JsonObject;
  /** The parts of an output that later decisions read; null if none does. */
  output(tool: ToolEffects, output: Json): Json;
}

/** What a rule reads a value from. */
type Source = CompiledTool["binds"][number]["source"];

/** The paths into each source. */
type Reads = Readonly<Record<Source, readonly JsonPath[]>>;

const NO_PATHS: readonly JsonPath[] = [];

function present(path: JsonPath | null | undefined): readonly JsonPath[] {
  return path === null || path === undefined ? NO_PATHS : [path];
}

function aggregatePath({ aggregates }: StatefulRules, index: number): readonly JsonPath[] {
  return [...present(aggregates[index]?.path), ...present(aggregates[index]?.per)];
}

type Condition = NonNullable<CheckOf<"checkpoint">["when"]>[number];

function conditionPaths(condition: Condition, { pack }: StatefulRules): readonly JsonPath[] {
  return "that" in condition ? preparedOf(condition.that, pack).reads.args : [condition.path];
}

/** The paths into the arguments that a check reads when a call is judged; a new kind does not compile without a case. */
function checkPaths(check: CompiledCheck, rules: StatefulRules): readonly JsonPath[] {
  switch (check.kind) {
    case "gate":
    case "policy":
    case "label_gate":
    case "phase":
    case "forbidden_by":
    case "max_steps":
    case "max_tool_calls":
    case "max_calls_per_tool":
    case "max_calls_per_step":
    case "max_cost":
      return NO_PATHS;
    // Compares digests of whole arguments, which are stored beside the fields.
    case "loop_detection":
      return NO_PATHS;
    // Depends on the arguments alone: what was judged once is not judged again.
    case "schema":
      return NO_PATHS;
    case "precondition":
      return present(check.prior?.resource);
    case "input_invariant":
    case "execution_constraint":
    case "argument_invariant":
    case "derived_invariant":
    case "ref":
    case "capture":
      return [check.path];
    case "aggregate":
      return aggregatePath(rules, check.index);
    // Reads the stages of its tool, which are among its effects.
    case "envelope":
      return NO_PATHS;
    case "checkpoint":
      return [
        ...(check.when ?? []).flatMap((condition) => conditionPaths(condition, rules)),
        ...check.context.map(({ path }) => path),
      ];
    case "requires":
      return preparedOf(check.that, rules.pack).reads.args;
    default:
      return unreachable(check);
  }
}

function bySource(parts: readonly { readonly source: Source; readonly path: JsonPath }[]): Reads {
  const pathsOf = (source: Source) => parts.filter((part) => part.source === source).map(({ path }) => path);
  return { arguments: pathsOf("arguments"), output: pathsOf("output") };
}

type ReadsOf = (tool: ToolEffects, rules: StatefulRules) => Reads;

const noReads: ReadsOf = () => ({ arguments: NO_PATHS, output: NO_PATHS });

/** What each part of a tool reads of its calls; a new part does not compile without an entry. */
const READS: Readonly<Record<keyof ToolEffects, ReadsOf>> = {
  name: noReads,
  // The rules on outputs are judged when an output arrives, and not again; some of them read the arguments too.
  compiled: ({ compiled }, rules) => {
    const checks = compiled?.checks ?? rules.pack.unmatched_checks;
    const ensured = (compiled?.ensures ?? []).flatMap(({ that }) => preparedOf(that, rules.pack).reads.args);
    return { arguments: [...checks.flatMap((check) => checkPaths(check, rules)), ...ensured], output: NO_PATHS };
  },
  aggregates: ({ aggregates }, rules) => ({
    arguments: aggregates.flatMap((index) => aggregatePath(rules, index)),
    output: NO_PATHS,
  }),
  isCounted: noReads,
  loopWindow: noReads,
  stages: ({ stages }) => bySource(stages.map(({ stage }) => stage)),
  watches: ({ watches }) => ({
    arguments: watches.flatMap(({ resource }) => present(resource)),
    output: watches.flatMap(({ withOutput }) => withOutput.map(({ path }) => path)),
  }),
  binds: ({ binds }) => bySource(binds),
  unbinds: noReads,
  rebinds: noReads,
  // The keys of a match are part of it.
  collections: ({ collections }) =>
    bySource(
      collections.flatMap(({ unbinds, binds }) => [
        ...binds,
        ...[...unbinds, ...binds].flatMap(({ key = [] }) => key.flatMap((part) => ("source" in part ? [part] : []))),
      ]),
    ),
  advancesTo: noReads,
  commitsAtDispatch: noReads,
  isRead: noReads,
};

/** What to keep of the calls of one tool. */
type Plans = Readonly<Record<Source, Plan>>;

function plansOf(tool: ToolEffects, rules: StatefulRules): Plans {
  const reads = Object.values(READS).map((readsOf) => readsOf(tool, rules));
  // A workflow asks of every call which shared resources it touches.
  const resources = rules.pack.resources.map(({ path }) => path);
  return {
    arguments: planOf([...resources, ...reads.flatMap((each) => each.arguments)]),
    output: planOf(reads.flatMap((each) => each.output)),
  };
}

class PackFields implements NeededFields {
  /** All tools without a contract have the same plans, at null. */
  private readonly plans = new Map<CompiledTool | null, Plans>();

  constructor(private readonly rules: StatefulRules) {}

  args(tool: ToolEffects, args: JsonObject): JsonObject {
    return projectObject(this.plansFor(tool).arguments, args);
  }

  output(tool: ToolEffects, output: Json): Json {
    return project(this.plansFor(tool).output, output);
  }

  private plansFor(tool: ToolEffects): Plans {
    const known = this.plans.get(tool.compiled);
    if (known !== undefined) return known;
    const plans = plansOf(tool, this.rules);
    this.plans.set(tool.compiled, plans);
    return plans;
  }
}

/** By pack, and not by program: each session has a program of its own. */
const fieldsOfPacks = new WeakMap<CompiledPack, NeededFields>();

/** What has to be stored of the calls under a pack; prepared once for all sessions. */
export function neededFields({ pack, watches, aggregates, envelopes, collections }: StatefulRules): NeededFields {
  const known = fieldsOfPacks.get(pack);
  if (known !== undefined) return known;
  // Not the program itself, which has the principal of one session.
  const fields = new PackFields({ pack, watches, aggregates, envelopes, collections });
  fieldsOfPacks.set(pack, fields);
  return fields;
}
