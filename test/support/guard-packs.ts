import type { Guard } from "../../src/guard/guard-api.js";
import type { ProposedCall } from "../../src/guard/public.js";
import type { Outcome } from "../../src/guard/session/outcome.js";
import { fc } from "./fast-check.js";

type Fields = Record<string, unknown>;

/** A pack on its way: the fields of session.yaml and of each tool. */
export interface Draft {
  readonly session: Fields;
  readonly tools: ReadonlyMap<string, Fields>;
}

/** Something to add to a pack. */
export interface Rule {
  readonly what: string;
  addTo(draft: Draft): void;
}

const TOOLS = ["alpha", "beta", "gamma"] as const;
const PHASES = ["open", "closed"] as const;

/** Who calls in these sessions. */
export const PRINCIPAL = { role: "clerk", level: 2 };

/** Every call that these sessions ever see. */
export const ALL_CALLS: readonly ProposedCall[] = TOOLS.flatMap((tool) =>
  [{}, { n: 0 }, { n: 1 }, { n: 2 }, { n: "x" }].flatMap((args) =>
    ["p", "q"].map((k) => ({ tool, args: { ...args, k } })),
  ),
);

function listAt(fields: Fields, key: string): unknown[] {
  const list = fields[key];
  return Array.isArray(list) ? list : [];
}

function append(fields: Fields | undefined, key: string, item: unknown): void {
  if (fields !== undefined) fields[key] = [...listAt(fields, key), item];
}

function fieldsAt(fields: Fields, key: string): Fields {
  const inner = fields[key];
  const made = typeof inner === "object" && inner !== null && !Array.isArray(inner) ? { ...inner } : {};
  fields[key] = made;
  return made;
}

/** A limit that is there already is only ever tightened. */
function tighten(limits: Fields, key: string, most: number): void {
  const present = limits[key];
  limits[key] = typeof present === "number" ? Math.min(present, most) : most;
}

function fresh(draft: Draft, kind: string): string {
  return `${kind}${listAt(draft.session, "aggregates").length}_${listAt(draft.session, "envelopes").length}`;
}

const tool = fc.constantFrom(...TOOLS);
const bound = fc.integer({ min: 0, max: 4 });

function ruleOf<T>(source: fc.Arbitrary<T>, what: string, add: (draft: Draft, value: T) => void): fc.Arbitrary<Rule> {
  return source.map((value) => ({ what: `${what} ${JSON.stringify(value)}`, addTo: (draft) => add(draft, value) }));
}

const gates = ruleOf(tool, "gate", ({ tools }, name) => Object.assign(tools.get(name) ?? {}, { gate: "block" }));

const risks = ruleOf(fc.constantFrom("read", "write", "financial"), "risk", ({ session }, effect) => {
  fieldsAt(session, "risk_defaults")[effect] = "block";
});

const denials = ruleOf(fc.record({ name: tool, level: bound }), "deny", ({ session }, { name, level }) => {
  append(fieldsAt(session, "policy"), "rules", { deny: { principal: { path: "$.level", lte: level }, tools: [name] } });
});

const labels = ruleOf(tool, "label gate", ({ session }, name) => {
  append(fieldsAt(session, "policy"), "label_gates", { when_label: "hot", deny_tools: [name], reason: "hot" });
});

const validity = ruleOf(
  fc.record({ name: tool, phase: fc.constantFrom(...PHASES) }),
  "valid in",
  (draft, { name, phase }) => {
    const fields = draft.tools.get(name);
    if (fields?.transitions === undefined) Object.assign(fields ?? {}, { transitions: { valid_in_phases: [phase] } });
  },
);

const bans = ruleOf(fc.record({ name: tool, other: tool }), "forbids", ({ tools }, { name, other }) => {
  const fields = tools.get(name) ?? {};
  fields.forbids_after = [...new Set([...listAt(fields, "forbids_after"), other])];
});

const priors = ruleOf(
  fc.record({ name: tool, other: tool, judges: fc.boolean() }),
  "prior",
  ({ tools }, { name, other, judges }) => {
    const judged = judges ? { with_output: [{ path: "$.ok", equals: true }] } : {};
    append(tools.get(name), "preconditions", { requires_prior_tool: other, ...judged });
  },
);

const stepCounts = ruleOf(fc.record({ name: tool, count: bound }), "steps", ({ tools }, { name, count }) => {
  append(tools.get(name), "preconditions", { requires_step_count: { gte: count } });
});

