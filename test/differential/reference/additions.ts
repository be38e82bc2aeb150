import type { JsonObject } from "../../../src/base/json.js";
import type { Aggregate, SessionContract } from "../../../src/language/schema/session.js";
import type { ToolContract } from "../../../src/language/schema/tool.js";

/** Where a key is read: a path into the bind's own source, `@…` into what the bind matched, or a path into a named source. */
export type KeyText = string | { readonly source?: "arguments" | "output"; readonly path: string };
type Keys = KeyText | readonly KeyText[];

/** An entry of `binds` with what language 1.1 adds. */
export interface Bind {
  readonly name: string;
  readonly source?: "arguments" | "output";
  readonly path: string;
  readonly key?: Keys;
  readonly collect?: "union";
  readonly decode?: "json";
}

export interface Unbind {
  readonly name: string;
  readonly key?: Keys;
}

/** A boolean expression that has to be true. */
export interface Requirement {
  readonly that: string;
  readonly reason: string;
}

type Names = Readonly<Record<string, string>>;

/** What language 1.1 adds to the contract of a tool. */
export interface ToolAdditions {
  readonly tool: string;
  readonly binds?: readonly Bind[];
  readonly unbinds?: readonly Unbind[];
  readonly requires?: readonly Requirement[];
  readonly ensures?: readonly Requirement[];
  readonly let?: Names;
}

/** What it adds to session.yaml. */
export interface SessionAdditions {
  readonly agent: string;
  readonly constants?: JsonObject;
  readonly timezone?: string;
  readonly slot_limits?: Readonly<Record<string, number>>;
  readonly requires?: readonly (Requirement & { readonly tools?: readonly string[] })[];
  readonly let?: Names;
  readonly tool_defaults?: Readonly<Partial<ToolContract>>;
  readonly session_limits?: { readonly max_calls_per_step?: number; readonly max_steps?: number };
}

/** A contract as one of language 1.1: every addition may be absent. */
export function additionsOf(contract: ToolContract): ToolAdditions {
  return contract;
}

/** The same of session.yaml, which a pack need not have. */
export function sessionAdditions(session: SessionContract | null): SessionAdditions {
  return session ?? { agent: "" };
}

/** The keys of a bind as a list, outer ones first. */
export function keysOf(keys: Keys | undefined): readonly KeyText[] {
  if (keys === undefined) return [];
  return isList(keys) ? keys : [keys];
}

function isList(keys: Keys): keys is readonly KeyText[] {
  return Array.isArray(keys);
}

/** The value of the arguments that an aggregate is computed per; null where it is one for the session. */
export function perOf(aggregate: Aggregate): string | null {
  const { per }: { readonly name: string; readonly per?: string } = aggregate;
  return per ?? null;
}

/** The contract of a tool with what session.yaml gives to every tool that says nothing else. */
export function withDefaults<
  T extends { readonly tools: readonly ToolContract[]; readonly session: SessionContract | null },
>(pack: T): T {
  const { tool_defaults: defaults } = sessionAdditions(pack.session);
  if (defaults === undefined) return pack;
  return { ...pack, tools: pack.tools.map((contract) => ({ ...defaults, ...contract })) };
}
