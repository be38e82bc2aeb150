import type { Json } from "../../../../src/base/json.js";
import { isJsonObject } from "../../../../src/base/json.js";

/** A value of the suite in the words of the language, or why the language has none such. */
export type Literal =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "outside"; readonly why: string }
  /** Numbers that no decimal is: infinities and what is no number. */
  | { readonly kind: "no_number" };

function outside(why: string): Literal {
  return { kind: "outside", why };
}

function literal(text: string): Literal {
  return { kind: "literal", text };
}

function together(parts: readonly Literal[], join: (texts: readonly string[]) => string): Literal {
  const failed = parts.find(({ kind }) => kind !== "literal");
  if (failed !== undefined) return failed;
  return literal(join(parts.flatMap((part) => (part.kind === "literal" ? [part.text] : []))));
}

function objectLiteral(value: Json): Literal {
  if (!isJsonObject(value)) return outside("protobuf messages");
  const { "@type": type, value: content } = value;
  const name = typeof type === "string" ? type.split("/").at(-1) : "";
  if (name === "google.protobuf.Timestamp") return literal(`timestamp(${JSON.stringify(content)})`);
  if (name === "google.protobuf.Duration") return literal(`duration(${JSON.stringify(content)})`);
  return outside("protobuf messages");
}

function items(value: Json, name: string): readonly Json[] {
  const found = isJsonObject(value) ? value[name] : undefined;
  return Array.isArray(found) ? found : [];
}

function mapLiteral(value: Json): Literal {
  const entries = items(value, "entries").map((entry) => {
    if (!isJsonObject(entry)) return outside("a map without entries");
    return together([literalOf(entry.key ?? null), literalOf(entry.value ?? null)], ([k, v]) => `${k}: ${v}`);
  });
  return together(entries, (texts) => `{${texts.join(", ")}}`);
}

/** The text that makes a value of the suite. */
export function literalOf(value: Json): Literal {
  if (!isJsonObject(value)) return outside("a value of no kind");
  const [[kind, content] = ["", null]] = Object.entries(value);
  switch (kind) {
    case "int64Value":
    case "uint64Value":
    case "boolValue":
      return literal(String(content));
    case "doubleValue":
      return typeof content === "number" ? literal(String(content)) : { kind: "no_number" };
    case "stringValue":
      return literal(JSON.stringify(content));
    case "nullValue":
      return literal("null");
    case "listValue":
      return together(items(content, "values").map(literalOf), (texts) => `[${texts.join(", ")}]`);
    case "mapValue":
      return mapLiteral(content);
    case "objectValue":
      return objectLiteral(content);
    case "bytesValue":
      return outside("bytes");
    case "typeValue":
      return outside("types as values");
    default:
      return outside("enumerations");
  }
}

function isSafe(value: Json | undefined): boolean {
  return Number.isSafeInteger(Number(value));
}

/** A value of the suite as JSON, as arguments hold it; undefined where JSON has none such. */
export function jsonOf(value: Json): Json | undefined {
  if (!isJsonObject(value)) return undefined;
  const [[kind, content] = ["", null]] = Object.entries(value);
  switch (kind) {
    case "int64Value":
    case "uint64Value":
      return isSafe(content) ? Number(content) : undefined;
    case "doubleValue":
      return typeof content === "number" ? content : undefined;
    case "boolValue":
    case "stringValue":
      return content;
    case "nullValue":
      return null;
    case "listValue": {
      const values = items(content, "values").map(jsonOf);
      return values.some((item) => item === undefined) ? undefined : values.map((item) => item ?? null);
    }
    case "mapValue":
      return jsonMap(content);
    default:
      return undefined;
  }
}

function jsonMap(content: Json): Json | undefined {
  const members = items(content, "entries").map((entry): [string, Json] | null => {
    const [key, value] = isJsonObject(entry) ? [entry.key, jsonOf(entry.value ?? null)] : [];
    const name = isJsonObject(key) ? key.stringValue : undefined;
    return typeof name === "string" && value !== undefined ? [name, value] : null;
  });
  const known = members.flatMap((pair) => (pair === null ? [] : [pair]));
  return known.length === members.length ? Object.fromEntries(known) : undefined;
}
