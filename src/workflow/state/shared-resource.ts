import type { ResourceMode } from "../rules/workflow-rules.js";
import type { ResourceKey, Touched } from "./workflow-event.js";

/** What one session does with a resource. */
interface Use {
  /** Its unsettled calls, and those of them that mutate. */
  open: number;
  openMutating: number;
  /** Its mutating calls that have ended and were not released. */
  done: number;
}

/** A resource that sessions use, with what each of them does, in the order in which they came. */
export interface SharedResource {
  readonly alias: string;
  /** As the first call that touched it spelled it. */
  readonly key: ResourceKey;
  readonly users: Map<string, Use>;
}

/** The name of a resource: keys are compared as text, so that 17 and "17" are one. */
export function resourceName({ alias, key }: Touched): string {
  return `${alias.length}:${alias}${key}`;
}

/** The alias in such a name, and the key as text. */
export function resourceNamed(name: string): { readonly alias: string; readonly key: string } {
  const colon = name.indexOf(":");
  const end = colon + 1 + Number(name.slice(0, colon));
  return { alias: name.slice(colon + 1, end), key: name.slice(end) };
}

/** A resource that nobody uses yet. */
export function newResource({ alias, key }: Touched): SharedResource {
  return { alias, key, users: new Map() };
}

/** An independent copy. */
export function copyResource({ alias, key, users }: SharedResource): SharedResource {
  return { alias, key, users: new Map(Array.from(users, ([id, use]) => [id, { ...use }])) };
}

/** Counts a reserved call of a session. */
export function addUse({ users }: SharedResource, session: string, isMutating: boolean): void {
  const use = users.get(session) ?? { open: 0, openMutating: 0, done: 0 };
  users.set(session, use);
  use.open += 1;
  if (isMutating) use.openMutating += 1;
}

/** Counts the end of a call; a mutating one that may have happened still makes its session the owner. */
export function endUse(
  { users }: SharedResource,
  session: string,
  { isMutating, isReleased }: { readonly isMutating: boolean; readonly isReleased: boolean },
): void {
  const use = users.get(session);
  if (use === undefined) return;
  use.open -= 1;
  if (!isMutating) return;
  use.openMutating -= 1;
  if (!isReleased) use.done += 1;
}

/** Forgets a session that nothing keeps there: no call of it is unsettled, and it owns nothing. True if it was forgotten. */
export function dropIdle({ users }: SharedResource, session: string, hasEnded: boolean): boolean {
  const use = users.get(session);
  if (use === undefined || use.open > 0 || (use.done > 0 && !hasEnded)) return false;
  return users.delete(session);
}

/** Whether a session makes the call of another one conflict. */
function isHeld(mode: ResourceMode, { open, openMutating, done }: Use, isMutating: boolean): boolean {
  switch (mode) {
    case "single_writer":
      return isMutating && openMutating + done > 0;
    case "exclusive_pending":
      return open > 0;
    case "serial_only":
      return isMutating && openMutating > 0;
  }
}

/** The sessions that make a mutating call of any other session conflict now. */
export function holders(mode: ResourceMode, { users }: SharedResource): readonly string[] {
  return Array.from(users)
    .filter(([, use]) => isHeld(mode, use, true))
    .map(([session]) => session);
}

/** The session that a call conflicts with; null if there is none. */
export function holderAgainst(
  mode: ResourceMode,
  { users }: SharedResource,
  { session, isMutating }: { readonly session: string; readonly isMutating: boolean },
): string | null {
  for (const [user, use] of users) if (user !== session && isHeld(mode, use, isMutating)) return user;
  return null;
}
