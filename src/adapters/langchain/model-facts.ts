import { foreignProperty } from "../../base/foreign-value.js";
import type { ModelProvider } from "../../guard/model/public.js";
import { asSent } from "../core/as-sent.js";
import type { ModelRequest } from "./framework.js";

/** What a model tells of itself and of the requests that it makes. */
export interface ModelFacts {
  readonly name: string;
  readonly provider: ModelProvider | null;
  /** The body of the request but for its messages; undefined where the model does not tell it. */
  readonly body: unknown;
}

function called(target: unknown, method: string, ...args: readonly unknown[]): unknown {
  const found = foreignProperty(target, method);
  return typeof found === "function" ? found.apply(target, args) : undefined;
}

/** A model that is named by a text is made for each request. */
async function instanceOf(model: unknown): Promise<unknown> {
  return (await called(model, "_getModelInstance")) ?? model;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Asks a model how it will send a request, as its own class knows it. */
export async function factsOf({ model, tools, toolChoice, modelSettings }: ModelRequest): Promise<ModelFacts> {
  const own = await instanceOf(model);
  const facts = called(own, "getLsParams", {});
  const provider = textOf(foreignProperty(facts, "ls_provider"));
  const settings = { ...modelSettings, ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }) };
  const bound = tools.length === 0 ? undefined : called(own, "bindTools", tools, settings);
  const options =
    bound === undefined
      ? settings
      : { ...Object(foreignProperty(bound, "config")), ...Object(foreignProperty(bound, "kwargs")) };
  const params = called(own, "invocationParams", options);
  return {
    name: textOf(foreignProperty(facts, "ls_model_name")) ?? textOf(foreignProperty(own, "model")) ?? "unknown",
    provider: provider === "openai" || provider === "azure" ? "openai" : provider === "anthropic" ? "anthropic" : null,
    body: params === undefined ? undefined : asSent(params),
  };
}
