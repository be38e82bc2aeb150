import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import type { GuardOptions } from "../../src/guard/public.js";
import { artifactOf } from "../support/guard-artifact.js";
import { told } from "../support/guard-steps.js";

const PLAIN = artifactOf("#== look.yaml (with the required fields)\n");

const NEEDS_PRINCIPAL: readonly (readonly [string, string])[] = [
  ["a deny of the session", "rules: [{ deny: { principal: { path: $.a, equals: 1 } } }]"],
  ["an allow of the session", "rules: [{ allow: { principal: { path: $.a, exists: false } } }]"],
];

describe("a guard whose pack looks at the principal", () => {
  it.each(NEEDS_PRINCIPAL)("does not start without one, for %s", async (_, policy) => {
    const pack = `#== session.yaml (with the required fields)\npolicy: { ${policy} }\n#== look.yaml (with the required fields)\n`;
    await expect(createGuard(artifactOf(pack), { env: {} })).rejects.toThrow("principal");
    await expect(createGuard(artifactOf(pack), { env: {}, principal: null })).rejects.toThrow("principal");
    await expect(createGuard(artifactOf(pack), { env: {}, principal: {} })).resolves.toBeDefined();
  });

  it("does not start without one for a policy of a tool either", async () => {
    const pack =
      "#== look.yaml (with the required fields)\npolicy: { allow: [{ principal: { path: $.a, equals: 1 } }] }\n";
    await expect(createGuard(artifactOf(pack), { env: {} })).rejects.toThrow("principal");
  });

  it("starts without one where label gates and entries for everybody are all there is", async () => {
    const pack = `
#== session.yaml (with the required fields)
policy:
  default_deny: true
  rules: [{ allow: { tools: [look] } }, { deny: { tools: [shut] } }]
  label_gates: [{ when_label: x, deny_tools: [look], reason: Hot }]
#== look.yaml (with the required fields)
#== shut.yaml (with the required fields)
`;
    const guard = await createGuard(artifactOf(pack), { env: {} });
    expect(told(await guard.propose({ tool: "look", args: {} }))).toBe("allow");
  });

  it.each([["a text"], [[1]], [new Date(0)], [{ a: 5n }], [() => 1]])(
    "does not start with a principal that is no JSON object",
    async (principal) => {
      await expect(createGuard(PLAIN, { env: {}, principal })).rejects.toThrow("JSON object");
    },
  );

  it("is not moved by what becomes of the principal afterwards", async () => {
    const pack =
      "#== look.yaml (with the required fields)\npolicy: { deny: [{ principal: { path: $.role, equals: guest } }] }\n";
    const principal = { role: "staff" };
    const guard = await createGuard(artifactOf(pack), { env: {}, principal });
    principal.role = "guest";
    expect(told(await guard.propose({ tool: "look", args: {} }))).toBe("allow");
  });

  it("is not moved by what becomes of the environment afterwards", async () => {
    const pack = `
#== look.yaml (with the required fields)
assertions: { input_invariants: [{ path: $.t, equals_env: TENANT }], output_invariants: [] }
`;
    const env: Record<string, string> = { TENANT: "a" };
    const guard = await createGuard(artifactOf(pack), { env });
    env.TENANT = "b";
    expect(told(await guard.propose({ tool: "look", args: { t: "b" } }))).toBe("input_invariant_failed");
    expect(told(await guard.propose({ tool: "look", args: { t: "a" } }))).toBe("allow");
  });
});

describe("a literal that looks like a part of an artifact", () => {
  it("is no variable that must be set", async () => {
    const pack = `
#== look.yaml (with the required fields)
assertions: { input_invariants: [{ path: $.a, equals: { op: equals_env, name: UNSET } }], output_invariants: [] }
`;
    const guard = await createGuard(artifactOf(pack), { env: {} });
    expect(told(await guard.propose({ tool: "look", args: { a: { op: "equals_env", name: "UNSET" } } }))).toBe("allow");
  });

  it("is no reference to a definition", async () => {
    const literal = { kind: "ref", def: 99 };
    const schema = { type: "object", properties: { a: { anyOf: [{ const: literal }, { enum: [literal, 1] }] } } };
    const pack = `
#== look.yaml (with the required fields)
#== tools.json
${JSON.stringify([{ name: "look", input_schema: schema }])}
`;
    const guard = await createGuard(artifactOf(pack), { env: {} });
    expect(told(await guard.propose({ tool: "look", args: { a: literal } }))).toBe("allow");
    expect(told(await guard.propose({ tool: "look", args: { a: { kind: "ref" } } }))).toBe("schema_mismatch");
  });
});

