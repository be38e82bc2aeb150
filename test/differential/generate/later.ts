import type { Json } from "../../../src/base/json.js";
import type {
  Checkpoint,
  Condition,
  Invariant,
  Principal,
  PrincipalCondition,
} from "../../../src/language/schema/shared.js";
import type { ToolContract } from "../../../src/language/schema/tool.js";
import type { Pack } from "../reference/model.js";
import { hashOf } from "./hash.js";
import { Random } from "./random.js";

type Maker<T> = (random: Random) => T;

/** Entries of the full family with what language version 1.1 adds; the usual values mostly satisfy them. */
const INVARIANTS: readonly Maker<Invariant>[] = [
  (random) => ({ path: random.pick(["$.n", "$.s", "$.x", "$.obj.*"]), not_equals: random.pick<Json>([2, "b", null]) }),
  (random) => ({ path: random.pick(["$.obj", "$..n"]), not_equals: random.pick<Json>([{ n: 2, k: "a" }, 5]) }),
  (random) => ({ path: random.pick(["$.n", "$.s", "$.x", "$.list[*]"]), not_one_of: [random.pick([2, 3]), "b", null] }),
  (random) => ({ path: random.pick(["$.obj", "$..n"]), not_one_of: [{ n: 2, k: "a" }, [1], 0.1, "b"] }),
  (random) => ({ path: random.pick(["$.n", "$.m", "$.s", "$.list[*]"]), gt: random.pick([-1, 0, 0.1, 1]) }),
  (random) => ({ path: random.pick(["$.n", "$.m", "$.s", "$..n"]), lt: random.pick([0.3, 2, 5, 10]) }),
];

/** Conditions on the principal. */
const CONDITIONS: readonly Maker<PrincipalCondition>[] = [
  (random) => ({
    path: random.pick(["$.type", "$.roles[*]", "$.region"]),
    not_equals: random.pick(["bot", "a", null]),
  }),
  (random) => ({ path: random.pick(["$.tier", "$.roles[*]", "$.region"]), not_one_of: [3, "b", "UK"] }),
  (random) => ({ path: random.pick(["$.tier", "$..level"]), gt: random.pick([1, 2]) }),
  (random) => ({ path: random.pick(["$.tier", "$..level"]), lt: random.pick([2, 3]) }),
];

/** Conditions of checkpoints. */
const APPROVALS: readonly Maker<Condition>[] = [
  (random) => ({ path: random.pick(["$.s", "$.list[*]", "$.x"]), not_equals: random.pick(["a", 1]) }),
  (random) => ({ path: random.pick(["$.s", "$.list[*]", "$..n"]), not_one_of: ["a", random.pick([1, 2]), 0] }),
  (random) => ({ path: random.pick(["$.n", "$.list[*]"]), gt: random.pick([1, 2]) }),
  (random) => ({ path: random.pick(["$.n", "$.list[*]"]), lt: random.pick([0.1, 1, 2]) }),
];

const SHARE = 0.3;

/** Puts entries of the later version in the place of some. */
function replaced<T>(random: Random, entries: readonly T[], makers: readonly Maker<T>[]): T[] {
  return entries.map((entry) => (random.chance(0.6) ? random.pick(makers)(random) : entry));
}

function who<T extends { readonly principal?: Principal }>(random: Random, entry: T): T {
  const { principal } = entry;
  if (principal === undefined) return entry;
  const conditions = replaced(random, Array.isArray(principal) ? principal : [principal], CONDITIONS);
  return { ...entry, principal: conditions };
}

function approval<T extends Checkpoint>(random: Random, checkpoint: T): T {
  const { when } = checkpoint;
  return when === "always" ? checkpoint : { ...checkpoint, when: replaced(random, when, APPROVALS) };
}

function laterTool(random: Random, tool: ToolContract): ToolContract {
  const { assertions, execution_constraints: constraints, preconditions, policy, checkpoint } = tool;
  const invariants = (list: readonly Invariant[]) => replaced(random, list, INVARIANTS);
  return {
    ...tool,
    assertions: {
      input_invariants: invariants(assertions.input_invariants),
      output_invariants: invariants(assertions.output_invariants),
    },
    ...(constraints === undefined ? {} : { execution_constraints: { arguments: invariants(constraints.arguments) } }),
    ...(preconditions === undefined
      ? {}
      : {
          preconditions: preconditions.map((entry) =>
            entry.with_output === undefined ? entry : { ...entry, with_output: invariants(entry.with_output) },
          ),
        }),
    ...(policy === undefined
      ? {}
      : {
          policy: {
            ...(policy.allow === undefined ? {} : { allow: policy.allow.map((entry) => who(random, entry)) }),
            ...(policy.deny === undefined ? {} : { deny: policy.deny.map((entry) => who(random, entry)) }),
          },
        }),
    ...(checkpoint === undefined ? {} : { checkpoint: approval(random, checkpoint) }),
  };
}

function laterSession(random: Random, session: Pack["session"]): NonNullable<Pack["session"]> {
  const { policy, checkpoints, ...others } = session ?? { agent: "differential" };
  return {
    ...others,
    schema_version: "1.1",
    ...(policy === undefined
      ? {}
      : {
          policy: {
            ...policy,
            ...(policy.rules === undefined
              ? {}
              : {
                  rules: policy.rules.map(({ allow, deny }) => ({
                    ...(allow === undefined ? {} : { allow: who(random, allow) }),
                    ...(deny === undefined ? {} : { deny: who(random, deny) }),
                  })),
                }),
          },
        }),
    ...(checkpoints === undefined ? {} : { checkpoints: checkpoints.map((each) => approval(random, each)) }),
  };
}

/**
 * The pack in the later version of the language, for some packs. Which ones, and how, follows from the pack itself: so what
 * else is generated from a seed does not hang on what the version adds.
 */
export function withLater(pack: Pack): Pack {
  const random = new Random(hashOf(JSON.stringify(pack)));
  if (!random.chance(SHARE)) return pack;
  const tools = pack.tools.map((tool) => laterTool(random, tool));
  return { tools, session: laterSession(random, pack.session), definitions: pack.definitions };
}