const limits = ruleOf(
  fc.record({ key: fc.constantFrom("max_steps", "max_tool_calls", "max_cost_per_session"), most: bound }),
  "limit",
  ({ session }, { key, most }) => tighten(fieldsAt(session, "session_limits"), key, most),
);

const toolLimits = ruleOf(fc.record({ name: tool, most: bound }), "calls of", ({ session }, { name, most }) => {
  tighten(fieldsAt(fieldsAt(session, "session_limits"), "max_calls_per_tool"), name, most);
});

const loops = ruleOf(fc.integer({ min: 1, max: 3 }), "loop", ({ session }, threshold) => {
  const all = fieldsAt(session, "session_limits");
  all.loop_detection ??= { window: 3, threshold };
});

const invariants = ruleOf(
  fc.record({ name: tool, most: bound, kind: fc.constantFrom("input", "execution", "value") }),
  "invariant",
  ({ tools }, { name, most, kind }) => {
    const fields = tools.get(name) ?? {};
    const entry = { path: "$.n", lte: most };
    if (kind === "input") append(fieldsAt(fields, "assertions"), "input_invariants", entry);
    else if (kind === "execution") append(fieldsAt(fields, "execution_constraints"), "arguments", entry);
    else append(fields, "argument_value_invariants", entry);
  },
);

const references = ruleOf(
  fc.record({ name: tool, binder: tool, source: fc.constantFrom("arguments", "output") }),
  "reference",
  (draft, { name, binder, source }) => {
    const slot = `${binder}_${listAt(draft.tools.get(binder) ?? {}, "binds").length}`;
    append(draft.tools.get(binder), "binds", { name: slot, source, path: "$.n" });
    append(draft.tools.get(name), "argument_value_invariants", { path: "$.n", ref: slot });
  },
);

const sums = ruleOf(
  fc.record({ name: tool, metric: fc.constantFrom("sum", "max", "min", "count_distinct"), most: bound }),
  "aggregate",
  (draft, { name, metric, most }) => {
    const aggregate = { name: fresh(draft, "g"), metric, tool: name, path: "$.n", lte: most, reason: "by value" };
    append(draft.session, "aggregates", aggregate);
  },
);

const counts = ruleOf(
  fc.record({ name: fc.constantFrom(...TOOLS, "*"), most: bound }),
  "count",
  (draft, { name, most }) => {
    const aggregate = { name: fresh(draft, "c"), metric: "count", tool: name, lte: most, reason: "by count" };
    append(draft.session, "aggregates", aggregate);
  },
);

const envelopes = ruleOf(
  fc.record({ setter: tool, name: tool, source: fc.constantFrom("arguments", "output"), shrinks: fc.boolean() }),
  "envelope",
  (draft, { setter, name, source, shrinks }) => {
    append(draft.session, "envelopes", {
      name: fresh(draft, "e"),
      stages: [
        { tool: setter, path: "$.n", role: shrinks ? "initial" : "ceiling", source },
        { tool: name, path: "$.n", role: "constrained" },
      ],
      constraint: shrinks ? "monotonic_decrease" : "lte_ceiling",
      reason: "envelope",
    });
  },
);

const checkpoints = ruleOf(fc.record({ name: tool, least: bound }), "checkpoint", ({ tools }, { name, least }) => {
  const fields = tools.get(name) ?? {};
  fields.checkpoint ??= { when: [{ path: "$.n", gte: least }], timeout_seconds: 60 };
});

/** A rule that may block and never lets anything pass. */
export const blockOnlyRule: fc.Arbitrary<Rule> = fc.oneof(
  gates,
  risks,
  denials,
  labels,
  validity,
  bans,
  priors,
  stepCounts,
  limits,
  toolLimits,
  loops,
  invariants,
  references,
  sums,
  counts,
  envelopes,
  checkpoints,
);

/** A rule that kills the session, and so blocks; releasing a call may bring its blocks back. */
export const circuitBreaker: fc.Arbitrary<Rule> = ruleOf(
  fc.record({ key: fc.constantFrom("consecutive_blocks", "consecutive_errors"), most: fc.integer({ min: 1, max: 3 }) }),
  "circuit breaker",
  ({ session }, { key, most }) => {
    tighten(fieldsAt(fieldsAt(session, "session_limits"), "circuit_breaker"), key, most);
  },
);

