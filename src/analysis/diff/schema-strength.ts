import type { CompiledSchema, SchemaNode, SchemaTest } from "../../artifact/compiled-schema.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { all, inverse, ofLower, ofPermitted, ofUpper, type Strength } from "./strength.js";

type TestOf<K extends SchemaTest["kind"]> = Extract<SchemaTest, { readonly kind: K }>;

function ofProperties(before: TestOf<"properties">, after: TestOf<"properties">): Strength {
  const names = new Set([...before.entries, ...after.entries].map(({ name }) => name));
  const nodeOf = ({ entries }: TestOf<"properties">, name: string): SchemaNode =>
    entries.find((entry) => entry.name === name)?.node ?? true;
  return all([...names].map((name) => ofNode(nodeOf(before, name), nodeOf(after, name))));
}

function ofNumbers(before: SchemaTest, after: SchemaTest): Strength {
  const numberOf = (test: SchemaTest) => ("value" in test ? test.value : "count" in test ? test.count : null);
  const [from, to] = [numberOf(before), numberOf(after)];
  if (typeof from !== "number" || typeof to !== "number") return "unclear";
  if (/^(?:max|exclusive_max)/.test(before.kind)) return ofUpper(from, to);
  return /^(?:min|exclusive_min)/.test(before.kind) ? ofLower(from, to) : "unclear";
}

/** Two different tests of one kind. */
function ofTest(before: SchemaTest, after: SchemaTest): Strength {
  if (before.kind === "properties" && after.kind === "properties") return ofProperties(before, after);
  if (before.kind === "required" && after.kind === "required") return inverse(ofPermitted(before.names, after.names));
  if (before.kind === "enum" && after.kind === "enum") {
    return ofPermitted(before.values.map(canonicalJson), after.values.map(canonicalJson));
  }
  if (before.kind === "type" && after.kind === "type") return ofPermitted(before.types, after.types);
  return ofNumbers(before, after);
}

function ofNode(before: SchemaNode, after: SchemaNode): Strength {
  if (canonicalJson(before) === canonicalJson(after)) return "same";
  if (before === false || after === true) return "looser";
  if (before === true || after === false) return "tighter";
  const kinds = [...before, ...after].map(({ kind }) => kind);
  return all(
    [...new Set(kinds)].map((kind) => {
      const [old, current] = [before, after].map((tests) => tests.find((test) => test.kind === kind));
      if (old === undefined) return "tighter";
      if (current === undefined) return "looser";
      return canonicalJson(old) === canonicalJson(current) ? "same" : ofTest(old, current);
    }),
  );
}

/** Of the definition of a tool's arguments. */
export function ofSchema(before: CompiledSchema, after: CompiledSchema): Strength {
  if (canonicalJson(before.defs) !== canonicalJson(after.defs)) return "unclear";
  return ofNode(before.root, after.root);
}
