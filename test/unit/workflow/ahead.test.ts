import { describe, expect, it } from "vitest";
import { workflowJson } from "../../../src/workflow/log/workflow-snapshot.js";
import { workflowRules } from "../../../src/workflow/rules/workflow-rules.js";
import { advanceWorkflow } from "../../../src/workflow/state/advance-workflow.js";
import type { WorkflowEvent } from "../../../src/workflow/state/workflow-event.js";
import {
  copyWorkflow,
  hasEnded,
  newWorkflow,
  type WorkflowState,
  workflowAhead,
} from "../../../src/workflow/state/workflow-state.js";
import { type Random, randomFrom } from "../../support/random.js";
import { seedOf } from "../../support/seed.js";
import { teamArtifact } from "../../workflow/team.js";

const artifact = teamArtifact({
  handoffs: `[{ from: lead, to: worker, parent_close_policy: abandon }, { from: lead, to: helper, parent_close_policy: terminate },
  { from: worker, to: helper }, { from: helper, to: worker }]`,
  shared: "single_writer",
});

function rulesOf() {
  const rules = workflowRules(artifact);
  if (rules === null) throw new Error("it has a workflow");
  return rules;
}

const rules = rulesOf();

const SEED = seedOf("AHEAD_SEED", 15);
const KEYS = ["a", "b", 17, "17", true] as const;

/** An event that may come next. */
function nextEvent(random: Random, state: WorkflowState, serial: number): WorkflowEvent {
  const members = [...state.sessions.values()];
  const live = members.filter((member) => !hasEnded(member));
  const session = `s${serial}`;
  if (members.length === 0 || random.next() < 0.1) return { kind: "started", session, role: "lead", parent: null };
  const member = random.next() < 0.8 && live.length > 0 ? random.pick(live) : random.pick(members);
  if (random.next() < 0.25) {
    const role = random.pick([...(rules.handoffs.get(member.role)?.keys() ?? [])]);
    return { kind: "started", session, role, parent: member.id };
  }
  if (random.next() < 0.1) return { kind: "closed", session: member.id };
  if (random.next() < 0.1) {
    const scope = random.pick(["session", "subtree", "session", "subtree", "workflow"] as const);
    return { kind: "killed", scope, session: member.id, why: "x", operator: null };
  }
  const open = [...member.calls.values()];
  const ended = open.length > 0 && random.next() < 0.5 ? [random.pick(open)] : [];
  const resources = [{ alias: "file", key: random.pick(KEYS) }];
  return {
    kind: "progressed",
    ...{ session: member.id, steps: member.steps + 1, costs: [random.pick([0.1, 1])] },
    ...(random.next() < 0.6
      ? { reserved: [{ callId: `c${serial}`, isMutating: random.next() < 0.7, resources }] }
      : {}),
    ended: ended.map(({ callId }) => ({ callId, isReleased: random.next() < 0.5 })),
  };
}

/** A map that counts how often it is asked. */
class AskedMap<V> extends Map<string, V> {
  asked = 0;

  override get(name: string): V | undefined {
    this.asked += 1;
    return super.get(name);
  }

  override entries(): ReturnType<Map<string, V>["entries"]> {
    this.asked += this.size;
    return super.entries();
  }
}

describe("the state of a workflow to look ahead with", () => {
  it("is what the events lead to, in the same order, and leaves the state as it is", () => {
    for (let run = 0; run < 25; run++) {
      const random = randomFrom(SEED, run);
      const state = newWorkflow();
      for (let serial = 0; serial < 40; serial++) {
        const before = JSON.stringify(workflowJson(state));
        const expected = copyWorkflow(state);
        const ahead = workflowAhead(state);
        const events: WorkflowEvent[] = [];
        for (let at = 0; at <= random.below(3); at++) {
          const event = nextEvent(random, expected, serial * 10 + at);
          events.push(event);
          advanceWorkflow(rules, expected, event);
          advanceWorkflow(rules, ahead, event);
          expect(JSON.stringify(workflowJson(ahead))).toBe(JSON.stringify(workflowJson(expected)));
          expect(ahead.sessions.size).toBe(expected.sessions.size);
        }
        expect(JSON.stringify(workflowJson(state))).toBe(before);
        for (const event of events) advanceWorkflow(rules, state, event);
      }
    }
  });

  it("costs the same however many sessions have ended", () => {
    const asked = [10, 5000].map((many) => {
      const sessions = new AskedMap<NonNullable<ReturnType<WorkflowState["sessions"]["get"]>>>();
      const state: WorkflowState = { ...newWorkflow(), sessions };
      const apply = (event: WorkflowEvent) => advanceWorkflow(rules, state, event);
      apply({ kind: "started", session: "lead", role: "lead", parent: null });
      for (let at = 0; at < many; at++) {
        apply({ kind: "started", session: `w${at}`, role: "worker", parent: "lead" });
        apply({ kind: "closed", session: `w${at}` });
      }
      sessions.asked = 0;
      for (let at = 0; at < 10; at++) {
        advanceWorkflow(rules, workflowAhead(state), { kind: "progressed", session: "lead", steps: at });
      }
      return sessions.asked;
    });
    expect(asked[1]).toBe(asked[0]);
    expect(asked[0]).toBeLessThanOrEqual(20);
  });
});
