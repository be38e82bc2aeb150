import type { Artifact } from "../artifact/compiled.js";
import { SessionGuard } from "./guard.js";
import type { Guard } from "./guard-api.js";
import { guardParts } from "./guard-parts.js";
import type { GuardOptions } from "./public.js";

/** The options of a guard, and the role of a workflow that it guards. */
export interface RoleOptions extends GuardOptions {
  readonly role?: string;
}

/**
 * Makes the guard of one session of a role without its workflow, for what asks about that role alone. Not part of the public API:
 * nothing that other sessions do would matter to it.
 */
export async function createRoleGuard(
  artifact: Artifact | null,
  { role, ...options }: RoleOptions = {},
): Promise<Guard> {
  const parts = await guardParts(artifact, options, { role });
  return new SessionGuard(parts.program, parts.ledger, parts.options);
}
