import { call, pack, type Scenario, type Step, settle, state, tool } from "../scenario.js";

/** What became of the one call after an outcome. */
function fate(outcome: unknown, becomes: "released" | "indeterminate"): readonly (readonly [Step, string])[] {
  return [
    [call("a"), "allow"],
    [settle(outcome), "accepted"],
    [state(({ unsettled, toolCalls }) => [toolCalls, unsettled[0]?.status ?? null]), FATES[becomes]],
  ];
}

const FATES = { released: "[0,null]", indeterminate: '[1,"indeterminate"]' } as const;

const error = (fields: object) => ({ kind: "error", ...fields });

/** Outcomes of a call without allowed errors, with what they prove. */
const PROOFS: readonly (readonly [string, unknown, "released" | "indeterminate"])[] = [
  ["an error that was not sent", error({ sent: false }), "released"],
  ["an error that was not sent, whatever its status", error({ sent: false, status: 500 }), "released"],
  ["a 4xx", error({ status: 404 }), "released"],
  ["a 4xx that is said to be sent", error({ status: 429, sent: true }), "released"],
  ["a 408", error({ status: 408 }), "indeterminate"],
  ["a 5xx", error({ status: 503 }), "indeterminate"],
  ["a redirect", error({ status: 302 }), "indeterminate"],
  ["the tool's own refusal", error({ answered: true }), "released"],
  ["the tool's own refusal with a 5xx", error({ answered: true, status: 500, code: "busy" }), "released"],
  ["an error that nobody answered", error({ answered: false }), "indeterminate"],
  ["an error code", error({ code: "ABORT_ERR" }), "indeterminate"],
  ["an error code that is said to be sent", error({ code: "08006", sent: true }), "indeterminate"],
  ["an error without anything", error({}), "indeterminate"],
  ["a timeout", { kind: "timeout" }, "indeterminate"],
  ["a timeout before anything was sent", { kind: "timeout", sent: false }, "released"],
];

/** An entry of `allowed_errors` and an outcome, with what both prove. */
const ENTRIES: readonly (readonly [string, object, unknown, "released" | "indeterminate"])[] = [
  ["not_executed outranks a 5xx", { status: 503, outcome: "not_executed" }, error({ status: 503 }), "released"],
  ["unknown outranks a 4xx", { status: "4xx", outcome: "unknown" }, error({ status: 404 }), "indeterminate"],
  [
    "unknown outranks an answer",
    { code: "late", outcome: "unknown" },
    error({ code: "late", answered: true }),
    "indeterminate",
  ],
  [
    "unknown does not outrank sent: false",
    { code: "late", outcome: "unknown" },
    error({ code: "late", sent: false }),
    "released",
  ],
  [
    "not_executed of a code proves it",
    { code: "closed", outcome: "not_executed" },
    error({ code: "closed" }),
    "released",
  ],
  ["without an outcome proves nothing", { code: "closed" }, error({ code: "closed" }), "indeterminate"],
  [
    "needs all its keys: one is missing",
    { code: "closed", message_regex: "^never", outcome: "not_executed" },
    error({ code: "closed" }),
    "indeterminate",
  ],
  [
    "needs all its keys: all are there",
    { code: "closed", message_regex: "^never", outcome: "not_executed" },
    error({ code: "closed", message: "never ran", status: 500 }),
    "released",
  ],
];

/** What is no outcome; settling with it changes nothing. */
const MISSHAPEN: readonly unknown[] = [
  null,
  undefined,
  "happened",
  [],
  {},
  { kind: "success" },
  error({ sent: "no" }),
  error({ sent: 0 }),
  error({ answered: 1 }),
  error({ status: "404" }),
  error({ code: 404 }),
  error({ message: null }),
  error({ sents: false }),
  { kind: "timeout", sent: null },
  { kind: "timeout", answered: true },
  { kind: "did_not_happen", sent: false },
];

/** The sentences about this, each as a scenario. */
export const OUTCOMES: readonly Scenario[] = [
  ...PROOFS.map(([what, outcome, becomes]) => ({
    sentence: `takes ${what} for ${becomes}`,
    pack: pack([tool("a")]),
    steps: fate(outcome, becomes),
  })),
  ...ENTRIES.map(([what, entry, outcome, becomes]) => ({
    sentence: `lets an allowed error decide: ${what}`,
    pack: pack([tool("a", { allowed_errors: [entry] })]),
    steps: fate(outcome, becomes),
  })),
  {
    sentence: "refuses an outcome of another shape and changes nothing",
    pack: pack([tool("a")], { session_limits: { circuit_breaker: { consecutive_errors: 1 } } }),
    steps: [
      [call("a"), "allow"],
      ...MISSHAPEN.map((outcome) => [settle(outcome), "TypeError"] as const),
      [settle({ kind: "success" }, 9), "TypeError"],
      [state(({ unsettled, killed }) => [unsettled[0]?.status, killed]), '["running",false]'],
      [settle({ kind: "did_not_happen" }), "accepted"],
    ],
  },
];
