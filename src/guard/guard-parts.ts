import type { Artifact } from "../artifact/compiled.js";
import { checkedOptions } from "./guard-options.js";
import { checkWorkflow, keepingOf } from "./keeping.js";
import { prepareProgram } from "./program/prepare-program.js";
import type { Program } from "./program/program.js";
import type { GuardOptions } from "./public.js";
import {
  environmentOf,
  packOf,
  requireVariables,
  type Setting,
  settingOf,
  trustedArtifact,
} from "./resolved-options.js";
import { Ledger } from "./session/ledger.js";

/** What a guard is made of. */
export interface GuardParts {
  readonly program: Program;
  readonly ledger: Ledger;
  readonly setting: Setting;
}

/**
 * Checks what a guard is given and makes its parts. The session holds what the store knows of it. Variables that are not set
 * are refused unless `isLenient`; then the rules that compare with them block.
 */
export async function guardParts(
  artifact: Artifact | null,
  given: GuardOptions,
  isLenient = false,
): Promise<GuardParts> {
  const options = checkedOptions(given);
  const trusted = trustedArtifact(artifact);
  checkWorkflow(trusted, options.workflow);
  const pack = packOf(trusted, options.role);
  const setting = settingOf(options, pack);
  const program = prepareProgram(trusted, pack, { env: environmentOf(options), principal: setting.principal });
  if (!isLenient && options.env !== "lenient") requireVariables(program);
  const ledger = new Ledger(program, keepingOf(options, setting.sessionId));
  await ledger.open();
  return { program, ledger, setting };
}
