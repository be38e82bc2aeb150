import { unreachable } from "../../../base/invariant.js";
import type { Change } from "./slot-changes.js";
import type { SlotContent } from "./slot-content.js";

/** A change, or an output that has not arrived and decides which keys are changed. */
export type StepChange = Change | { readonly kind: "await" };

/** What one call has done to a keyed slot or a union. */
export interface SlotStep {
  /** The call, while it is not settled; null once the step is final. */
  readonly openCall: string | null;
  readonly changes: readonly StepChange[];
}

/** Applies a change to the content of a slot. */
export function applyChange(content: SlotContent, change: StepChange): void {
  switch (change.kind) {
    case "clear":
      content.clear(change.keys);
      break;
    case "bind":
      for (const binding of change.bindings) content.bind(binding);
      break;
    case "unset":
      content.unset(change.place.text, change.place.keys);
      break;
    case "lost":
      content.lose();
      break;
    case "await":
      content.await();
      break;
    default:
      unreachable(change);
  }
}

/** The content after some steps; the given one is not changed. */
export function contentAfterSteps(content: SlotContent, steps: readonly SlotStep[]): SlotContent {
  const after = content.copy();
  for (const { changes } of steps) for (const change of changes) applyChange(after, change);
  return after;
}
