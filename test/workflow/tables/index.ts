import { HANDOFFS } from "./handoffs.js";
import { KEYS } from "./keys.js";
import { KILLS } from "./kills.js";
import { LIMITS } from "./limits.js";
import { MODES } from "./modes.js";
import { ORDER } from "./order.js";
import type { Case } from "./parts.js";
import { POLICY_CASES } from "./policies.js";
import { OWN_RESOURCES, RESOURCES } from "./resources.js";

/** Every table of workflows. */
export const TABLES: readonly (readonly [name: string, cases: readonly Case[]])[] = [
  ["shared resources, by mode and situation", RESOURCES],
  ["shared resources, within one session", OWN_RESOURCES],
  ["keys of shared resources", KEYS],
  ["close policies", POLICY_CASES],
  ["limits", LIMITS],
  ["starts and handoffs", HANDOFFS],
  ["kills", KILLS],
  ["the order of judgements", ORDER],
  ["modes", MODES],
];
