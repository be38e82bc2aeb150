import type { Span } from "../diagnostics/source.js";
import { valueSpan } from "../language/located.js";
import type { RuleContext } from "./rule-context.js";

/** A name in a claim about roles. */
export interface ClaimedName {
  readonly name: string;
  readonly span: Span;
}

/** Every place in claims.yaml that names a role. */
export function* claimedRoles({ claims }: RuleContext): Generator<ClaimedName> {
  for (const { never, at_most: most } of claims?.claims ?? []) {
    for (const entry of [never, never?.while, most]) {
      if (entry?.role !== undefined) yield { name: entry.role, span: valueSpan(entry, "role") };
    }
  }
}

/** Every tool that a claim names for sessions of a role. */
export function* claimedTools({ claims }: RuleContext): Generator<ClaimedName> {
  for (const { never } of claims?.claims ?? []) {
    if (never?.role !== undefined && never.tool !== undefined)
      yield { name: never.tool, span: valueSpan(never, "tool") };
  }
}

/** Every resource that a claim names, and the role that holds it. */
export function* claimedHolds({ claims }: RuleContext): Generator<ClaimedName & { readonly role: string | undefined }> {
  for (const { never } of claims?.claims ?? []) {
    const held = never?.while;
    if (held?.holds !== undefined) yield { name: held.holds, span: valueSpan(held, "holds"), role: held.role };
  }
}
