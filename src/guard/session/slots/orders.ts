import { spend } from "../../../base/cost.js";
import type { Call } from "../call.js";
import { unseenChanges } from "./commit-slots.js";
import type { Ended } from "./endings.js";
import { changesIfRejected, clearsAll, type OpenChange, type OpenChanges } from "./open-changes.js";
import { needsOutput } from "./slot-changes.js";
import type { SlotContent } from "./slot-content.js";
import { applyChange } from "./slot-step.js";

/** More ways than these for one slot are not looked at: the call waits until fewer calls are open. */
const MOST_ORDERS = 2_000;

/** The cost of copying one value of a slot. */
const COPY_COST = 32;

/**
 * How a call may end that happens: what it clears, or loses with its output, changes even if that is rejected. Then nothing else is
 * bound, which makes a difference if anything else would have been.
 */
export function endingsOf(call: Call, changesIfRejected: boolean): readonly Ended[] {
  const committed: Ended = { call, mode: "committed" };
  const { binds, collections } = call.tool;
  const bindsAny = binds.length > 0 || collections.some((effect) => !effect.binds.every(needsOutput));
  return changesIfRejected && bindsAny ? [committed, { call, mode: "rejected" }] : [committed];
}

/**
 * Every set of these calls in every order, the smallest first; null if there are too many. A call that clears all of the slot stands only
 * first: whatever came before it, the slot is the same.
 */
export function ordersOf(changes: readonly OpenChange[]): readonly (readonly Ended[])[] | null {
  const endings = changes.map((change) => endingsOf(change.call, changesIfRejected(change)));
  const orders: (readonly Ended[])[] = [[]];
  for (let at = 0; at < orders.length; at++) {
    const order = orders[at] ?? [];
    changes.forEach((change, index) => {
      if (order.length > 0 && (clearsAll(change) || order.some(({ call }) => call === change.call))) return;
      for (const ended of endings[index] ?? []) orders.push([...order, ended]);
    });
    if (orders.length > MOST_ORDERS) return null;
  }
  return orders;
}

/** The content of a slot after some open calls; what their outputs decide is awaited there. */
export function contentAfter(content: SlotContent, open: OpenChanges, steps: readonly Ended[]): SlotContent {
  if (steps.length === 0) return content;
  spend(COPY_COST * (content.size + steps.length));
  const after = content.copy();
  for (const { call, mode } of steps) {
    const effect = open.of(call)?.effect;
    if (effect === undefined) continue;
    for (const change of unseenChanges(effect, call.args, mode)) applyChange(after, change);
  }
  return after;
}
