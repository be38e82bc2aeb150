import type { Json, JsonObject } from "../../base/json.js";
import type { ModelProvider } from "../../guard/model/public.js";
import type { ProviderCall } from "../core/provider-tools.js";
import type { Usage } from "../core/usage-cost.js";
import type { ServerEvent } from "./server-events.js";

/** A tool that a request offers to the model. */
export interface OfferedTool {
  /** The name of a tool that the application executes; what `providerTools` calls one that the provider runs itself. */
  readonly name: string;
  readonly isOfProvider: boolean;
}

/** A call as a reply has it, perhaps with arguments that cannot be read; without an id nobody can answer it. */
export interface RawCall {
  readonly id: string | null;
  /** The item of the reply. */
  readonly item: JsonObject;
}

/** What an application reports of a call. */
export interface ToolResult {
  readonly id: string;
  /** A text, or the list of parts that it consists of. */
  readonly content: Json;
  readonly isError: boolean;
}

/** Calls that were left out of a reply, and what the model is told of them. */
export interface LeftOut {
  readonly calls: readonly RawCall[];
  readonly answers: ReadonlyMap<string, string>;
}

/** The id of the reply that the application got in place of the one that it names; null if it got that one. */
export type Later = (id: string | null) => string | null;

/** What is judged of a reply that comes in events. */
export interface ReplyStream {
  /** Takes the next event: what of it flows on at once. */
  take(event: ServerEvent): readonly ServerEvent[];
  /** Whether events are kept that the application has not seen. */
  readonly isHolding: boolean;
  /** Whether the provider has ended the reply with an error, which has been passed on. */
  readonly isFailed: boolean;
  /** Whether it has calls where readers do not agree on what they are part of: then nothing more of it is passed on. */
  readonly isStrange: boolean;
  /** The body of the reply; null if it ended too early. */
  reply(): JsonObject | null;
  /** The events that were kept, with the calls of this reply alone. */
  release(reply: JsonObject): readonly ServerEvent[];
  /** The stream of the next reply, which continues this one for the application. */
  next(): ReplyStream;
}

/** One wire format: how requests, replies and their streams are read and changed. */
export interface Dialect {
  readonly provider: ModelProvider;
  tools(request: JsonObject): readonly OfferedTool[];
  /** The request with these tools alone, and with a note to the model. */
  narrowed(request: JsonObject, isKept: (tool: OfferedTool) => boolean, note: string | null): JsonObject;
  results(request: JsonObject): readonly ToolResult[];
  /** The request with other texts for some results. */
  withResults(request: JsonObject, texts: ReadonlyMap<string, string>): JsonObject;
  /** The request with the calls that were left out of earlier replies, by the id of a call beside them. */
  restored(request: JsonObject, leftOut: ReadonlyMap<string, LeftOut>): JsonObject;
  /** The request, if it continues from another reply than the application knows of. */
  followed(request: JsonObject, later: Later): JsonObject;
  /** The next request: the model gets errors for all calls of its reply. */
  answered(request: JsonObject, reply: JsonObject, answers: ReadonlyMap<string, string>): JsonObject;
  /** The request, so that its reply says what it cost. */
  withUsage(request: JsonObject): JsonObject;
  calls(reply: JsonObject): readonly RawCall[];
  providerCalls(reply: JsonObject): readonly ProviderCall[];
  /** The reply without some of its calls. */
  without(reply: JsonObject, ids: ReadonlySet<string>): JsonObject;
  /** Null if the reply does not say it. */
  usage(reply: JsonObject): Usage | null;
  stream(request: JsonObject): ReplyStream;
}
