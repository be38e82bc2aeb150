import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { quoted } from "../../diagnostics/wording.js";
import { valueSpan } from "../../language/located.js";
import type { Link } from "./schema-tree.js";
import { TEXT } from "./shapes.js";
import { bad, read, type Site } from "./site.js";

const NAMED_HELP = "refer to the schema by a JSON Pointer, such as `#/$defs/name`";
const REMOTE_HELP = "copy the schema under `$defs` and refer to it as `#/$defs/name`";

function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch (cause) {
    if (cause instanceof URIError) return undefined;
    throw cause;
  }
}

function childOf(value: Json, token: string): Json | undefined {
  const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
  if (isJsonObject(value)) return Object.hasOwn(value, name) ? value[name] : undefined;
  // RFC 6901, section 4: an index has no leading zeros.
  if (!Array.isArray(value) || !/^(?:0|[1-9][0-9]*)$/.test(name)) return undefined;
  return value[Number(name)];
}

/** What a JSON Pointer in a URI fragment (RFC 6901, section 6) leads to. */
function resolve(base: JsonObject, ref: string): Json | undefined {
  const pointer = decodeFragment(ref.slice(1));
  if (pointer === undefined) return undefined;
  let value: Json | undefined = base;
  for (const token of pointer.split("/").slice(1)) value = value === undefined ? undefined : childOf(value, token);
  return value;
}

/** The local ref of a schema; its target is read later. */
export function readRef(site: Site): Link | null {
  const key = "$ref";
  const ref = read(site, key, TEXT);
  if (ref === undefined) return null;
  const span = valueSpan(site.json, key);
  if (ref !== "#" && !ref.startsWith("#/")) {
    const help = ref.startsWith("#") ? NAMED_HELP : REMOTE_HELP;
    site.reading.problems.push({ kind: "unsupported_schema_keyword", span, keyword: key, help });
    return null;
  }
  const target = resolve(site.base, ref);
  if (typeof target === "boolean") return { span, target };
  if (!isJsonObject(target)) {
    const found = target === undefined ? "nothing" : "a value that is not a schema";
    bad(site, span, `\`$ref\` must lead to a schema, but ${quoted(ref)} leads to ${found}`);
    return null;
  }
  const link: Link = { span, target: false };
  site.reading.links.push({ link, json: target, base: site.base });
  return link;
}
