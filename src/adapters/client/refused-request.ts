import { clean } from "../../base/clean.js";
import { foreignErrorName } from "../../base/foreign-value.js";
import type { BlockVerdict } from "../../guard/public.js";
import { ContractViolation } from "../../guard/wrap/contract-violation.js";
import { CostUnknown } from "../core/judge-reply.js";
import { UnlistedTool } from "../core/provider-tools.js";
import { refusalText } from "../core/refusal.js";
import type { ServerEvent } from "./server-events.js";

/** Why a request gets no reply of the model: a refusal of the guard, or something that the guard cannot judge. */
export interface Stop {
  readonly code: string;
  readonly message: string;
  readonly because?: string;
  readonly hint?: string;
}

/** A refusal of the guard. */
export function stopOf(verdict: BlockVerdict): Stop {
  const { reason, because, hint } = verdict;
  return {
    code: reason,
    message: refusalText(verdict),
    ...(because === undefined ? {} : { because }),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** A tool that the provider runs without a contract. */
export function unlisted(name: string): Stop {
  return {
    code: "provider_tool_refused",
    message: `\`${name}\` is run by the provider and has no contract`,
    hint: "name its contract in `providerTools`",
  };
}

/** Why nothing could be judged, or what was found in a reply that has happened; the errors of the guard are safe to show. */
export function stopAfter(cause: unknown): Stop {
  if (cause instanceof ContractViolation) return stopOf(cause.verdict);
  if (cause instanceof UnlistedTool) return unlisted(cause.tool);
  if (cause instanceof CostUnknown) return { code: "cost_unknown", message: cause.message };
  if (cause instanceof TypeError) return { code: "request_not_judged", message: cause.message };
  return { code: "guard_fault", message: `the request could not be judged: ${foreignErrorName(cause)}` };
}

function bodyOf({ code, message, ...more }: Stop) {
  return { type: "error", error: { type: "contract_violation", code, message: clean(message), param: null, ...more } };
}

/** The answer instead of the provider's. It is no error of the network, so that no SDK tries again. */
export function refusedResponse(stop: Stop): Response {
  return Response.json(bodyOf(stop), { status: 403, headers: { "x-should-retry": "false" } });
}

/** The same in a stream that has begun. */
export function refusedEvent(stop: Stop): ServerEvent {
  return { name: "error", data: JSON.stringify(bodyOf(stop)) };
}

/** A request that nothing here can read. */
export function unjudged(path: string): Stop {
  const message = `requests to ${clean(path)} are not judged, and calls of tools may pass in them`;
  return { code: "request_not_judged", message, hint: "make them with a client that is not guarded" };
}
