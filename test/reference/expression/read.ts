import type { ASTNode } from "@marcbachmann/cel-js";
import { rational, readDecimal, toInteger } from "./rational.js";
import type { Scope } from "./scope.js";
import { readKey, whole } from "./slots.js";
import { fromMilliseconds } from "./time.js";
import {
  boolean,
  type Entry,
  entryOf,
  type Found,
  found,
  fromJson,
  isKey,
  NULL,
  number,
  string,
  unjudgeable,
  type Value,
  WRONG_KIND,
} from "./value.js";

const MISSING = unjudgeable("a member that is missing");

/** A literal; numbers are the digits as they are written, of which the library keeps a double. */
export function readLiteral(node: Extract<ASTNode, { op: "value" }>): Value {
  const { args: value } = node;
  if (value === null) return NULL;
  if (typeof value === "string") return string(value);
  if (typeof value === "boolean") return boolean(value);
  const text = node.input.slice(node.start, node.end).replace(/[uU]$/, "");
  const digits = /^0[xX]/.test(text) ? rational(BigInt(text)) : readDecimal(text);
  if (digits === null) throw new Error(`not a literal: ${text}`);
  return number(digits);
}

/** A variable; those of macros hide the others. */
export function readVariable(name: string, { input, locals }: Scope): Found {
  const local = locals.get(name);
  if (local !== undefined) return found(local);
  switch (name) {
    case "args":
      return found(fromJson(input.args));
    case "principal":
      return input.principal === null ? MISSING : found(fromJson(input.principal));
    case "constants":
      return found(fromJson(input.constants));
    case "labels":
      return found(fromJson(input.labels));
    case "tool":
      return found(string(input.tool));
    case "now":
      return found({ kind: "timestamp", seconds: fromMilliseconds(input.now) });
    case "output":
      return input.output === undefined ? MISSING : found(fromJson(input.output));
    default:
      throw new Error(`no variable ${name}`);
  }
}

/** An item of a list, or the value under a key. */
export function readIndex(of: Value, index: Value): Found {
  if (of.kind === "keyed") return isKey(index) ? readKey(of, index) : WRONG_KIND;
  const container = whole(of);
  if (container.kind !== "value") return container;
  if (container.value.kind === "map") {
    return isKey(index) ? memberOf(container.value.entries, index) : WRONG_KIND;
  }
  if (container.value.kind !== "list" || index.kind !== "number") return WRONG_KIND;
  const at = toInteger(index.value);
  const item = at === null || at < 0n ? undefined : container.value.items[Number(at)];
  return item === undefined ? MISSING : found(item);
}

function memberOf(entries: readonly Entry[], key: Value): Found {
  const entry = entryOf(entries, key);
  return entry === undefined ? MISSING : found(entry.value);
}

/** The value under a name; lists have no members. */
export function readMember(of: Value, name: string): Found {
  return of.kind === "map" || of.kind === "keyed" ? readIndex(of, string(name)) : WRONG_KIND;
}
