import { describe, expect, it } from "vitest";
import { touchesAt } from "../../../src/artifact/resource-touches.js";
import { mayHaveScalar } from "../../../src/artifact/schema-places.js";
import type { JsonObject } from "../../../src/base/json.js";
import { createGuard } from "../../../src/guard/guard.js";
import { artifactOf } from "../../support/guard-artifact.js";

interface Case {
  readonly schema?: object;
  readonly contract?: string;
  readonly path?: string;
  /** A call that has a value at the path. */
  readonly args: JsonObject;
}

const closed = (properties: object) => ({ type: "object", properties, additionalProperties: false });
const text = { type: "string" };
const invariant = (operators: string) =>
  `assertions: { input_invariants: [{ path: $.key, ${operators} }], output_invariants: [] }`;

const TOUCHES: Readonly<Record<string, Case>> = {
  "a tool without a definition": { args: { key: "a" } },
  "an open schema": { schema: { type: "object", properties: { other: text } }, args: { key: "a" } },
  "a property that it names": { schema: closed({ key: text }), args: { key: "a" } },
  "a number": { schema: closed({ key: { type: "integer" } }), args: { key: 3 } },
  "a truth value or a list": { schema: closed({ key: { type: ["boolean", "array"] } }), args: { key: true } },
  "further properties of a type": {
    schema: { type: "object", additionalProperties: text },
    args: { key: "a" },
  },
  "a name that a pattern matches": {
    schema: { type: "object", patternProperties: { "^k": text }, additionalProperties: false },
    args: { key: "a" },
  },
  "one of several forms": {
    schema: { anyOf: [closed({ other: text }), closed({ key: text })] },
    args: { key: "a" },
  },
  "a place in objects and lists": {
    path: "$.items[1].key",
    schema: closed({ items: { type: "array", items: closed({ key: text }) } }),
    args: { items: [{ key: "a" }, { key: "b" }] },
  },
  "a definition that refers to itself": {
    path: "$.next.next.key",
    schema: { $ref: "#/$defs/node", $defs: { node: closed({ key: text, next: { $ref: "#/$defs/node" } }) } },
    args: { next: { next: { key: "a" } } },
  },
  "an argument with a condition": { contract: invariant("one_of: [a, 3]"), args: { key: "a" } },
  "an enumeration": { schema: closed({ key: { enum: ["a", null] } }), args: { key: "a" } },
};

const MISSES: Readonly<Record<string, Case>> = {
  "a property that a closed schema does not name": { schema: closed({ other: text }), args: { key: "a" } },
  "a property that must be a list": { schema: closed({ key: { type: "array" } }), args: { key: "a" } },
  "further properties that must be objects": {
    schema: { type: "object", additionalProperties: { type: "object" } },
    args: { key: "a" },
  },
  "a property that nothing satisfies": { schema: { type: "object", properties: { key: false } }, args: { key: "a" } },
  "no property at all": { schema: { type: "object", maxProperties: 0 }, args: { key: "a" } },
  "none of several forms": {
    schema: { anyOf: [closed({ other: text }), closed({ third: text })] },
    args: { key: "a" },
  },
  "a place inside a text": {
    path: "$.items[0].key",
    schema: closed({ items: { type: "array", items: text } }),
    args: { items: [{ key: "a" }] },
  },
  "an item after the last": {
    path: "$.items[1]",
    schema: closed({ items: { type: "array", items: text, maxItems: 1 } }),
    args: { items: ["a", "b"] },
  },
  "an object where a list would be": {
    path: "$.items[0]",
    schema: closed({ items: closed({}) }),
    args: { items: ["a"] },
  },
  "a definition without the property": {
    path: "$.next.key",
    schema: { $ref: "#/$defs/node", $defs: { node: closed({ next: { $ref: "#/$defs/node" } }) } },
    args: { next: { key: "a" } },
  },
  "an enumeration of other things": { schema: closed({ key: { enum: [null, [1]] } }), args: { key: "a" } },
  "an argument that must be absent": { contract: invariant("exists: false"), args: { key: "a" } },
  "an argument that must be an object": { contract: invariant("type: object"), args: { key: "a" } },
  "a tool that is always refused": { contract: "gate: block", args: { key: "a" } },
};

async function judged({ schema, contract = "", path = "$.key", args }: Case) {
  const definition = JSON.stringify([{ name: "use", input_schema: schema ?? {} }]);
  const artifact = artifactOf(
    [
      "#== session.yaml (with the required fields)",
      `resources: { thing: { type: thing, extract_from: { path: "${path}" } } }`,
      "#== use.yaml (with the required fields)",
      contract,
      ...(schema === undefined ? [] : ["#== tools.json", definition]),
      "",
    ].join("\n"),
  );
  const [pack] = artifact.packs;
  const [resource] = pack?.resources ?? [];
  if (pack === undefined || resource === undefined) throw new Error("no resource");
  const guard = await createGuard(artifact, { env: {} });
  const { kind } = await guard.propose({ tool: "use", args });
  return { touches: touchesAt(pack, resource.path).map(({ tool }) => tool.name), kind };
}

describe("the tools that may touch a resource", () => {
  it.each(Object.entries(TOUCHES))("include one that accepts a value: %s", async (_, given) => {
    expect(await judged(given)).toEqual({ touches: ["use"], kind: "allow" });
  });

  it.each(Object.entries(MISSES))("leave out one that accepts none: %s", async (_, given) => {
    expect(await judged(given)).toEqual({ touches: [], kind: "block" });
  });

  it("rule nothing out where a chain of definitions is longer than the stack is deep", () => {
    const length = 100_000;
    const ref = (def: number) => [{ kind: "ref", def } as const];
    const defs = Array.from({ length }, (_, at) => (at + 1 < length ? ref(at + 1) : false));
    expect(mayHaveScalar({ root: ref(0), defs }, ["key"])).toBe(true);
    expect(mayHaveScalar({ root: ref(length - 2), defs }, ["key"])).toBe(false);
  });
});
