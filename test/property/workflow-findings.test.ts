import { describe, expect, it } from "vitest";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { Random } from "../differential/generate/random.js";
import { withPack } from "../support/pack-text.js";
import { seedOf } from "../support/seed.js";
import { type Possible, possibleIn, type SmallWorkflow } from "./workflow-runs.js";

const WORKFLOWS = 150;
const SEED = seedOf("WORKFLOW_FINDINGS_SEED", 1);
const ROLES = ["ann", "bob", "cid", "dan"];
const POLICIES = ["request_cancel", "terminate", "abandon"] as const;
const LIMITS = { sessions: "max_sessions", active: "max_active_sessions", open: "max_open_handoffs" } as const;
/** The sessions of a run that was cut off; enough for a way to every role and a second session there. */
const ENOUGH = 5;

interface Example {
  readonly workflow: SmallWorkflow;
  readonly limit: keyof typeof LIMITS;
  readonly most: number;
}

function example(random: Random): Example {
  const roles = ROLES.slice(0, random.chance(0.3) ? 4 : 3);
  const pairs = roles.flatMap((from) => roles.map((to) => ({ from, to })));
  const isMild = random.chance(0.5);
  const handoffs = pairs
    .filter(({ to }) => random.chance(to === "ann" ? 0.04 : 0.35))
    .map((pair) => ({ ...pair, policy: isMild ? "request_cancel" : random.pick(POLICIES) }));
  const limit = random.pick(["sessions", "active", "open"] as const);
  const most = random.pick([0, 1, 1, 2, 2, 2, 3, 3]);
  const limits = { sessions: ENOUGH, active: ENOUGH, open: ENOUGH, [limit]: most };
  return { workflow: { roles, handoffs, limits, waits: false }, limit, most };
}

/** The resource is changed by sessions of the last role alone. */
function textOf({ workflow: { roles, handoffs }, limit, most }: Example): string {
  const packs = roles.map((role) => `#== packs/${role}/session.yaml (with the required fields)`);
  return [
    "#== workflow.yaml (with the required fields)",
    `roles: [${roles.map((role) => `{ name: ${role}, session_contract: packs/${role}/session.yaml }`).join(", ")}]`,
    `handoffs: [${handoffs.map(({ from, to, policy }) => `{ from: ${from}, to: ${to}, parent_close_policy: ${policy} }`).join(", ")}]`,
    `workflow_limits: { ${LIMITS[limit]}: ${most} }`,
    "shared_resources: [{ alias: file, mode: single_writer }]",
    ...packs,
    "resources: { file: { type: file, extract_from: { path: $.file } } }",
    `#== packs/${roles.at(-1)}/write_file.yaml (with the required fields)`,
    "side_effect: write",
    "",
  ].join("\n");
}

function findingsOf(given: Example): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { code, message } of withPack(textOf(given), (folder) => compileFolder(folder).diagnostics)) {
    found.set(code, [...(found.get(code) ?? []), message]);
  }
  return found;
}

const random = new Random(SEED);
const CASES = Array.from({ length: WORKFLOWS }, () => {
  const given = example(random);
  const unlimited = { sessions: ENOUGH, active: ENOUGH, open: ENOUGH };
  return {
    given,
    findings: findingsOf(given),
    limited: possibleIn(given.workflow),
    waiting: possibleIn({ ...given.workflow, waits: true }),
    free: possibleIn({ ...given.workflow, limits: unlimited }),
  };
});

type Case = (typeof CASES)[number];

/** What is found for some workflows and not for others, so that agreeing on it says something. */
function expectAgreement(code: string, isExpected: (entry: Case) => boolean): void {
  const wrong = CASES.filter((entry) => entry.findings.has(code) !== isExpected(entry));
  expect(wrong.map(({ given, findings }) => ({ text: textOf(given), found: findings.get(code) }))).toEqual([]);
  const found = CASES.filter(({ findings }) => findings.has(code)).length;
  expect(Math.min(found, WORKFLOWS - found)).toBeGreaterThan(5);
}

/** What is found is so; the rule may miss more. */
function expectClaims(code: string, isSo: (entry: Case) => boolean): void {
  const found = CASES.filter(({ findings }) => findings.has(code));
  expect(found.filter((entry) => !isSo(entry)).map(({ given }) => textOf(given))).toEqual([]);
  expect(found.length).toBeGreaterThan(5);
}

function isLost({ roles }: SmallWorkflow, { roles: reached }: Possible): readonly string[] {
  return roles.filter((role) => !reached.has(role));
}

describe(`findings about ${WORKFLOWS} random workflows, and what their runs can do (seed ${SEED})`, () => {
  it("some role is never entered without any limit: a cycle without a root is the cause", () => {
    expectAgreement("handoff_cycle_without_root", ({ given, free }) => isLost(given.workflow, free).length > 0);
  });

  it("every role that is never entered is named, as one of a cycle or by itself", () => {
    for (const { given, free, findings } of CASES) {
      const lost = isLost(given.workflow, free);
      const messages = ["handoff_cycle_without_root", "unreachable_role"].flatMap((code) => findings.get(code) ?? []);
      const named = messages.flatMap((message) => [...message.matchAll(/`([a-z]+)`/g)].map(([, role = ""]) => role));
      expect(named.sort(), textOf(given)).toEqual([...lost].sort());
    }
  });

  it("a limit keeps a role from being entered while parents wait for their children", () => {
    expectAgreement("workflow_limit_below_roles", ({ waiting, free }) => waiting.roles.size < free.roles.size);
  });

  it("a limit keeps a handoff from being made, though its roles are entered without it", () => {
    const isDead = ({ given, limited, waiting: { roles } }: Case) =>
      given.workflow.handoffs.some(
        ({ from, to }) => roles.has(from) && roles.has(to) && !limited.handoffs.has(`${from} ${to}`),
      );
    expectClaims("dead_handoff", isDead);
  });

  it("a limit leaves room for one session of the only role that changes a resource", () => {
    const isOne = ({ given, limited, free }: Case) => {
      const role = given.workflow.roles.at(-1) ?? "";
      return free.roles.has(role) && (limited.together.get(role) ?? 0) <= 1;
    };
    expectClaims("single_session_resource", isOne);
    const shallow = CASES.filter(({ given: { workflow } }) => {
      const targets = new Set(workflow.handoffs.map(({ to }) => to));
      return workflow.handoffs.every(({ from, policy }) => !targets.has(from) && policy !== "abandon");
    });
    const missed = shallow.filter((entry) => isOne(entry) && !entry.findings.has("single_session_resource"));
    expect(missed.map(({ given }) => textOf(given))).toEqual([]);
    expect(shallow.filter(isOne).length).toBeGreaterThan(5);
  });
});
