import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import type { GuardOptions } from "../../src/guard/public.js";
import { artifactOf } from "../support/guard-artifact.js";
import { violationOf } from "../support/guard-calls.js";
import { told } from "../support/guard-steps.js";

const PACK = `
#== session.yaml (with the required fields)
policy: { rules: [{ deny: { principal: { path: $.role, equals: guest }, tools: [pay] } }] }
provider_constraints: { openai: { block_incompatible: [temperature], warn_incompatible: [top_p] } }
aggregates: [{ name: paid, metric: sum, tool: pay, path: $.n, lte: 100, reason: Budget }]
#== pay.yaml (with the required fields)
side_effect: financial
checkpoint: { when: [{ path: $.n, gte: 50 }], timeout_seconds: 60 }
retries: { max_attempts: 2, retry_on: ['503'] }
response_format_invariants: { content_when_tool_calls: empty }
assertions: { input_invariants: [{ path: $.to, equals_env: PAYEE }], output_invariants: [] }
#== look.yaml (with the required fields)
`;
const PAY = { tool: "pay", args: { n: 60, to: "ann" } };

/** Changes everything in a value that can be changed, down to the last. */
function spoil(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    spoil(item);
    if (typeof item === "object" && item !== null) continue;
    Reflect.set(value, key, typeof item === "number" ? 1 : "spoilt");
  }
  if (Array.isArray(value)) value.push("spoilt");
}

function guardWith(options: GuardOptions = {}) {
  return createGuard(artifactOf(PACK), { env: { PAYEE: "ann" }, principal: { role: "clerk" }, ...options });
}

/** What is asked twice; the first answer is ruined in between. */
async function twice<T>(ask: () => T | Promise<T>): Promise<void> {
  const first = await ask();
  const before = structuredClone(first);
  spoil(first);
  expect(await ask()).toEqual(before);
}

describe("what the guard answers", () => {
  const reply = (content: string | null, args: string) => ({
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content,
          tool_calls: [{ id: "c", type: "function", function: { name: "pay", arguments: args } }],
        },
        finish_reason: "tool_calls",
      },
    ],
  });

  it("is a copy, each time it is asked", async () => {
    const guard = await guardWith();
    await twice(() => guard.visibleTools());
    await twice(() => guard.checkRequest({ provider: "openai", request: { model: "m", temperature: 1 } }));
    await twice(() => guard.checkRequest({ provider: "openai", request: { model: "m", top_p: 1 } }));
    await twice(() => guard.checkResponse({ provider: "openai", response: reply("text", "{}") }));
    await twice(() => guard.checkResponse({ provider: "openai", response: reply(null, '{"n":{"deep":[1]}}') }));
    await twice(() => guard.explain({ tool: "pay", args: { n: 500, to: "bob" } }));
    await twice(async () => (await violationOf(guard.wrap(async () => 1)("pay", { n: 1, to: "bob" }))).verdict);
    await guard.addLabel("hot");
    await guard.propose({ tool: "look", args: {} });
    await twice(() => guard.state());
  });

  it("is a copy of what the model said, which stays as it was", async () => {
    const guard = await guardWith();
    const response = {
      content: [{ type: "tool_use", id: "t", name: "look", input: { a: [1] } }],
      stop_reason: "tool_use",
    };
    const body = { type: "message", role: "assistant", ...response };
    const before = structuredClone(body);
    spoil(guard.checkResponse({ provider: "anthropic", response: body }));
    expect(body).toEqual(before);
  });
});

describe("what the guard is given", () => {
  it("is copied: options that change later change nothing", async () => {
    const principal = { role: "clerk" };
    const env = { PAYEE: "ann" };
    const approvals = { quorum: 2, notRequester: true };
    const options: GuardOptions = { principal, env, approvals, requester: "cid", approver: "manual" };
    const guard = await guardWith(options);
    principal.role = "guest";
    env.PAYEE = "bob";
    approvals.quorum = 1;
    approvals.notRequester = false;
    Reflect.set(options, "mode", "log-only");
    Reflect.set(options, "requester", "dan");
    const asked = await guard.propose(PAY);
    expect(asked.kind).toBe("approval_required");
    const id = asked.kind === "approval_required" ? asked.approvalId : "";
    expect(told(await guard.propose({ tool: "pay", args: { n: 1, to: "bob" } }))).toBe("session_paused");
    expect(await guard.approve(id, { by: "cid" })).toMatchObject({ reason: "approver_is_requester" });
    expect(await guard.approve(id, { by: "ann" })).toMatchObject({ kind: "recorded", approvals: 1, needed: 2 });
    expect(told(await guard.approve(id, { by: "bob" }))).toBe("allow");
    expect(told(await guard.propose({ tool: "pay", args: { n: 1, to: "bob" } }))).toBe("input_invariant_failed");
  });

  it("is copied: an artifact that changes later changes nothing", async () => {
    const artifact = structuredClone(artifactOf(PACK));
    const guard = await createGuard(artifact, { env: { PAYEE: "ann" }, principal: { role: "clerk" } });
    const loose = artifactOf("#== pay.yaml (with the required fields)\n");
    Reflect.set(artifact, "packs", structuredClone(loose.packs));
    expect(told(await guard.propose({ tool: "pay", args: { n: 1, to: "bob" } }))).toBe("input_invariant_failed");
    expect(told(await guard.propose({ tool: "pay", args: { n: 101, to: "ann" } }))).toBe("aggregate_exceeded");
  });

  it("is copied: arguments that one attempt ruins are whole for the next one, and for the sums", async () => {
    const guard = await guardWith({ approver: async () => ({ decision: "approve", by: "ann" }) });
    const sent: unknown[] = [];
    const call = guard.wrap(async (_, args) => {
      sent.push(structuredClone(args));
      spoil(args);
      if (sent.length === 1) throw Object.assign(new Error("busy"), { status: 503 });
      return {};
    });
    await call("pay", PAY.args);
    expect(sent).toEqual([PAY.args, PAY.args]);
    expect(guard.state().aggregates).toEqual({ paid: 60 });
  });
});
