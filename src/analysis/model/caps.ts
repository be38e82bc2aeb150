/** A bound on what is tried, and what is left out beyond it. */
interface Cap {
  readonly most: number;
  /** What is left out, as a list item that follows "not tried:". */
  readonly leaves: string;
}

const cap = (most: number, leaves: string): Cap => ({ most, leaves });

/**
 * Every number that keeps searches and lists of values finite. They are read through this file only, so that every cut is
 * recorded by name; docs/analysis.md lists them.
 */
export const CAPS = {
  // Set by the user.
  depth: cap(Number.POSITIVE_INFINITY, "longer sessions (--depth)"),
  states: cap(Number.POSITIVE_INFINITY, "further states (--states)"),
  sessions: cap(Number.POSITIVE_INFINITY, "further sessions of a role (--sessions)"),
  // Extent of searches.
  states_again: cap(300, "further states with more values than the rules suggest"),
  states_approaching: cap(1000, "further states on the way to a tool that needs many calls"),
  states_overlapping: cap(600, "further states while a call is unsettled"),
  states_around: cap(40, "further states next to the first one in which the tool is allowed"),
  states_per_leg: cap(120, "longer paths from one counted call to the next"),
  states_of_order: cap(120, "further orders of calls, without their numbers"),
  orders: cap(4, "numbers for further orders of calls"),
  calls_summed: cap(8, "sums over further calls of one tool"),
  sides_tried: cap(400, "further sides of conditions on numbers"),
  states_filling: cap(60, "further states filled with calls of other tools"),
  starts_filling: cap(2, "further states to fill a session from"),
  fillers: cap(4, "further tools to fill a session with"),
  drives: cap(4, "driving a shared rule to its bound with further tools"),
  patience: cap(70, "further states, after many without anything new"),
  patience_alone: cap(30, "further states in which a rule may refuse by itself"),
  patience_open: cap(15, "calls next to an unsettled one in further states"),
  patience_personal: cap(25, "further states of a principal whom a policy refuses"),
  principals: cap(16, "further principals with other rights"),
  principal_values: cap(64, "further kinds of principals"),
  principal_entries: cap(60, "principals of further policy entries"),
  principal_mixes: cap(256, "mixed principals, because there are too many"),
  policies: cap(200, "principals of further policies"),
  mixed_sessions: cap(12, "further sessions of mixed calls, failures, unsettled calls and steps"),
  mixed_calls: cap(16, "longer sessions of mixed calls, failures, unsettled calls and steps"),
  mixed_tools: cap(24, "such sessions for further tools"),
  mixed_work: cap(100_000_000, "such sessions in which many unsettled calls take the guard long to judge"),
  states_of_role: cap(600, "further states of the sessions of one role of a workflow"),
  sessions_counted: cap(50, "more sessions, to exceed what a claim allows"),
  roles_waiting: cap(12, "deadlocks of further roles"),
  groups_waiting: cap(20000, "further groups of sessions that own something"),
  members_waiting: cap(3, "deadlocks between more sessions"),
  pairs_composed: cap(200, "further pairs of sessions that may break a claim"),
  deadlocks_composed: cap(50, "further groups of sessions that may wait for each other"),
  keys_shared: cap(2, "further keys of a shared resource"),
  times_tried: cap(6, "further times that expressions ask about"),
  labels_tried: cap(6, "further labels that expressions ask about"),
  tools_whole: cap(12, "tools that advance no phase, in the search for dead ends"),
  // Calls in one state.
  calls_in_state: cap(32, "further calls of one tool in one state"),
  calls_probing: cap(64, "further calls that may be refused, in one state"),
  calls_fitted: cap(256, "further mixes of values that a state suggests"),
  calls_plain: cap(4, "further plain calls besides those that a state suggests"),
  calls_changed: cap(2, "unfit values in further calls of one state"),
  calls_unfit: cap(8, "further arguments that one check refuses"),
  calls_likely: cap(4, "further likely calls in states like those before"),
  calls_unlikely: cap(16, "further unlikely calls in states like those before"),
  calls_fresh: cap(4, "further calls that differ from all before, in one state"),
  calls_twin: cap(4, "twins of further calls"),
  call_work: cap(4_000_000, "calls that take the guard more than half of the work that it allows"),
  calls_open: cap(3, "further calls to be left unsettled"),
  calls_beside: cap(6, "further calls next to an unsettled one"),
  tries_unfit: cap(3, "unfit arguments in further states of a kind"),
  tries_beside: cap(12, "all calls next to an unsettled one in further states"),
  outputs_fresh: cap(1, "further answers of calls that differ from those before"),
  outputs_broken: cap(1, "further rejected outputs"),
  entities: cap(4, "entities of earlier calls"),
  // Values.
  values_changed: cap(4, "objects with further fields changed"),
  values_accepted: cap(4, "further values that one rule accepts"),
  values_linked: cap(16, "further values at places that rules compare"),
  values_rich: cap(10, "further values, even where more than the rules suggest were tried"),
  values_listed: cap(100, "further values of a list in a rule"),
  values_of_operator: cap(24, "further values that operators accept or refuse"),
  values_candidates: cap(250, "further candidates for one place"),
  values_at_path: cap(40, "further values at one path"),
  values_breaking: cap(64, "further values that break an entry"),
  values_branched: cap(6, "further values on each branch of a path"),
  values_joined: cap(24, "further operators judged together at one path"),
  values_exact: cap(8, "values that one of further operators refuses alone"),
  values_pooled: cap(64, "further linked values at one path"),
  texts_stretched: cap(8, "further texts of a given length"),
  parts_lacking: cap(8, "lists without further parts"),
  length: cap(2000, "longer texts and lists"),
  bounds: cap(24, "further bounds of numbers"),
  multiples: cap(4, "further steps that numbers must be multiples of"),
  index: cap(64, "longer lists made for a path"),
  branches: cap(16, "further branches of a path"),
  removed: cap(8, "removing further items"),
  value_size: cap(4000, "larger values"),
  value_depth: cap(40, "deeper values"),
  environment_rules: cap(64, "further rules that read one environment variable"),
  // Arguments and outputs as wholes.
  attempts_arguments: cap(400, "further attempts to find arguments that pass"),
  attempts_outputs: cap(300, "further attempts to find outputs that pass"),
  attempts_alone: cap(60, "further attempts to break one output rule alone"),
  attempts_refused: cap(40, "further attempts to be refused by one check alone"),
  attempts_principal: cap(200, "further attempts to find a principal"),
  attempts_better: cap(80, "further attempts to make a passing value plainer"),
  attempts_scenes: cap(300, "further attempts to meet or break the expressions of a tool"),
  attempts_in_state: cap(40, "further attempts to meet or break the expressions of a tool in one state"),
  scenes_tried: cap(160, "further values for one expression"),
  scenes_in_state: cap(24, "further values for one expression in one state"),
  scenes_steps: cap(5, "values for one expression that take more changes"),
  items_in: cap(3, "further items of a list that an expression asks for"),
  calls_of_shape: cap(10, "further calls that differ only in their numbers"),
  calls_alike: cap(3, "further calls with the same effect that an expression may refuse"),
  calls_repaired: cap(4, "further calls of one state, changed to meet the expressions of the tool"),
  tries_judged: cap(16, "arguments that an expression refuses in further states of a kind"),
  outputs_projected: cap(24, "further outputs that the expressions of one tool ask for"),
  flaws_fixed: cap(6, "fixing further flaws of a value at once"),
  arguments_mixed: cap(64, "mixes of linked values in arguments, because there are too many"),
  arguments_good: cap(256, "further arguments that pass"),
  arguments_tried: cap(120, "further arguments close to some that pass"),
  arguments_tried_fast: cap(15, "further arguments close to some that pass, of tools with very many checks"),
  arguments_checks: cap(100, "the larger number of arguments, for tools with more checks"),
  arguments_kept: cap(8, "further arguments that one check refuses"),
  arguments_named: cap(4, "further values at named properties"),
  arguments_triggering: cap(1, "further arguments that trigger one checkpoint"),
  arguments_samples: cap(4, "further samples of a schema to start from"),
  outputs_watched: cap(1, "further outputs that a later call relies on or rejects"),
  outputs_mixed: cap(32, "mixes of linked values in outputs, because there are too many"),
  outputs_good: cap(128, "further outputs that pass"),
  outputs_bad: cap(8, "further outputs that break one rule"),
  // Schemas and patterns.
  schema_samples: cap(4, "further values of a schema"),
  schema_near: cap(2, "further values close to a schema for which no value was found"),
  schema_choices: cap(12, "further alternatives of a schema"),
  schema_names: cap(24, "further properties that a schema names"),
  schema_places: cap(48, "further places of a value that a schema judges"),
  schema_items: cap(4, "further items of a list that a schema judges"),
  schema_tests: cap(400, "further keywords of a schema"),
  schema_depth: cap(8, "deeper values of a schema"),
  schema_children: cap(24, "more properties or items in one value of a schema"),
  schema_listed: cap(64, "further values of an enum"),
  pattern_texts: cap(24, "further texts of a pattern"),
  pattern_length: cap(4000, "longer texts of a pattern"),
  pattern_nesting: cap(200, "deeper groups of a pattern"),
  pattern_choices: cap(6, "further alternatives of a pattern"),
  pattern_near: cap(4, "texts close to further texts of a pattern"),
  pattern_class: cap(64, "further parts of a class of characters"),
  pattern_characters: cap(4, "further characters of a class"),
} as const satisfies Readonly<Record<string, Cap>>;

