import { isJsonList, isJsonObject, type Json, type TypeName, typeOf } from "../base/json.js";
import type { CompiledSchema, SchemaNode, SchemaTest } from "./compiled-schema.js";

type Steps = readonly (string | number)[];

/** The types of values that can be compared as one text. */
export const SCALARS: readonly TypeName[] = ["string", "number", "integer", "boolean"];

function isScalarAt(value: Json | undefined, steps: Steps): boolean {
  let at = value;
  for (const step of steps) {
    if (isJsonList(at)) at = typeof step === "number" ? at.at(step) : undefined;
    else at = isJsonObject(at) && typeof step === "string" && Object.hasOwn(at, step) ? at[step] : undefined;
  }
  return at !== undefined && SCALARS.includes(typeOf(at));
}

/** With more definitions on the way the answer is that a value may be there; each takes some of the stack. */
const MOST_DEFINITIONS = 500;

/** One question about one schema. */
class Search {
  /** By definition and length of the rest of the path; a definition that needs itself rules nothing out. */
  private readonly known = new Map<string, boolean>();

  constructor(private readonly defs: CompiledSchema["defs"]) {}

  mayHave(node: SchemaNode, steps: Steps): boolean {
    return typeof node === "boolean" ? node : node.every((test) => this.allows(test, steps));
  }

  private allows(test: SchemaTest, steps: Steps): boolean {
    const [step, ...rest] = steps;
    switch (test.kind) {
      case "type": {
        const needed = step === undefined ? SCALARS : [typeof step === "string" ? "object" : "array"];
        return test.types.some((type) => needed.includes(type));
      }
      case "enum":
        return test.values.some((value) => isScalarAt(value, steps));
      case "const":
        return isScalarAt(test.value, steps);
      case "all_of":
        return test.nodes.every((node) => this.mayHave(node, steps));
      case "any_of":
      case "one_of":
        return test.nodes.some((node) => this.mayHave(node, steps));
      case "ref":
        return this.mayHaveDefined(test.def, steps);
      default:
        if (typeof step === "string") return this.allowsName(test, step, rest);
        return step === undefined || step < 0 || this.allowsIndex(test, step, rest);
    }
  }

  private allowsName(test: SchemaTest, name: string, rest: Steps): boolean {
    switch (test.kind) {
      case "properties":
        return test.entries.every((entry) => entry.name !== name || this.mayHave(entry.node, rest));
      case "additional_properties":
        // A name that a pattern may match counts as matched.
        return test.names.includes(name) || test.patterns.length > 0 || this.mayHave(test.node, rest);
      case "max_properties":
        return test.count > 0;
      default:
        return true;
    }
  }

  private allowsIndex(test: SchemaTest, index: number, rest: Steps): boolean {
    switch (test.kind) {
      case "items":
        return index < test.from || this.mayHave(test.node, rest);
      case "prefix_items":
        return this.mayHave(test.nodes[index] ?? true, rest);
      case "max_items":
        return index < test.count;
      default:
        return true;
    }
  }

  private mayHaveDefined(def: number, steps: Steps): boolean {
    const key = `${def} ${steps.length}`;
    const known = this.known.get(key);
    if (known !== undefined || this.known.size >= MOST_DEFINITIONS) return known ?? true;
    this.known.set(key, true);
    const found = this.mayHave(this.defs[def] ?? true, steps);
    this.known.set(key, found);
    return found;
  }
}

/** Whether a value that the schema accepts may have a text, a number or a truth value at the place; false is certain. */
export function mayHaveScalar({ root, defs }: CompiledSchema, steps: Steps): boolean {
  return new Search(defs).mayHave(root, steps);
}
