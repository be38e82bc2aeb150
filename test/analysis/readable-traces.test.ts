import { describe, expect, it } from "vitest";
import { closestFirst, ExampleValues } from "../../src/analysis/trace/example-values.js";
import type { Plan } from "../../src/analysis/trace/plan.js";
import { verify } from "../../src/analysis/verify.js";
import type { PackExamples } from "../../src/artifact/example-call.js";
import type { Json, JsonObject } from "../../src/base/json.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { withPack } from "../support/pack-text.js";

/** The calls of the session that shows each tool. */
async function sessionsOf(text: string, readsExamples = true) {
  const { artifact, examples, diagnostics } = withPack(text, (folder) => compileFolder(folder));
  if (artifact === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const [found] = await verify(artifact, [], undefined, readsExamples ? examples : []);
  return (found?.tools ?? []).map(({ trace }) =>
    (trace?.steps ?? []).map((step) =>
      step.kind === "call" ? [step.tool, step.args, step.outcome?.kind === "result" ? step.outcome.output : null] : [],
    ),
  );
}

const DEFINITIONS = (input: JsonObject) =>
  `#== tools.json\n${JSON.stringify({
    tools: [
      {
        name: "get_order",
        input_schema: { type: "object", properties: { id: input }, required: ["id"] },
        output_schema: { type: "object", properties: { id: { type: "string" } } },
      },
      { name: "refund", input_schema: { type: "object", properties: { order: { type: "string" } } } },
    ],
  })}\n`;
const ORDER = `#== get_order.yaml (with the required fields)
assertions: { input_invariants: [{ path: "$.id", type: string }], output_invariants: [] }
binds: [{ name: order, source: output, path: "$.id" }]
#== refund.yaml (with the required fields)
side_effect: write
argument_value_invariants: [{ path: "$.order", ref: order }]
`;
const SCENARIO = `#== tests/refund.yaml
name: a refund
steps:
  - { call: get_order, args: { id: "W-1" }, output: { id: "W-1", name: Ada } }
  - { call: refund, args: { order: "W-1" }, output: {} }
`;

describe("a session that is shown", () => {
  it("has the values of a scenario, equal where a rule compares them", async () => {
    const sessions = await sessionsOf(ORDER + SCENARIO);
    expect(sessions.at(-1)?.map(([name, args]) => [name, args])).toEqual([
      ["get_order", { id: "W-1" }],
      ["refund", { order: "W-1" }],
    ]);
  });

  it("has the examples of tools.json", async () => {
    const [[call] = []] = await sessionsOf(ORDER + DEFINITIONS({ type: "string", examples: ["W-77"] }));
    expect(call?.[1]).toEqual({ id: "W-77" });
    const [[usual] = []] = await sessionsOf(ORDER + DEFINITIONS({ type: "string", default: "W-78" }));
    expect(usual?.[1]).toEqual({ id: "W-78" });
  });

  it("keeps its sampled values where the guard would judge the examples otherwise", async () => {
    const strict = ORDER.replace("type: string", 'regex: "^[a-z]{3}$"');
    const [[call] = []] = await sessionsOf(strict + DEFINITIONS({ type: "string", examples: ["W-77"] }));
    expect(JSON.stringify(call?.[1])).toMatch(/^\{"id":"[a-z]{3}"\}$/);
  });

  it("has no longer texts than people read: a limit repeats its call hundreds of times", async () => {
    const long = "W".repeat(201);
    const [[call] = []] = await sessionsOf(ORDER + SCENARIO.replaceAll("W-1", long));
    expect(JSON.stringify(call)).not.toContain(long);
    const [[short] = []] = await sessionsOf(ORDER + SCENARIO.replaceAll("W-1", long.slice(1)));
    expect(short?.[1]).toEqual({ id: long.slice(1) });
  });

  it.each([
    [
      "arguments",
      `assertions: { input_invariants: [{ path: "$.a", regex: "^A" }, { path: "$.b", regex: "^B" }], output_invariants: [] }`,
      `{ call: pay, args: { a: Axx, b: zzz }, expect: block }`,
      (step: { readonly args: JsonObject }) => step.args,
    ],
    [
      "results",
      `assertions: { input_invariants: [], output_invariants: [{ path: "$.a", regex: "^A" }, { path: "$.b", regex: "^B" }] }`,
      `{ call: pay, args: {}, output: { a: Axx, b: zzz }, reason: output_invariant_failed }`,
      (step: { readonly outcome: unknown }) => (step.outcome as { readonly output: JsonObject }).output,
    ],
  ])("shows the rule that it is for, where two rules on %s stand on one line", async (_, rules, step, valuesOf) => {
    const text = `#== pay.yaml (with the required fields)\n${rules}\n#== tests/a.yaml\nname: a\nsteps:\n  - ${step}\n`;
    const { artifact, examples, diagnostics } = withPack(text, (folder) => compileFolder(folder));
    if (artifact === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
    const [found] = await verify(artifact, [], undefined, examples);
    const keeps = (found?.rules ?? []).map(({ trace }, at) => {
      const last = trace?.steps.at(-1);
      if (last?.kind !== "call") throw new Error("no call is shown");
      const { a, b } = valuesOf(last);
      return at === 0 ? /^A/.test(String(a)) : /^B/.test(String(b));
    });
    expect(keeps).toEqual([false, false]);
  });

  it("shows the same calls and verdicts as without examples", async () => {
    const shape = (sessions: Awaited<ReturnType<typeof sessionsOf>>) =>
      sessions.map((calls) => calls.map(([name]) => name));
    expect(shape(await sessionsOf(ORDER + SCENARIO))).toEqual(shape(await sessionsOf(ORDER + SCENARIO, false)));
  });
});

const call = (tool: string, args: JsonObject, output: Json) =>
  ({ kind: "call", tool, args, outcome: { kind: "result", output } }) as const;
const planOf = (...actions: Plan["actions"]): Plan => ({ principal: null, env: {}, actions });

describe("the values of examples", () => {
  it("replace texts in their places, also keys, and nothing where the example has nothing", () => {
    const plan = planOf(call("a", { id: "text", n: 1, of: { text: "x" }, list: ["text", "t2"], other: "text" }, null));
    const examples: PackExamples = [
      [{ tool: "a", args: { id: "W-1", n: "one", of: { card: "y" }, list: ["W-1"] }, output: "done" }],
    ];
    const values = new ExampleValues(plan, closestFirst(plan, examples));
    expect(values.with(values.all()).actions).toEqual([
      call("a", { id: "W-1", n: 1, of: { card: "y" }, list: ["W-1", "W-1"], other: "text" }, "done"),
    ]);
  });

  it("give different calls of a tool different examples, and equal ones the same", () => {
    const plan = planOf(call("a", { id: "t1" }, 1), call("a", { id: "t2" }, 1), call("a", { id: "t1" }, 1));
    const examples: PackExamples = [["W-1", "W-2"].map((id) => ({ tool: "a", args: { id }, output: undefined }))];
    const values = new ExampleValues(plan, closestFirst(plan, examples));
    const ids = values.with(values.all()).actions.map((action) => action.kind === "call" && action.args.id);
    expect(ids).toEqual(["W-1", "W-2", "W-1"]);
  });

  it("never merge two keys, and treat `__proto__` as a key like any other", () => {
    const examples: PackExamples = [
      [{ tool: "a", args: JSON.parse('{"__proto__": "x", "k": "z"}'), output: undefined }],
    ];
    const plan = planOf(call("a", JSON.parse('{"__proto__": "t", "p": "q"}'), 1));
    const values = new ExampleValues(plan, closestFirst(plan, examples));
    const [action] = values.with(values.all()).actions;
    expect(JSON.stringify(action?.kind === "call" && action.args)).toBe('{"__proto__":"x","k":"z"}');
    const clash = planOf(call("a", { p: "1", k: "2" }, 1));
    const two = new ExampleValues(clash, [[{ tool: "a", args: { k: "2", q: "3" }, output: undefined }]]);
    const general = [{ from: "p", to: "k", isGeneral: true }];
    expect(two.with(general).actions).toEqual(clash.actions);
  });
});