/** What no search tries, whatever its bounds; reported for packs with rules to which it matters. */
export const SIMPLIFICATIONS = {
  sampled_values: "values other than those that the rules suggest",
  sampled_patterns: "texts of patterns other than some samples",
  one_environment: "environment variables that are unset or hold other values",
  sampled_times: "times other than some at which expressions decide differently",
  states_alike: "states that differ only in what no rule of the tool compares",
  few_steps: "several calls in one step, except in some sessions of mixed calls",
  few_open: "several unsettled calls, except in some sessions of mixed calls",
  few_failures: "calls that fail or never answer, except in some sessions of mixed calls",
  approvals_given: "approvals that are denied or given late",
  loops_by_next: "loops, except by the calls that would be refused next",
  no_way_proved: "whether a state that looks like a dead end is one",
  unmatched_tools: "calls of tools without a contract",
  one_way: "other sessions to the call than the one found without the workflow",
} as const satisfies Readonly<Record<string, string>>;

export type CapName = keyof typeof CAPS;
export type SimplificationName = keyof typeof SIMPLIFICATIONS;
/** A bound that cut something off, or a simplification that mattered. */
export type MetName = CapName | SimplificationName;

/** What it leaves out, in words. */
export function leftOut(name: MetName): string {
  return isCap(name) ? CAPS[name].leaves : SIMPLIFICATIONS[name];
}

