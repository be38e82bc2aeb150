import { afterEach, describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { CallOptions, ProxyCall } from "../../src/guard/wrap/call-options.js";
import { createProxyCall } from "../../src/pipelines/proxy/proxy-call.js";
import { artifactOf } from "../support/guard-artifact.js";
import {
  contentType,
  drop,
  endless,
  hang,
  malformed,
  oversized,
  respond,
  status,
  wrongEnvelope,
} from "./platform/behaviour.js";
import { refusedUrl } from "./platform/raw-socket.js";
import { clientOf, Platforms, until } from "./proxy-fixture.js";

const platforms = new Platforms();
afterEach(() => platforms.close());

/** One tool that moves money, so that what nobody knows stays reserved. */
const PACK = `
#== act.yaml (with the required fields)
side_effect: financial
timeouts: { total_ms: 1000 }
`;

/** What the guard believes became of its only call. */
function fateOf(guard: Guard): string {
  const { toolCalls, unsettled } = guard.state();
  if (toolCalls === 0) return "released";
  return unsettled[0]?.status ?? "committed";
}

async function fateAfter(call: ProxyCall, args: object = {}, options: CallOptions = {}): Promise<string> {
  const guard = await createGuard(artifactOf(PACK), { env: {} });
  await guard
    .wrap(call)("act", args, options)
    .catch((cause: unknown) => {
      if (!(cause instanceof Error)) throw cause;
    });
  return fateOf(guard);
}

describe("what the guard makes of a call through the proxy", () => {
  it.each([
    ["a response", respond("done"), "committed"],
    ["source injected", respond("a failure that was made up", { source: "injected" }), "committed"],
    ["source error", respond(null, { source: "error" }), "released"],
    ["source transport_error", respond(null, { source: "transport_error" }), "indeterminate"],
    ["400", status(400), "released"],
    ["400 with a code", status(400, { body: { code: "actor_id_invalid" } }), "released"],
    ["401", status(401), "released"],
    ["404", status(404), "released"],
    ["413", status(413), "released"],
    ["429", status(429), "released"],
    ["408", status(408), "indeterminate"],
    ["408 with a code", status(408, { body: { code: "too_slow" } }), "indeterminate"],
    ["500", status(500), "indeterminate"],
    ["500 with a code", status(500, { body: { code: "tool_broken" } }), "indeterminate"],
    ["503", status(503), "indeterminate"],
    ["a redirect", status(302), "indeterminate"],
    ["a connection lost before the reply", drop("before_reply"), "indeterminate"],
    ["a connection lost after the headers", drop("after_headers"), "indeterminate"],
    ["a connection lost in the reply", drop("mid_body"), "indeterminate"],
    ["no answer in time", hang(), "indeterminate"],
    ["a reply without end", endless(), "indeterminate"],
    ["a reply that is no JSON", malformed(), "indeterminate"],
    ["a reply of another kind", contentType("text/html"), "indeterminate"],
    ["a reply without `response`", wrongEnvelope({}), "indeterminate"],
    ["a reply that is too large", oversized(1_048_577), "indeterminate"],
  ])("%s", async (_, behaviour, fate) => {
    const { call } = await platforms.client(behaviour);
    expect(await fateAfter(call)).toBe(fate);
  });

  it("a refused connection", async () => {
    expect(await fateAfter(createProxyCall({ proxyUrl: await refusedUrl(), runToken: "token" }))).toBe("released");
  });

  it("a name that does not exist", async () => {
    expect(await fateAfter(createProxyCall({ proxyUrl: "http://nowhere.invalid", runToken: "token" }))).toBe(
      "released",
    );
  });

  it("arguments that are too large", async () => {
    const { run, call } = await platforms.client(respond("done"));
    expect(await fateAfter(call, { text: "x".repeat(1_048_576) })).toBe("released");
    expect(run.calls).toEqual([]);
  });

  it("a label that no header can carry", async () => {
    const { call } = await platforms.client(respond("done"));
    expect(await fateAfter(call, {}, { actorId: "a\nb" })).toBe("released");
  });

  it("a call that was called off in the queue of the throttle", async () => {
    const throttle = { perMinute: 1 };
    const { run, call } = await platforms.client(respond("done"), { throttle });
    expect(await fateAfter(call)).toBe("committed");
    expect(await fateAfter(clientOf(run, { throttle, signal: AbortSignal.timeout(100) }))).toBe("released");
    expect(run.calls.length).toBe(1);
  });

  it("a client that was closed by its signal after sending", async () => {
    const ending = new AbortController();
    const { run, call } = await platforms.client(hang(), { signal: ending.signal });
    const fate = fateAfter(call);
    await until(() => run.calls.length === 1);
    ending.abort();
    expect(await fate).toBe("indeterminate");
  });
});
