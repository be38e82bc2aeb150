import type { Random } from "../../support/random.js";

/** A workflow that is small enough to be explored whole. */
export interface SmallWorkflow {
  readonly text: string;
  /** How many sessions of each role there may be. */
  readonly sessions: Readonly<Record<string, number>>;
  /** The bound for the verifier that corresponds. */
  readonly bound: number;
}

/** The keys that calls may name. */
export const KEYS = ["a", "b"] as const;

const PHASES = ["first", "second", "last"];

interface ToolText {
  readonly name: string;
  readonly yaml: string;
  readonly definition: object;
}

/** Which keys a call may have; an empty list for none, and whether it must have one. */
interface KeyRule {
  readonly keys: readonly string[];
  readonly isRequired: boolean;
}

const KEY_RULES: readonly KeyRule[] = [
  { keys: ["a"], isRequired: true },
  { keys: ["b"], isRequired: true },
  { keys: KEYS, isRequired: true },
  { keys: KEYS, isRequired: false },
  { keys: [], isRequired: false },
];

interface Making {
  readonly effects: readonly string[];
  /** The keys of the tools in their order; any for the others. */
  readonly keys: readonly string[];
}

function toolText(
  random: Random,
  name: string,
  transition: string,
  { effects, key }: Pick<Making, "effects"> & { readonly key: string | undefined },
): ToolText {
  const { keys, isRequired } = key === undefined ? random.pick(KEY_RULES) : { keys: [key], isRequired: true };
  const properties = keys.length === 0 ? {} : { r: { type: "string", enum: keys } };
  const required = isRequired ? ["r"] : [];
  const checkpoint = random.below(4) === 0 ? "checkpoint: { when: always, timeout_seconds: 60 }\n" : "";
  const schema = { type: "object", properties, required, additionalProperties: false };
  return {
    name,
    yaml: `side_effect: ${random.pick(effects)}\ntransitions: ${transition}\n${checkpoint}`,
    definition: { name, input_schema: schema },
  };
}

function packText(random: Random, role: string, { effects, keys }: Making): string {
  const [first = "", second = "", last = ""] = PHASES;
  const moves = [
    `{ valid_in_phases: [${first}], advances_to: ${second} }`,
    `{ valid_in_phases: [${second}], advances_to: ${last} }`,
    random.pick([
      `{ valid_in_phases: [${first}] }`,
      `{ valid_in_phases: [${first}, ${second}] }`,
      `{ valid_in_phases: [${first}], advances_to: ${second} }`,
      // A way around what the others need; roles in opposite orders rarely have one.
      ...(keys.length > 0 && random.below(4) > 0
        ? []
        : [
            `{ valid_in_phases: [${first}], advances_to: ${last} }`,
            `{ valid_in_phases: [${second}], advances_to: ${last} }`,
          ]),
    ]),
  ];
  const tools = moves.map((transition, at) =>
    toolText(random, `${role}_${at + 1}`, transition, { effects, key: keys[at] }),
  );
  return `#== packs/${role}/session.yaml (with the required fields)
phases:
  - { name: ${first}, initial: true }
  - { name: ${second} }
  - { name: ${last}, terminal: true }
transitions: { ${first}: [${second}, ${last}], ${second}: [${last}] }
resources:
  thing: { type: thing, extract_from: { path: $.r } }
#== packs/${role}/tools.json
${JSON.stringify(tools.map(({ definition }) => definition))}
${tools.map(({ name, yaml }) => `#== packs/${role}/${name}.yaml (with the required fields)\n${yaml}`).join("")}`;
}

function claimTexts(roles: readonly string[], holders: (role: string) => readonly string[]): readonly string[] {
  const tools = roles.flatMap((role) => [1, 2, 3].map((at) => ({ role, tool: `${role}_${at}` })));
  return [
    ...tools.map(({ role, tool }) => `never: { role: ${role}, tool: ${tool} }`),
    ...tools.flatMap(({ role, tool }) =>
      holders(role).map(
        (holder) => `never: { role: ${role}, tool: ${tool}, while: { role: ${holder}, holds: thing } }`,
      ),
    ),
    ...roles.flatMap((role) => [0, 1, 2, 3].map((most) => `at_most: { role: ${role}, sessions: ${most} }`)),
  ];
}

/** A random one: a single role, a role that hands off to another, or two roles side by side. */
export function smallWorkflow(random: Random): SmallWorkflow {
  const shape = random.pick(["single", "handoff", "beside"] as const);
  const roles = shape === "single" ? ["w"] : ["o", "w"];
  // Roles that take two things in opposite orders can wait for each other.
  const isCrossed = shape === "beside" && random.below(2) === 0;
  const limit = (name: string, values: readonly number[]) =>
    isCrossed || random.below(2) === 0 ? [] : [`${name}: ${random.pick(values)}`];
  const limits = [
    ...limit("max_sessions", [1, 2, 3, 4]),
    ...limit("max_active_sessions", [1, 2, 3]),
    ...limit("max_open_handoffs", [0, 1, 2]),
  ];
  const making = (role: string): Making => {
    if (isCrossed) return { effects: ["write"], keys: role === "o" ? ["a", "b"] : ["b", "a"] };
    return { effects: shape === "handoff" && role === "o" ? ["read"] : ["read", "write", "write"], keys: [] };
  };
  const drawn = random.pick(["request_cancel", "terminate", "abandon"]);
  // Where only the end of a session that abandons its child makes room for the next one, the next one needs another session to start
  // it: one more than there are here.
  const policy = limits.includes("max_open_handoffs: 1") && drawn === "abandon" ? "request_cancel" : drawn;
  const mode = isCrossed
    ? "single_writer"
    : random.pick(["single_writer", "single_writer", "single_writer", "exclusive_pending", "serial_only"]);
  const text = `#== workflow.yaml (with the required fields)
roles: ${JSON.stringify(roles.map((name) => ({ name, session_contract: `packs/${name}/session.yaml` })))}
${shape === "handoff" ? `handoffs: [{ from: o, to: w, parent_close_policy: ${policy} }]` : ""}
workflow_limits: { ${limits.join(", ")} }
shared_resources: [{ alias: thing, mode: ${mode} }]
#== claims.yaml (with the required fields)
claims:
${claimTexts(roles, (role) => (shape === "beside" ? roles.filter((other) => other !== role) : ["w"]))
  .map((claim) => `  - ${claim}`)
  .join("\n")}
${roles.map((role) => packText(random, role, making(role))).join("")}`;
  const sessions = shape === "beside" ? { o: 1, w: 1 } : { o: 1, w: 2 };
  return { text, sessions, bound: shape === "beside" ? 1 : 2 };
}
