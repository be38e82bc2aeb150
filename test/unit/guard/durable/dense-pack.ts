import type { Pack } from "../../../differential/reference/model.js";
import { pack, tool } from "../../../differential/scenario.js";

const OK = { path: "$.ok", equals: true };
const SAME = { bind_from: "arguments", path: "$.id" } as const;

/** A small pack in which calls touch everything that a session keeps. `look` and `ask` are committed when they are sent. */
export const DENSE_PACK: Pack = pack(
  [
    tool("look", {
      commit_requirement: "none",
      binds: [
        { name: "x", source: "output", path: "$.n" },
        { name: "y", source: "arguments", path: "$.s" },
      ],
      preconditions: [{ requires_prior_tool: "ask", with_output: [OK], resource: SAME }],
    }),
    tool("ask", {
      commit_requirement: "none",
      binds: [{ name: "x", source: "output", path: "$.m" }],
      preconditions: [{ requires_prior_tool: "look", with_output: [OK, { path: "$.n", lte: 2 }] }],
    }),
    tool("pay", {
      side_effect: "financial",
      binds: [{ name: "y", source: "output", path: "$.s" }],
      argument_value_invariants: [
        { path: "$.n", ref: "x", tolerance: 0.5 },
        { path: "$.s", ref: "y" },
      ],
      preconditions: [{ requires_prior_tool: "look", with_output: [OK], resource: SAME }],
      transitions: { valid_in_phases: ["open", "busy"], advances_to: "ready" },
      forbids_after: ["move"],
    }),
    tool("move", {
      side_effect: "read",
      assertions: { input_invariants: [], output_invariants: [OK] },
      transitions: { valid_in_phases: ["ready", "open"], advances_to: "busy" },
    }),
    tool("stop", { transitions: { valid_in_phases: ["open"] } }),
  ],
  {
    phases: [{ name: "open", initial: true }, { name: "ready" }, { name: "busy" }, { name: "closed", terminal: true }],
    transitions: { open: ["ready", "busy"], ready: ["busy"], busy: ["ready", "closed"] },
    session_limits: {
      max_calls_per_tool: { look: 6, pay: 4 },
      max_cost_per_session: 2,
      loop_detection: { window: 4, threshold: 3 },
      circuit_breaker: { consecutive_blocks: 2, consecutive_errors: 6 },
    },
    policy: { label_gates: [{ when_label: "secret", deny_tools: ["pay"], reason: "Secret" }] },
    aggregates: [
      { name: "paid", metric: "sum", tool: "*", path: "$.n", lte: 9, reason: "Sum" },
      { name: "calls", metric: "count", tool: ["pay", "move"], lte: 6, reason: "Count" },
      { name: "most", metric: "max", tool: ["pay", "move"], path: "$.m", lte: 5, reason: "Most" },
      { name: "least", metric: "min", tool: "*", path: "$.list[*]", gte: 0, reason: "Least" },
      { name: "ids", metric: "count_distinct", tool: "*", path: "$.s", lte: 2, reason: "Texts" },
      {
        ...{ name: "judged", metric: "sum", tool: ["pay"], path: "$.n", lte: 3, reason: "When" },
        when: [{ binding: "y", equals: "a", then_lte: 20 }],
      },
    ],
    envelopes: [
      {
        name: "seen",
        stages: [
          { tool: "look", path: "$.n", role: "floor", source: "output" },
          { tool: "ask", path: "$.n", role: "ceiling" },
          { tool: "pay", path: "$.n", role: "constrained" },
        ],
        ...{ constraint: "bounded", reason: "Seen" },
      },
      {
        name: "shrinking",
        stages: [
          { tool: "look", path: "$.s", role: "initial", source: "output" },
          { tool: "pay", path: "$.s", role: "constrained" },
        ],
        ...{ constraint: "monotonic_decrease", reason: "Shrinks" },
      },
      {
        name: "near",
        stages: [
          { tool: "move", path: "$.n", role: "anchor" },
          { tool: "pay", path: "$.m", role: "constrained" },
        ],
        ...{ constraint: "within_band", band: 2, reason: "Near" },
      },
    ],
  },
);
