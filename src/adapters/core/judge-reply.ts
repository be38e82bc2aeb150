import type { Guard } from "../../guard/guard-api.js";
import type { ModelCall, ModelResponse } from "../../guard/model/public.js";
import type { BlockVerdict } from "../../guard/public.js";
import type { JudgedCall } from "./gate.js";
import { countProviderCalls, type ProviderCall, type ProviderTools } from "./provider-tools.js";
import { costOf, type Prices, type Usage } from "./usage-cost.js";

/** The reply does not say what it used, so nobody knows what it cost. */
export class CostUnknown extends Error {
  constructor() {
    super("the reply does not say what it used, so its cost cannot be counted");
  }
}

/** A reply, as an adapter read it. */
export interface GivenReply {
  readonly given: ModelResponse;
  /** The model as the reply names it, and as the request did: a server may call it otherwise. */
  readonly models: readonly string[];
  readonly usage: Usage | null;
  /** The calls that the provider has run itself. */
  readonly made: readonly ProviderCall[];
  /** The application has given up when this aborts. */
  readonly signal: AbortSignal | undefined;
}

/** What decides about a reply, whoever judges its calls. */
export interface ReplyRules<C extends JudgedCall> {
  readonly prices: Prices | null;
  readonly providerTools: ProviderTools;
  /** Judges its calls in their order. */
  readonly judge: (calls: readonly ModelCall[]) => Promise<readonly C[]>;
  /** Gives up what was reserved for them. */
  readonly release: (calls: readonly C[]) => Promise<void>;
}

/** The calls of a reply, judged; or why it is refused as a whole. */
export type JudgedReply<C extends JudgedCall> =
  | { readonly kind: "judged"; readonly calls: readonly C[] }
  | BlockVerdict;

async function recordCost(guard: Guard, { models, usage }: GivenReply, prices: Prices): Promise<void> {
  const costs = usage === null ? [] : models.map((model) => costOf(prices, model, usage));
  const cost = costs.find((each) => each !== null);
  if (cost === undefined || cost === null) throw new CostUnknown();
  await guard.recordCost(cost);
}

/**
 * Judges a reply before any of its calls is made: what it cost and what the provider has run is counted, then it is judged as a whole,
 * and then each call.
 */
export async function judgeReply<C extends JudgedCall>(
  guard: Guard,
  reply: GivenReply,
  { prices, providerTools, judge, release }: ReplyRules<C>,
): Promise<JudgedReply<C>> {
  if (prices !== null) await recordCost(guard, reply, prices);
  await countProviderCalls(guard, reply.made, providerTools);
  const verdict = guard.checkResponse(reply.given);
  const judged: JudgedReply<C> =
    verdict.kind === "block" ? verdict : { kind: "judged", calls: await judge(verdict.calls) };
  if (reply.signal?.aborted !== true) return judged;
  if (judged.kind === "judged") await release(judged.calls);
  throw reply.signal.reason;
}
