import { ai } from "./ai.mjs";
import { approvalSeen } from "./approval-seen.mjs";
import { compileTime } from "./compile-time.mjs";
import { cost } from "./cost.mjs";
import { decision } from "./decision.mjs";
import { expression } from "./expression.mjs";
import { growth } from "./growth.mjs";
import { kit } from "./kit.mjs";
import { manyKeys } from "./many-keys.mjs";
import { mcp } from "./mcp.mjs";
import { memory } from "./memory.mjs";
import { openai } from "./openai.mjs";
import { peers } from "./peers.mjs";
import { postgresCalls } from "./postgres-calls.mjs";
import { replay } from "./replay.mjs";
import { sessionOpen } from "./session-open.mjs";
import { sqliteCalls } from "./sqlite-calls.mjs";
import { startUp } from "./start-up.mjs";
import { verification } from "./verify.mjs";
import { workflowPropose } from "./workflow.mjs";

/**
 * Every group of figures, in the order they run. A group has
 *   title     what it measures, for people
 *   figures   the names of its figures
 *   run       (progress) => { figures: { name: figure }, table: { columns, rows } }; may be async
 */
export const GROUPS = [
  ...[startUp, compileTime, manyKeys, decision, expression, peers, growth, cost, memory, kit, verification],
  ...[postgresCalls, sqliteCalls, sessionOpen, approvalSeen, workflowPropose, replay, mcp, ai, openai],
];
