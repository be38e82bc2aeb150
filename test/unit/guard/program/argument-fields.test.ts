import { afterEach, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/base/json.js";
import { ArgumentFields } from "../../../../src/guard/program/argument-fields.js";
import { plainJson } from "../../../../src/guard/values/plain-json.js";

function fieldsOf(...names: readonly string[]): ArgumentFields {
  const fields = new ArgumentFields();
  for (const name of names) fields.slotOf(name);
  return fields;
}

function parsed(text: string): JsonObject {
  return JSON.parse(text);
}

function extendPrototype(name: string, value: Json): void {
  Object.defineProperty(Object.prototype, name, { value, enumerable: true, configurable: true, writable: true });
}

afterEach(() => {
  Reflect.deleteProperty(Object.prototype, "amount");
});

describe("the named arguments of a call", () => {
  it("stand at their slots, whatever their order and whatever came before", () => {
    const fields = fieldsOf("a", "b", "c");
    expect(fields.read({ a: 1, b: 2, c: 3 })).toEqual([1, 2, 3]);
    expect(fields.read({ c: 3, a: 1 })).toEqual([1, undefined, 3]);
    expect(fields.read({ x: 0, b: null })).toEqual([undefined, null, undefined]);
    expect(fields.read({})).toEqual([undefined, undefined, undefined]);
    expect(fields.read({ 2: "index", a: "" })).toEqual(["", undefined, undefined]);
  });

  it("share a slot under one name", () => {
    const fields = fieldsOf("a", "a", "b");
    expect([fields.slotOf("a"), fields.slotOf("b")]).toEqual([0, 1]);
  });

  it("are own properties: names that every object inherits are not given", () => {
    const fields = fieldsOf("constructor", "toString", "__proto__", "hasOwnProperty");
    expect(fields.read({})).toEqual([undefined, undefined, undefined, undefined]);
    expect(fields.read(parsed('{"__proto__": 1, "constructor": 2}'))).toEqual([2, undefined, 1, undefined]);
  });

  it("are own properties even where somebody extended the prototype of all objects", () => {
    const fields = fieldsOf("amount", "to");
    extendPrototype("amount", 1);
    expect(fields.read({ to: "x" })).toEqual([undefined, "x"]);
    expect(fields.read({ to: "x", amount: 7 })).toEqual([7, "x"]);
  });
});

describe("a copy as plain JSON", () => {
  it("takes nothing from a prototype that somebody extended", () => {
    extendPrototype("amount", { secret: 1 });
    const copy = plainJson({ to: { deep: [{}] } });
    expect(copy.ok && Object.keys(Object(copy.value))).toEqual(["to"]);
    expect(JSON.stringify(copy)).toBe('{"ok":true,"value":{"to":{"deep":[{}]}}}');
  });

  it("keeps an own member named __proto__ as one", () => {
    const copy = plainJson(parsed('{"__proto__": {"admin": true}, "n": -0}'));
    expect(JSON.stringify(copy)).toBe('{"ok":true,"value":{"__proto__":{"admin":true},"n":0}}');
    expect(copy.ok && Object.getPrototypeOf(copy.value)).toBe(Object.prototype);
  });

  it("is not touched by what happens to the original", () => {
    const original = { list: [{ n: 1 }], inner: { n: 1 } };
    const copy = plainJson(original);
    original.list[0] = { n: 2 };
    original.inner.n = 2;
    expect(copy).toEqual({ ok: true, value: { list: [{ n: 1 }], inner: { n: 1 } } });
  });
});