describe("a guard with options that it does not know", () => {
  it.each([
    ["null", null],
    ["a list", []],
    ["a text", "shadow"],
    ["a clock that is null", { clock: null }],
    ["a clock without a function", { clock: { now: 5 } }],
    ["a store that is null", { store: null }],
    ["a store without append", { store: { load: async () => ({ revision: 0, events: [] }) } }],
    ["a session id that is a number", { sessionId: 7 }],
    ["a session id that is empty", { sessionId: "" }],
    ["a session id that is null", { sessionId: null }],
    ["a mode that is null", { mode: null }],
    ["a mode in a list", { mode: ["shadow"] }],
    ["what becomes of other tools that is null", { unmatched: null }],
    ["an approver that is null", { approver: null }],
    ["an approver that is an object", { approver: {} }],
    ["an environment that is null", { env: null }],
    ["an environment that is a number", { env: 5 }],
    ["a role that is null", { role: null }],
    ["a misspelt name", { unmached: "allow" }],
    ["a misspelt principal", { principals: {} }],
  ])("does not start: %s", async (_, options) => {
    const started = Reflect.apply(createGuard, null, [PLAIN, options]);
    await expect(started).rejects.toThrow(TypeError);
    await expect(started).rejects.toThrow(/`\w+`|the options of a guard/);
  });

  it("starts where an option is undefined: it was not given", async () => {
    const options = { mode: undefined, clock: undefined, store: undefined, approver: undefined, sessionId: undefined };
    expect(
      await Reflect.apply(createGuard, null, [PLAIN, { ...options, env: undefined, role: undefined }]),
    ).toBeDefined();
  });

  it("does not mind an option of another library", async () => {
    expect(await Reflect.apply(createGuard, null, [PLAIN, { tracing: true }])).toBeDefined();
  });

  it.each(['{ "mode": "off" }', '{ "unmatched": "maybe" }', '{ "approver": "nobody" }', '{ "role": "ghost" }'])(
    "does not start: %s",
    async (text) => {
      const options: GuardOptions = JSON.parse(text);
      await expect(createGuard(PLAIN, options)).rejects.toThrow(TypeError);
    },
  );
});

describe("a guard on an artifact", () => {
  it("does not start where the artifact was changed after it was made", async () => {
    const changed = structuredClone(PLAIN);
    Reflect.set(changed.packs[0]?.tools[0] ?? {}, "total_ms", 1);
    await expect(createGuard(changed, { env: {} })).rejects.toThrow("rejected");
  });

  it("is refused with a hint at the findings where the pack has errors and there is none", async () => {
    await expect(createGuard(null)).rejects.toThrow("there is no artifact: its pack has errors");
  });

  it("is not moved by what becomes of the artifact afterwards", async () => {
    const artifact = structuredClone(PLAIN);
    const guard = await createGuard(artifact, { env: {} });
    Reflect.set(artifact.packs[0] ?? {}, "tools", []);
    expect(told(await guard.propose({ tool: "look", args: {} }))).toBe("allow");
  });

  it.each([
    ["null", null],
    ["a text", "{}"],
    ["an empty object", {}],
  ])("does not start on %s", async (_, artifact) => {
    await expect(createGuard(JSON.parse(JSON.stringify(artifact)), { env: {} })).rejects.toThrow();
  });
});

describe("a cost", () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, -0.01])("of %s is refused", async (usd) => {
    const guard = await createGuard(PLAIN, { env: {} });
    await expect(guard.recordCost(usd)).rejects.toThrow(
      new TypeError("a cost must be a finite number that is not negative"),
    );
    expect(guard.state().cost).toBe(0);
  });
});