const toolFields = fc.record({
  side_effect: fc.constantFrom("read", "write", "financial"),
  commit_requirement: fc.constantFrom("acknowledged", "acknowledged", "none"),
  judgesOutput: fc.boolean(),
  moves: fc.constantFrom("stays", "stays", "closes"),
});

type ToolFields = typeof toolFields extends fc.Arbitrary<infer T> ? T : never;

function contractOf(name: string, { side_effect, commit_requirement, judgesOutput, moves }: ToolFields): Fields {
  return {
    tool: name,
    side_effect,
    commit_requirement,
    evidence_class: "local_transaction",
    timeouts: { total_ms: 5000 },
    retries: { max_attempts: 1, retry_on: [] },
    rate_limits: { on_429: { respect_retry_after: true, max_sleep_seconds: 5 } },
    assertions: { input_invariants: [], output_invariants: judgesOutput ? [{ path: "$.bad", exists: false }] : [] },
    golden_cases: [],
    allowed_errors: ["404"],
    ...(moves === "stays" ? {} : { transitions: { valid_in_phases: ["open"], advances_to: "closed" } }),
  };
}

/** A pack before any rule was added to it. */
export const plainDraft: fc.Arbitrary<Draft> = fc.tuple(toolFields, toolFields, toolFields).map((all) => ({
  session: {
    schema_version: "1.0",
    agent: "generated",
    phases: [
      { name: "open", initial: true },
      { name: "closed", terminal: true },
    ],
    transitions: { open: ["closed"] },
    // So that what the cap hides is hidden like everything else.
    session_limits: { max_tool_calls: 20, max_tool_calls_mode: "narrow" },
    policy: {},
  },
  tools: new Map(TOOLS.map((name, index) => [name, contractOf(name, all[index] ?? all[0])])),
}));

/** The draft with the rules, as a pack text; the draft itself stays as it is. */
export function packWith(draft: Draft, rules: readonly Rule[]): string {
  const built = structuredClone({ session: draft.session, tools: draft.tools });
  for (const rule of rules) rule.addTo(built);
  const files = [["session", built.session] as const, ...built.tools];
  // A rule about the principal, so that every pack takes one. JSON is YAML.
  append(fieldsAt(built.session, "policy"), "rules", { deny: { principal: { path: "$.role", equals: "nobody" } } });
  return files.map(([name, fields]) => `#== ${name}.yaml\n${JSON.stringify(fields)}\n`).join("");
}

/** One thing that happens to a session. */
export type Move =
  | { readonly kind: "propose"; readonly call: ProposedCall }
  | { readonly kind: "settle"; readonly which: number; readonly outcome: Outcome }
  | { readonly kind: "step" }
  | { readonly kind: "label" }
  | { readonly kind: "cost" };

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.record({
    kind: fc.constant("result" as const),
    output: fc.record({ ok: fc.boolean(), n: fc.nat({ max: 3 }), bad: fc.boolean() }, { requiredKeys: ["ok"] }),
  }),
  fc.constantFrom<Outcome>(
    { kind: "did_not_happen" },
    { kind: "happened" },
    { kind: "timeout", sent: true },
    { kind: "error", sent: false },
    { kind: "error", sent: true, status: 404 },
    { kind: "error", sent: true, status: 500 },
  ),
);

export const anyCall: fc.Arbitrary<ProposedCall> = fc.constantFrom(...ALL_CALLS);

/** What happens to a session, one thing after the other. */
export const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("propose" as const), call: anyCall }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("settle" as const), which: fc.nat({ max: 3 }), outcome }) },
    { weight: 1, arbitrary: fc.constantFrom<Move>({ kind: "step" }, { kind: "label" }, { kind: "cost" }) },
  ),
  { maxLength: 20 },
);

/** Makes the moves, one after the other; a settlement where nothing is open is no move. */
export async function play(guard: Guard, all: readonly Move[]): Promise<void> {
  for (const move of all) {
    if (move.kind === "propose") await guard.propose(move.call);
    else if (move.kind === "step") await guard.beginStep();
    else if (move.kind === "label") await guard.addLabel("hot");
    else if (move.kind === "cost") await guard.recordCost(0.5);
    else {
      const open = guard.state().unsettled;
      const call = open[move.which % Math.max(1, open.length)];
      if (call !== undefined) await guard.settle(call.callId, move.outcome);
    }
  }
}
