import type { ToolSet } from "ai";
import { foreignProperty } from "../../base/foreign-value.js";
import type { Guard } from "../../guard/guard-api.js";
import { contractOf, type ProviderTools, toolsOfServer } from "../core/provider-tools.js";
import type { RequestParams } from "./reply-parts.js";

/** The servers whose tools the provider of the model calls: they are no tools of the request. */
function serversOf({ providerOptions }: RequestParams): readonly unknown[] {
  const servers: unknown = foreignProperty(foreignProperty(providerOptions, "anthropic"), "mcpServers");
  return Array.isArray(servers) ? servers.map((server) => foreignProperty(server, "name")) : [];
}

/** Refuses a request for whose calls nobody would ask the guard: of tools that it was not given, or that have no contract. */
export function checkOffered(guard: Guard, params: RequestParams, tools: ToolSet, providerTools: ProviderTools): void {
  for (const { type, name } of params.tools ?? []) {
    if (Object.hasOwn(tools, name)) continue;
    if (type === "provider") contractOf(guard, providerTools, name);
    else
      throw new TypeError(
        `the tool ${name} is not guarded: give it to \`guardAgent\`, and no other \`tools\` after it`,
      );
  }
  for (const name of serversOf(params)) contractOf(guard, providerTools, toolsOfServer(name));
}
