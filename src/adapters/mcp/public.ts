/** What `contract-guard/mcp` exports. */
export type { FetchOptions, GuardOf, HandleOf } from "./http-sessions.js";
export { type GuardedServer, type ServeOptions, serveGuarded } from "./serve-guarded.js";
export type { ClientName, UpstreamTarget } from "./upstream.js";
