import type { AgentMiddleware } from "langchain";

/** The types of the hooks, which the package does not export by names of their own. */
type ModelHook = NonNullable<AgentMiddleware["wrapModelCall"]>;
type ToolHook = NonNullable<AgentMiddleware["wrapToolCall"]>;
export type ModelRequest = Parameters<ModelHook>[0];
export type ModelHandler = Parameters<ModelHook>[1];
export type ToolRequest = Parameters<ToolHook>[0];
export type ToolHandler = Parameters<ToolHook>[1];
/** A message, or a command to the graph. */
export type ToolResult = Awaited<ReturnType<ToolHandler>>;
