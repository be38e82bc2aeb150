import { membersOf } from "../../artifact/members.js";

const slotsOfRules = new WeakMap<object, readonly string[]>();

function collect(part: unknown, isExpression: boolean, found: Set<string>): void {
  if (typeof part !== "object" || part === null) return;
  const isSlot = isExpression && "kind" in part && (part.kind === "slot" || part.kind === "has_slot");
  if (isSlot && "name" in part && typeof part.name === "string") found.add(part.name);
  for (const item of membersOf(part)) collect(item, isExpression || "tree" in part, found);
}

/** The slots that the expressions of a rule read, wherever in it they are. */
export function expressionSlots(rule: object): readonly string[] {
  const known = slotsOfRules.get(rule);
  if (known !== undefined) return known;
  const found = new Set<string>();
  collect(rule, false, found);
  const slots = [...found];
  slotsOfRules.set(rule, slots);
  return slots;
}
