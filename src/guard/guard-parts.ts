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

/** How a guard is made, beside what its options say. */
export interface GuardSetting {
  /** Nothing enforces a workflow here, so that an artifact with one is rejected. */
  readonly isAlone?: boolean;
  /** Unset variables are accepted: the rules that compare with them block. */
  readonly isLenient?: boolean;
  /** The role of a workflow whose pack is enforced. */
  readonly role?: string | undefined;
}

/** A guard without its session. */
export interface PreparedGuard {
  readonly program: Program;
  readonly options: ResolvedOptions;
  /** The options as they were given. */
  readonly given: GuardOptions;
}

/** The parts of a guard. */
export interface GuardParts {
  readonly program: Program;
  readonly ledger: Ledger;
  readonly options: ResolvedOptions;
  readonly resolver: GuardOptions["resolver"];
}

/** Checks what a guard is given, and prepares everything that does not depend on its session. */
export function prepareGuard(
  artifact: Artifact | null,
  given: GuardOptions,
  { isAlone = false, isLenient = false, role }: GuardSetting,
): PreparedGuard {
  const checked = checkedOptions(given);
  const trusted = trustedArtifact(artifact);
  if (isAlone) checkWorkflow(trusted);
  const pack = packOf(trusted, role);
  const options = resolveOptions(checked, pack);
  const program = prepareProgram(trusted, pack, { env: environmentOf(checked), principal: options.principal });
  if (!isLenient && checked.env !== "lenient") requireVariables(program);
  return { program, options, given: checked };
}

/** Makes the parts of a guard. The session is read from the store. */
export async function guardParts(
  artifact: Artifact | null,
  given: GuardOptions,
  setting: GuardSetting,
): Promise<GuardParts> {
  const { program, options, given: checked } = prepareGuard(artifact, given, setting);
  const { store } = checked;
  if (isDurableStore(store)) {
    // Loaded when it is needed: most of it is of no use to a session in memory.
    const { openSession } = await import("./durable/open-session.js");
    const { role = null } = setting;
    const { ledger, clock, recording } = await openSession(store, program, { options, given: checked, role });
    return { program, ledger, options: { ...options, clock, recording }, resolver: checked.resolver };
  }
  const log = store === undefined ? null : new EventLog(store, options.sessionId);
  const ledger = new Ledger(program, { log, ...ledgerTimes(checked) });
  await ledger.open();
  return { program, ledger, options, resolver: checked.resolver };
}
