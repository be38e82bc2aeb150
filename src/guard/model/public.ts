import type { Place } from "../../artifact/compiled-value.js";
import type { RequestWarningCode } from "../../artifact/run-time-codes.js";
import type { JsonObject } from "../../base/json.js";
import type { BlockVerdict } from "../public.js";

/** Whose bodies can be judged: `openai` for chat completions and responses, `anthropic` for messages. */
export type ModelProvider = "openai" | "anthropic";

/** A request as it is about to be sent to a model. */
export interface ModelRequest {
  readonly provider: ModelProvider;
  /** The body, as plain JSON. */
  readonly request: unknown;
  /** The body is as `JSON.parse` made it, and nobody changes it: then it is not copied. */
  readonly parsed?: true;
}

/** A response of a model. */
export interface ModelResponse {
  readonly provider: ModelProvider;
  /** The body, as plain JSON. */
  readonly response: unknown;
  /** The body of the request that it answers: its `tool_choice` may have asked for a tool. */
  readonly request?: unknown;
  /** Both bodies are as `JSON.parse` made them, and nobody changes them: then they are not copied. */
  readonly parsed?: true;
}

/** A warning that the pack gives for a request. */
export interface RequestWarning {
  readonly code: RequestWarningCode;
  /** The pattern that matched. */
  readonly pattern?: string;
  readonly message: string;
  readonly rule?: Place;
}

/** A request must not be sent. */
export interface RequestBlock extends BlockVerdict {
  /** The pattern that matched. */
  readonly pattern: string;
}

/** The verdict on a request. In shadow mode `would` is the verdict of enforce mode. */
export type RequestVerdict =
  | { readonly kind: "allow"; readonly warnings: readonly RequestWarning[]; readonly would?: RequestBlock }
  | RequestBlock;

/** The fields of `response_format_invariants`. */
export type ResponseField = "finish_reason" | "content_when_tool_calls" | "tool_calls_present";

/** A call that a model asks for, to be proposed. */
export interface ModelCall {
  /** The id that the tool's result must refer to. */
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject;
}

/** The calls of a response must not be proposed. */
export interface ResponseBlock extends BlockVerdict {
  /** The tool whose invariants are broken, and the field; neither if the response cannot be read. */
  readonly tool?: string;
  readonly field?: ResponseField;
}

/** The verdict on a response. In shadow mode `would` is the verdict of enforce mode. */
export type ResponseVerdict =
  | { readonly kind: "allow"; readonly calls: readonly ModelCall[]; readonly would?: ResponseBlock }
  | ResponseBlock;
