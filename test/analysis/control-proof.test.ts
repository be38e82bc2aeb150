import { describe, expect, it } from "vitest";
import { PackUnderTest } from "../../src/analysis/model/pack-under-test.js";
import { Prover } from "../../src/analysis/proof/prover.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { withPack } from "../support/pack-text.js";

/** Whether each claim of a pack is proved by following all sessions, and what else is: tools and rules. */
function provedIn(text: string) {
  const { artifact, claims, diagnostics } = withPack(text, (folder) => compileFolder(folder));
  const [pack] = artifact?.packs ?? [];
  if (artifact === null || pack === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const under = new PackUnderTest(artifact, pack);
  const prover = new Prover(pack, under.rules);
  return {
    claims: (claims[0] ?? []).map((claim) => claim.kind !== "always_possible" && prover.holdsByControl(claim) !== null),
    never: pack.tools.filter(({ name }) => prover.neverByControl(name) !== null).map(({ name }) => name),
    idle: under.rules.all.filter((rule) => prover.cannotFireByControl(rule) !== null).map(({ body }) => body.kind),
  };
}

const tool = (name: string, text = "") => `#== ${name}.yaml (with the required fields)\n${text}`;
const write = (name: string, text = "") => tool(name, `side_effect: write\n${text}`);
const session = (text: string) => `#== session.yaml (with the required fields)\n${text}`;
const claim = (text: string) => `#== claims.yaml (with the required fields)\nclaims: [${text}]\n`;
const PHASES = session(`phases: [{ name: open, initial: true }, { name: half }, { name: done, terminal: true }]
transitions: { open: [half, done], half: [done] }
`);
const inPhase = (name: string, next = "") =>
  `transitions: { valid_in_phases: [${name}]${next === "" ? "" : `, advances_to: ${next}`} }\n`;
const after = (name: string) => `preconditions: [{ requires_prior_tool: ${name} }]\n`;
const limits = (text: string) => session(`session_limits: { ${text} }\n`);
const sum = (lte: number) =>
  session(`aggregates: [{ name: paid, metric: sum, tool: pay, path: "$.n", lte: ${lte}, reason: r }]\n`);
const least = (value: number) =>
  `assertions: { input_invariants: [{ path: "$.n", gte: ${value} }], output_invariants: [] }\n`;
const review = (when: string) =>
  session(
    `schema_version: "1.1"\ncheckpoints: [{ name: c, tool: pay, timeout_seconds: 60, when: [{ path: "$.n", ${when} }] }]\n`,
  );

const CASES: readonly (readonly [what: string, claim: string, holds: string, fails: string])[] = [
  [
    "needs over several calls",
    "{ never: { tool: pay, without_prior: login } }",
    tool("login") + tool("find", after("login")) + tool("pay", after("find")),
    tool("login") + tool("find") + tool("pay", after("find")),
  ],
  [
    "a phase that is left",
    "{ never: { tool: pay, after: close } }",
    PHASES + write("close", inPhase("open", "done")) + write("pay", inPhase("open")),
    PHASES + write("close", inPhase("open", "half")) + write("pay", inPhase("half")),
  ],
  [
    "a phase that an open call may still lead to",
    "{ never: { tool: pay, after: close } }",
    // `pay` is never allowed while `close` is open, because it is not valid in done.
    PHASES +
      write("close", inPhase("half", "done")) +
      write("go", inPhase("open", "half")) +
      write("pay", inPhase("half")),
    // A `half` that was open when `close` was allowed takes effect after it.
    PHASES +
      write("close", "transitions: { valid_in_phases: [open, half], advances_to: done }\n") +
      write("back", "transitions: { valid_in_phases: [open], advances_to: half }\n") +
      write("pay", inPhase("half")),
  ],
  [
    "a phase that a call leaves, so that it comes once",
    "{ at_most: { tool: pay, calls: 1 } }",
    PHASES + write("pay", `commit_requirement: none\n${inPhase("open", "half")}`),
    // An output that is rejected counts, and does not advance.
    PHASES + write("pay", inPhase("open", "half")),
  ],
  [
    "a limit that earlier calls use up",
    "{ never: { tool: login, after: pay } }",
    limits("max_tool_calls: 2") + write("login") + write("pay", after("login")),
    limits("max_tool_calls: 3") + write("login") + write("pay", after("login")),
  ],
  [
    "the least that each call adds to a sum",
    "{ at_most: { tool: pay, calls: 2 } }",
    sum(25) + write("pay", least(10)),
    sum(30) + write("pay", least(10)),
  ],
  [
    "sums that rounding does not change",
    "{ at_most: { tool: pay, calls: 2 } }",
    sum(0.29) + write("pay", least(0.1)),
    sum(0.3) + write("pay", least(0.1)),
  ],
  [
    "calls that forbid each other",
    "{ never: { tool: pay, after: refund } }",
    write("pay") + write("refund", "forbids_after: [pay]\n"),
    write("pay", "forbids_after: [refund]\n") + write("refund"),
  ],
  [
    "a first call that cannot reach a lower bound",
    "{ at_most: { tool: pay, calls: 0 } }",
    session(
      'aggregates: [{ name: kinds, metric: count_distinct, tool: pay, path: "$.n", gte: 2, lte: 9, reason: r }]\n',
    ) + write("pay"),
    session(
      'aggregates: [{ name: kinds, metric: count_distinct, tool: pay, path: "$.n", gte: 1, lte: 9, reason: r }]\n',
    ) + write("pay"),
  ],
  [
    "steps that earlier calls need",
    "{ at_most: { tool: pay, calls: 0 } }",
    limits("max_steps: 1") + write("login") + write("pay", after("login")),
    limits("max_steps: 2") + write("login") + write("pay", after("login")),
  ],
  [
    "policies that name no principal together",
    "{ never: { tool: pay, after: refund } }",
    write("pay", 'policy: { allow: [{ principal: { path: "$.kind", equals: human } }] }\n') +
      write("refund", 'policy: { deny: [{ principal: { path: "$.kind", equals: human } }] }\n'),
    write("pay", 'policy: { allow: [{ principal: { path: "$.kind", equals: human } }] }\n') +
      write("refund", 'policy: { deny: [{ principal: { path: "$.kind", equals: bot } }] }\n'),
  ],
  [
    "checkpoints that together ask about every call",
    "{ requires_approval: { tool: pay } }",
    write("pay", `${least(0)}checkpoint: { when: [{ path: "$.n", gte: 5 }], timeout_seconds: 60 }\n`) + review("lt: 5"),
    write("pay", `${least(0)}checkpoint: { when: [{ path: "$.n", gte: 5 }], timeout_seconds: 60 }\n`) + review("lt: 4"),
  ],
  [
    "a checkpoint whose expiry denies",
    "{ requires_approval: { tool: pay } }",
    write("pay", "checkpoint: { when: always, timeout_seconds: 60, on_timeout: deny }\n"),
    write("pay", "checkpoint: { when: always, timeout_seconds: 60, on_timeout: allow }\n"),
  ],
  [
    "a label gate",
    "{ never: { tool: pay, when_label: fraud } }",
    session("policy: { label_gates: [{ when_label: fraud, deny_tools: [pay], reason: r }] }\n") + write("pay"),
    session("policy: { label_gates: [{ when_label: fraud, deny_tools: [other], reason: r }] }\n") +
      write("pay") +
      write("other"),
  ],
];

const LATER = session('schema_version: "1.1"\n');
const requires = (text: string) => `requires: [{ that: '${text}', reason: r }]\n`;
const FIND = tool("find", "binds: [{ name: found, source: output, path: $, key: $.id }]\n");
const LOGIN = tool("login", "binds: [{ name: user, source: output, path: $ }]\n");

/** Expressions that never hold before a slot was bound, and some that may. */
const NEEDED: readonly (readonly [expression: string, isNeeded: boolean])[] = [
  ['slots.found[args.id].status == "open"', true],
  ["args.id in slots.found", true],
  ["!(args.id in slots.found)", false],
  ["size(slots.found) == 0", false],
  ["slots.found.exists(k, k == args.id)", true],
  ["slots.found.all(k, k == args.id)", false],
  ['args.n > 5 && slots.found[args.id].status == "open"', true],
  ['args.n > 5 || slots.found[args.id].status == "open"', false],
  ['!(args.n > 5 || slots.found[args.id].status == "open")', true],
  ["args.id in slots.found ? args.n > 5 : args.n < 1", false],
  ["args.id in slots.found ? args.n > 5 : false", true],
  ["has(slots.found[args.id].status)", true],
  ["!has(slots.found[args.id].status)", false],
  ["[1, 2].exists(n, n == slots.found[args.id].n)", true],
  ["[1, 2].all(n, n == slots.found[args.id].n)", false],
];

describe("proofs over all sessions", () => {
  it.each(CASES)("follow %s", (_what, text, holds, fails) => {
    expect(provedIn(claim(text) + holds).claims).toEqual([true]);
    expect(provedIn(claim(text) + fails).claims).toEqual([false]);
  });

  it.each(NEEDED)("know whether %s needs its slot: %s", (text, isNeeded) => {
    const pack = claim("{ never: { tool: pay, without_prior: find } }") + LATER + FIND + write("pay", requires(text));
    expect(provedIn(pack).claims).toEqual([isNeeded]);
  });

  it("know that a plain slot cannot be read before it is bound", () => {
    const pack = (text: string) =>
      claim("{ never: { tool: pay, without_prior: login } }") + LATER + LOGIN + write("pay", requires(text));
    expect(provedIn(pack("slots.user.id != args.id")).claims).toEqual([true]);
    expect(provedIn(pack("has(slots.user)")).claims).toEqual([true]);
    expect(provedIn(pack("!has(slots.user) || slots.user.id == args.id")).claims).toEqual([false]);
  });

  it("count a read that timed out, which no limit counts", () => {
    const pack = (fields: string) =>
      claim("{ at_most: { tool: pay, calls: 1 } }") + limits("max_calls_per_tool: { pay: 1 }") + tool("pay", fields);
    expect(provedIn(pack("side_effect: read\n")).claims).toEqual([false]);
    expect(provedIn(pack("side_effect: read\ncommit_requirement: none\n")).claims).toEqual([true]);
    expect(provedIn(pack("side_effect: write\n")).claims).toEqual([true]);
  });

  it("know a call that commits at dispatch before its result", () => {
    const pack = (own: string) =>
      claim("{ never: { tool: pay, after: close } }") +
      PHASES +
      write("close", `commit_requirement: none\n${inPhase("open", "done")}`) +
      write("go", `${own}${inPhase("open", "half")}`) +
      write("pay", inPhase("half"));
    // `close` is not allowed while `go` may still lead to half.
    expect(provedIn(pack("")).claims).toEqual([true]);
    expect(
      provedIn(
        pack("").replace(
          "valid_in_phases: [open], advances_to: done",
          "valid_in_phases: [open, half], advances_to: done",
        ),
      ).claims,
    ).toEqual([false]);
  });

  it("find tools that are never allowed and phase rules that never refuse", () => {
    const found = provedIn(limits("max_tool_calls: 1") + write("login") + write("pay", after("login")) + write("free"));
    expect(found.never).toEqual(["pay"]);
    const phases = provedIn(
      PHASES + write("close", "transitions: { valid_in_phases: [open, half], advances_to: half }\n"),
    );
    expect(phases.idle).toEqual(["phase"]);
    expect(provedIn(PHASES + write("close", inPhase("open", "half"))).idle).toEqual([]);
  });
});

describe("the words of a proof", () => {
  const because = (text: string) => {
    const { artifact, claims } = withPack(text, (folder) => compileFolder(folder));
    const [pack] = artifact?.packs ?? [];
    const [first] = claims[0] ?? [];
    if (artifact === null || pack === undefined || first === undefined || first.kind === "always_possible") return null;
    return new Prover(pack, new PackUnderTest(artifact, pack).rules).holdsByControl(first)?.because;
  };
  const WITHOUT = claim("{ never: { tool: pay, without_prior: login } }");

  it("are the chain of calls that one needs", () => {
    const needing = (name: string, prior: string) => tool(name, after(prior));
    expect(because(WITHOUT + tool("login") + needing("find", "login") + needing("pay", "find"))).toBe(
      "every way to `pay` passes `login`: `pay` needs an earlier call of `find`; `find` needs an earlier call of `login`",
    );
  });

  it("name the calls that bind a slot, and those that need it themselves", () => {
    const bind = (path: string) => `binds: [{ name: order, source: output, path: "${path}" }]\n`;
    const ref = 'argument_value_invariants: [{ path: "$.id", ref: order }]\n';
    const pack = tool("login", bind("$.a")) + tool("again", bind("$.b") + ref) + tool("pay", ref);
    expect(because(WITHOUT + pack)).toBe(
      "every way to `pay` passes `login`: `pay` needs the slot `order`, bound only by `login`, and by `again`, which need it too",
    );
  });

  it("say what was followed where phases are the reason", () => {
    const pack = PHASES + write("login", inPhase("open", "half")) + write("pay", inPhase("half"));
    expect(because(WITHOUT + pack)).toMatch(/^following calls of `pay`, `login` and phases, every session stays in/);
  });
});
