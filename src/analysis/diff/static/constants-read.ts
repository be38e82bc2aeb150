import { type CompiledPack, expressionsOf } from "../../../artifact/compiled.js";
import type { JudgedExpression } from "../../../artifact/expression.js";
import { constantsIn } from "../../../artifact/expression-parts.js";
import type { RuleBody } from "../../../artifact/pack-rules.js";
import { canonicalJson } from "../../../base/canonical-json.js";
import type { AsStrong } from "./strength.js";

/** The names of the constants that expressions read. */
function namesIn(expressions: readonly JudgedExpression[]): readonly string[] {
  return [...new Set(expressions.flatMap(({ tree }) => [...constantsIn(tree)]))];
}

function expressionsIn(body: RuleBody): readonly JudgedExpression[] {
  switch (body.kind) {
    case "requires":
    case "checkpoint":
      return expressionsOf(body);
    case "ensures":
      return [body.requirement.that];
    default:
      return [];
  }
}

function isSame(name: string, one: CompiledPack, other: CompiledPack): boolean {
  return canonicalJson(one.constants?.[name] ?? null) === canonicalJson(other.constants?.[name] ?? null);
}

type Compared = { readonly before: CompiledPack; readonly after: CompiledPack };

/** The constants that a rule reads and that have another value in the new pack: the same words mean something else then. */
export function changedConstants(body: RuleBody, { before, after }: Compared): readonly string[] {
  return namesIn(expressionsIn(body)).filter((name) => !isSame(name, before, after));
}

/** Whether all constants that the old rule reads have their values. */
export const areConstantsKept: AsStrong<RuleBody> = (_after, before, reading) =>
  changedConstants(before, reading).length === 0;

/** Whether all constants that some rule of the old pack reads have their values; others mean nothing. */
export const arePackConstantsKept: AsStrong<CompiledPack> = (after, before) => {
  const checks = [...before.tools.flatMap((tool) => tool.checks), ...before.unmatched_checks].flatMap(expressionsOf);
  const ensured = before.tools.flatMap(({ ensures = [] }) => ensures.map(({ that }) => that));
  return namesIn([...checks, ...ensured]).every((name) => isSame(name, before, after));
};

/** The values of constants, to be read after the words of a rule. */
export function constantsText(names: readonly string[], { constants = {} }: CompiledPack): string {
  return names.map((name) => `constants.${name} = ${canonicalJson(constants[name] ?? null)}`).join(", ");
}
