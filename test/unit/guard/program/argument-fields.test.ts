import { afterEach, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/base/json.js";
import { ArgumentFields, type FieldValues } from "../../../../src/guard/program/argument-fields.js";
import { plainJson } from "../../../../src/guard/values/plain-json.js";

function fieldsOf(...names: readonly string[]): ArgumentFields {
  const fields = new ArgumentFields();
  for (const name of names) fields.slotOf(name);
  return fields;
}

/** What is at the slots of so many names; beyond them there is nothing. */
function read(fields: ArgumentFields, names: number, args: JsonObject): FieldValues {
  const values = fields.read(args);
  expect(values.slice(names).every((value) => value === undefined)).toBe(true);
  return values.slice(0, names);
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
    expect(read(fields, 3, { a: 1, b: 2, c: 3 })).toEqual([1, 2, 3]);
    expect(read(fields, 3, { c: 3, a: 1 })).toEqual([1, undefined, 3]);
    expect(read(fields, 3, { x: 0, b: null })).toEqual([undefined, null, undefined]);
    expect(read(fields, 3, {})).toEqual([undefined, undefined, undefined]);
    expect(read(fields, 3, { 2: "index", a: "" })).toEqual(["", undefined, undefined]);
  });

  it("stand at their slots where there are many of them", () => {
    const names = Array.from({ length: 20 }, (_, at) => `name_${at}`);
    const fields = fieldsOf(...names);
    expect(read(fields, 20, { name_19: 19, name_8: 8 })).toEqual(
      names.map((_, at) => (at === 19 || at === 8 ? at : undefined)),
    );
    expect(read(fields, 20, {})).toEqual(names.map(() => undefined));
  });

  it("share a slot under one name", () => {
    const fields = fieldsOf("a", "a", "b");
    expect([fields.slotOf("a"), fields.slotOf("b")]).toEqual([0, 1]);
  });

  it("are own properties: names that every object inherits are not given", () => {
    const fields = fieldsOf("constructor", "toString", "__proto__", "hasOwnProperty");
    expect(read(fields, 4, {})).toEqual([undefined, undefined, undefined, undefined]);
    expect(read(fields, 4, parsed('{"__proto__": 1, "constructor": 2}'))).toEqual([2, undefined, 1, undefined]);
  });

  it("are own properties even if the prototype of all objects was extended", () => {
    const fields = fieldsOf("amount", "to");
    extendPrototype("amount", 1);
    expect(read(fields, 2, { to: "x" })).toEqual([undefined, "x"]);
    expect(read(fields, 2, { to: "x", amount: 7 })).toEqual([7, "x"]);
  });
});

describe("a copy as plain JSON", () => {
  it("takes nothing from an extended prototype", () => {
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