function isCap(name: MetName): name is CapName {
  return name in CAPS;
}

/** Searches are synchronous, so only one is recorded at a time. */
let recorder: Set<MetName> | null = null;

/** Records that a bound cut something off. */
export function cut(name: CapName): void {
  recorder?.add(name);
}

/** Runs something and collects the bounds that cut it off; an outer recording gets them too. */
export function recorded<T>(into: Set<MetName>, run: () => T): T {
  const outer = recorder;
  const own = new Set<MetName>();
  recorder = own;
  try {
    return run();
  } finally {
    recorder = outer;
    for (const name of own) {
      into.add(name);
      outer?.add(name);
    }
  }
}

/** A value made on first use; each later use records the bounds that were met when it was made. */
export function remembered<T>(make: () => T): () => T {
  const met = new Set<MetName>();
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: recorded(met, make) };
    if (recorder !== null) for (const name of met) recorder.add(name);
    return made.value;
  };
}

/** The number of a bound, for callers that count themselves; they call `cut` where they stop. */
export function most(name: CapName): number {
  return CAPS[name].most;
}

/** The first items of a list, up to a bound. */
export function first<T>(items: readonly T[], name: CapName): readonly T[] {
  const { most: limit } = CAPS[name];
  if (items.length <= limit) return items;
  cut(name);
  return items.slice(0, limit);
}

/** The last items of a list, up to a bound. */
export function last<T>(items: readonly T[], name: CapName): readonly T[] {
  const { most: limit } = CAPS[name];
  if (items.length <= limit) return items;
  cut(name);
  return items.slice(-limit);
}

/** Whether a count exceeds a bound. */
export function isBeyond(count: number, name: CapName): boolean {
  if (count <= CAPS[name].most) return false;
  cut(name);
  return true;
}
