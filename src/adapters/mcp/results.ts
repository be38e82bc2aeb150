import type { CallToolResult } from "@modelcontextprotocol/server";
import { clean } from "../../base/clean.js";
import { cut } from "../../base/wording.js";
import { type Refusal, textOf } from "../core/refusal.js";
import { outputOfText } from "../core/text-output.js";

/** A call that is not made, as the error of a tool, so that the model reads why. */
export function refusedResult(refusal: Refusal): CallToolResult {
  const { reason, because, hint } = refusal.verdict;
  const details = {
    reason,
    ...(because === undefined ? {} : { because }),
    ...(hint === undefined ? {} : { hint }),
  };
  return {
    isError: true,
    content: [{ type: "text", text: textOf(refusal) }],
    _meta: { "contract-guard/refusal": details },
  };
}

/** A call without a result, for reasons that are not the contract's. */
export function failedResult(message: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text: clean(cut(message)) }] };
}

/** The text of a result whose only content it is; null otherwise. */
function onlyText({ content }: CallToolResult): string | null {
  const [block, ...others] = content;
  return block?.type === "text" && others.length === 0 ? block.text : null;
}

/**
 * What rules on outputs judge of a result: its structured content; without one the object or list that its only text is, or
 * that text; otherwise the list of its contents.
 */
export function outputOf(result: CallToolResult): unknown {
  if (result.structuredContent !== undefined) return result.structuredContent;
  const text = onlyText(result);
  if (text === null) return { content: result.content };
  return outputOfText(text);
}
