import type { Artifact } from "../artifact/compiled.js";
import { isDurableStore } from "./durable/is-durable-store.js";
import { checkedOptions, checkWorkflow } from "./guard-options.js";
import { ledgerTimes } from "./ledger-times.js";
import { prepareProgram } from "./program/prepare-program.js";
import type { Program } from "./program/program.js";
import type { GuardOptions } from "./public.js";
import {
  environmentOf,
  packOf,
  type ResolvedOptions,
  requireVariables,
  resolveOptions,
  trustedArtifact,
} from "./resolved-options.js";
import { EventLog } from "./session/event-log.js";
import { Ledger } from "./session/ledger.js";

/** The parts of a guard. */
export interface GuardParts {
  readonly program: Program;
  readonly ledger: Ledger;
  readonly options: ResolvedOptions;
  readonly resolver: GuardOptions["resolver"];
}

/**
 * Checks what a guard is given and makes its parts. The session is read from the store. Unset variables are rejected, unless
 * `isLenient`: then the rules that compare with them block.
 */
export async function guardParts(
  artifact: Artifact | null,
  given: GuardOptions,
  isLenient = false,
): Promise<GuardParts> {
  const checked = checkedOptions(given);
  const trusted = trustedArtifact(artifact);
  checkWorkflow(trusted, checked.workflow);
  const pack = packOf(trusted, checked.role);
  const options = resolveOptions(checked, pack);
  const program = prepareProgram(trusted, pack, { env: environmentOf(checked), principal: options.principal });
  if (!isLenient && checked.env !== "lenient") requireVariables(program);
  const { store } = checked;
  if (isDurableStore(store)) {
    // Loaded when it is needed: most of it is of no use to a session in memory.
    const { openSession } = await import("./durable/open-session.js");
    const { ledger, clock, recording } = await openSession(store, program, { options, given: checked });
    return { program, ledger, options: { ...options, clock, recording }, resolver: checked.resolver };
  }
  const log = store === undefined ? null : new EventLog(store, options.sessionId);
  const ledger = new Ledger(program, { log, ...ledgerTimes(checked) });
  await ledger.open();
  return { program, ledger, options, resolver: checked.resolver };
}
