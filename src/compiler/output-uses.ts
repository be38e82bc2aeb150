import type { Span } from "../diagnostics/source.js";
import { keySpan, valueSpan } from "../language/located.js";
import type { NamedTool } from "./named-tool.js";
import type { RuleContext } from "./rule-context.js";
import { writtenKeys } from "./slot-forms.js";

/** A rule that reads the output of a tool. */
export interface OutputUse {
  readonly tool: NamedTool;
  readonly use: string;
  readonly span: Span;
}

/** Every place that reads the output of a tool of the pack. */
export function* outputUses(context: RuleContext): Generator<OutputUse> {
  for (const tool of context.tools) {
    for (const bind of tool.contract.binds ?? []) {
      if (bind.source === "output") yield { tool, use: "the bind", span: valueSpan(bind, "source") };
    }
    for (const entry of [...(tool.contract.binds ?? []), ...(tool.contract.unbinds ?? [])]) {
      for (const { span, part } of writtenKeys(entry)) {
        if (typeof part === "object" && part.source === "output") yield { tool, use: "the key", span };
      }
    }
    const { ensures } = tool.contract;
    if (ensures !== undefined && ensures.length > 0)
      yield { tool, use: "`ensures`", span: keySpan(tool.contract, "ensures") };
    for (const precondition of tool.contract.preconditions ?? []) {
      const prior = context.toolsByName.get(precondition.requires_prior_tool ?? "");
      if (prior === undefined || precondition.with_output === undefined) continue;
      yield { tool: prior, use: "`with_output`", span: keySpan(precondition, "with_output") };
    }
  }
  for (const { stages } of context.session?.envelopes ?? []) {
    for (const stage of stages ?? []) {
      const tool = context.toolsByName.get(stage.tool ?? "");
      if (tool !== undefined && stage.source === "output")
        yield { tool, use: "the stage", span: valueSpan(stage, "source") };
    }
  }
}
