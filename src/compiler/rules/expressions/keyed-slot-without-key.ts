import { defineExpressionRule } from "./expression-rule.js";

/** A keyed slot has one value for each key, so a member of the whole is never meant. */
export const keyedSlotWithoutKey = defineExpressionRule("keyed_slot_without_key", {
  what: "An expression reads a member of a keyed slot without giving its key.",
  why: "The slot is a map from keys to values, so the member would be looked for among the keys.",
  fix: "Write the key after the slot: `slots.reservation[args.id].status`.",
});
