import type { CompiledCheck, CompiledTool } from "../../artifact/compiled.js";
import { readsPrincipal } from "../../artifact/expression-parts.js";
import type { SessionContract } from "../../language/schema/session.js";
import type { ToolContract, Requirement as ToolRequirement } from "../../language/schema/tool.js";
import { judgedIn, packExpressions } from "../expression/pack-expressions.js";
import type { RuleContext } from "../rule-context.js";
import { nothingLeft, placeIn } from "./lower-value.js";

type Requirement = NonNullable<CompiledTool["ensures"]>[number];

/** `fields` are those of the entry that the caller does not use. */
function lowerRequirement(entry: object, fields: ToolRequirement): Requirement {
  const { that: _, reason, ...rest } = fields;
  nothingLeft(rest);
  return { at: placeIn(entry), reason, that: judgedIn(entry) };
}

/** What a tool requires of its calls. */
export function toolRequirements({ requires = [] }: ToolContract): readonly CompiledCheck[] {
  return requires.map((entry) => ({ kind: "requires", ...lowerRequirement(entry, entry) }));
}

/** What session.yaml requires of the calls of a tool; null for tools without a contract. */
export function sessionRequirements(session: SessionContract | null, tool: string | null): readonly CompiledCheck[] {
  return (session?.requires ?? []).flatMap((entry): readonly CompiledCheck[] => {
    const { tools, that, reason, ...rest } = entry;
    nothingLeft(rest);
    const isFor = tools === undefined || (tool !== null && tools.includes(tool));
    return isFor ? [{ kind: "requires", ...lowerRequirement(entry, { that, reason }) }] : [];
  });
}

/** What a tool ensures of its outputs; absent where it ensures nothing. */
export function lowerEnsures({ ensures = [] }: ToolContract): Pick<CompiledTool, "ensures"> {
  return ensures.length === 0 ? {} : { ensures: ensures.map((entry) => lowerRequirement(entry, entry)) };
}

/** Whether judging an expression of the pack needs a principal. */
export function expressionsNeedPrincipal(context: RuleContext): boolean {
  return packExpressions(context).uses.some(({ result }) => result.ok && readsPrincipal(result.expression.tree));
}
