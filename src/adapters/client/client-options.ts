import type { RequestWarning } from "../../guard/model/public.js";
import type { Gate } from "../core/gate.js";
import type { Narrowing } from "../core/narrowing.js";
import type { Prices } from "../core/usage-cost.js";

/** How a client of a provider is guarded. */
export interface ClientOptions {
  /** What happens to the other calls of a reply of which one is refused; "reject_all" by default: none of them is made. */
  readonly gate?: Gate;
  /** Whether the model is told which tools were left out of a request, and why; "silent" by default. */
  readonly narrowing?: Narrowing;
  /** Counts the cost of replies. A model without a price is refused then. */
  readonly prices?: Prices;
  /**
   * The contracts of tools that the provider runs itself, by their names: `{ web_search: "search" }`, `{ "mcp:github": "github" }`. A
   * request with another one is refused.
   */
  readonly providerTools?: Readonly<Record<string, string>>;
  /** Gets the warnings of `provider_constraints`. */
  readonly onWarning?: (warning: RequestWarning) => void;
}
