import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { GuardOptions } from "../../src/guard/public.js";
import { ContractViolation } from "../../src/guard/wrap/contract-violation.js";
import { artifactOf } from "./guard-artifact.js";

/** A guard of one tool that pays, at most 150 in all, with whatever else its contract is to say. */
export function payGuard(contract = "", options: GuardOptions = {}, session = ""): Promise<Guard> {
  const pack = `
#== session.yaml (with the required fields)
aggregates: [{ name: paid, metric: sum, tool: pay, path: $.amount, lte: 150, reason: At most 150 }]
${session}
#== pay.yaml (with the required fields)
side_effect: financial
${contract}
`;
  return createGuard(artifactOf(pack), { env: {}, ...options });
}

/** What the guard believes became of its only call. */
export function fateOf(guard: Guard): string {
  const { toolCalls, unsettled } = guard.state();
  if (toolCalls === 0) return "released";
  return unsettled[0]?.status ?? "committed";
}

/** What a promise was rejected with. */
export async function rejectionOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    (value) => {
      throw new Error(`no rejection, but ${JSON.stringify(value)}`);
    },
    (cause: unknown) => cause,
  );
}

/** The refusal that a call must end with. */
export async function violationOf(call: Promise<unknown>): Promise<ContractViolation> {
  const cause = await rejectionOf(call);
  if (cause instanceof ContractViolation) return cause;
  throw new Error("no violation, but another error", { cause });
}

/** An object whose every part is a trap: reading any property of it fails. */
export function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** An error whose every property throws when it is read. */
export function trappedError(): Error {
  return new Proxy(new Error("trap"), {
    get: () => {
      throw new Error("a trap");
    },
  });
}
