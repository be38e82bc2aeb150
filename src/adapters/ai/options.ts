import type { generateText, ToolSet } from "ai";
import type { ModelProvider, RequestWarning } from "../../guard/model/public.js";
import type { Gate } from "../core/gate.js";
import type { Narrowing } from "../core/narrowing.js";
import type { ProviderTools } from "../core/provider-tools.js";
import type { Prices } from "../core/usage-cost.js";

/** The function that prepares each step; its type as the SDK declares it differs between versions. */
export type PrepareStep<TOOLS extends ToolSet> = NonNullable<Parameters<typeof generateText<TOOLS>>[0]["prepareStep"]>;

/** How an agent of the AI SDK is guarded. */
export interface AgentOptions<TOOLS extends ToolSet> {
  /** The tools of the agent, each with an `execute`, or run by the provider of the model. */
  readonly tools: TOOLS;
  /** What happens to the other calls of a reply of which one is refused: by default none of them is made ("reject_all"). */
  readonly gate?: Gate;
  /** Whether the model is told which tools it cannot call now, and why: "silent" by default. */
  readonly narrowing?: Narrowing;
  /** Prices of the models, in US dollars for a million tokens. With them the cost of each reply is recorded. */
  readonly prices?: Prices;
  /** The contracts of tools that the provider of the model runs itself; others of these are not accepted. */
  readonly providerTools?: ProviderTools;
  /** Whose constraints requests are judged by, where the name of the model's provider does not say it; null for nobody's. */
  readonly provider?: ModelProvider | null;
  /** Gets the warnings of `provider_constraints`. */
  readonly onWarning?: (warning: RequestWarning) => void;
  /**
   * Who answers requests for approvals: somebody elsewhere, while the call waits ("manual", the default), or the user, by the SDK's own
   * approval requests and responses ("sdk"). The guard has to wait for the answer, so its own `approver` is "manual".
   */
  readonly approver?: "manual" | "sdk";
  /** The name under which answers of the user are recorded: "user" by default. */
  readonly approvedBy?: string;
  /** The agent's own function for each step. It is called first. */
  readonly prepareStep?: PrepareStep<TOOLS>;
}

/** What `generateText` and `streamText` get. */
export interface GuardedAgent<TOOLS extends ToolSet> {
  readonly tools: TOOLS;
  readonly prepareStep: PrepareStep<TOOLS>;
}
