import type { Artifact } from "../artifact/compiled.js";
import { isJsonObject, type Json } from "../base/json.js";
import { SessionGuard } from "./guard.js";
import type { Guard } from "./guard-api.js";
import { guardParts } from "./guard-parts.js";
import type { Collection } from "./program/tool-effects.js";
import type { RoleOptions } from "./role-guard.js";
import { textOfValue } from "./session/slots/slot-changes.js";
import type { Binding } from "./session/slots/slot-content.js";
import { isSlotKey, textOfKeys } from "./session/slots/slot-key.js";
import { plainJson } from "./values/plain-json.js";

/** A state that a session is put into without calls. */
export interface Stage {
  /** Null leaves the phase as it is. */
  readonly phase: string | null;
  readonly bindings: ReadonlyMap<string, Json>;
}

/** A guard whose session can be put into a state. It decides as every guard does. */
export interface StagedGuard {
  readonly guard: Guard;
  /** Sets the phase, and the slots as if settled calls had written them. No call may be unsettled. */
  enter(): void;
}

function slotsOf({ bindings }: Stage): ReadonlyMap<string, Json> {
  const slots = new Map<string, Json>();
  for (const [slot, value] of bindings) {
    const plain = plainJson(value);
    if (!plain.ok) throw new TypeError(`the binding \`${slot}\` cannot be set: ${plain.what}`);
    slots.set(slot, plain.value);
  }
  return slots;
}

/** The entries of a keyed slot, or the values of a union, as a case gives them. */
function bindingsOf(slot: string, given: Json, collection: Collection | undefined): readonly Binding[] {
  const bindings = Array.isArray(given) ? given.map((item) => bindingOf(item, collection)) : [null];
  if (!bindings.every((binding) => binding !== null)) {
    throw new TypeError(
      `the binding \`${slot}\` cannot be set: give a list of { key, value }, or of values for a union`,
    );
  }
  return bindings;
}

function bindingOf(item: Json, collection: Collection | undefined): Binding | null {
  if (collection?.kind === "union") {
    const text = textOfValue(item);
    return text === undefined ? null : { text, keys: [], value: item };
  }
  const { key, value } = isJsonObject(item) ? item : {};
  const keys = Array.isArray(key) ? key : [key];
  if (keys.length !== collection?.depth || !keys.every(isSlotKey) || value === undefined) return null;
  return { text: textOfKeys(keys), keys, value };
}

/** Makes a guard that plays golden cases. Not part of the public API: an agent must not choose its own state. */
export async function createStagedGuard(
  artifact: Artifact,
  { role, ...options }: Omit<RoleOptions, "store">,
  stage: Stage,
): Promise<StagedGuard> {
  const slots = slotsOf(stage);
  const parts = await guardParts(artifact, options, { role, isLenient: true });
  return {
    guard: new SessionGuard(parts.program, parts.ledger, parts.options),
    enter() {
      const { session } = parts.ledger;
      if (stage.phase !== null) session.phase = stage.phase;
      for (const [slot, value] of slots) {
        const committed = session.collections.get(slot);
        if (committed === undefined) {
          session.slots.set(slot, { last: { value, openCall: null, awaited: null }, before: null });
          continue;
        }
        const collection = parts.program.collections.find(({ name }) => name === slot);
        committed.apply([{ kind: "bind", bindings: bindingsOf(slot, value, collection) }], null);
      }
    },
  };
}
