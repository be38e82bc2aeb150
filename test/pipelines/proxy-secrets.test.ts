import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { createProxyCall } from "../../src/pipelines/proxy/proxy-call.js";
import {
  type Behaviour,
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
import { errorOf, Platforms } from "./proxy-fixture.js";

const ARGUMENT = "4111-1111-1111-1111";
const platforms = new Platforms();
afterEach(() => platforms.close());

/** Everything that a log could make of an error. */
function allOf(error: Error): string {
  const shown = inspect(error, { depth: Infinity, showHidden: true, getters: true });
  return [error.message, error.stack, JSON.stringify(error), String(error), shown].join("\n");
}

describe("an error of the client", () => {
  const faults: Readonly<Record<string, (echo: string) => Behaviour>> = {
    "a refusal": (echo) => status(400, { body: { code: echo, error: { code: echo }, detail: echo }, retryAfter: echo }),
    "a refusal in prose": (echo) => status(500, { body: echo }),
    "too many requests": (echo) => status(429, { body: { error: echo } }),
    "a reply that is cut off": (echo) => malformed(`{"response": "${echo}`),
    "a reply of another kind": (echo) => contentType("text/html", echo),
    "a reply of another shape": (echo) => wrongEnvelope({ [echo]: echo }),
    "a failed source": (echo) => respond(echo, { source: "error" }),
    "a failed transport": (echo) => respond(echo, { source: "transport_error" }),
    "a lost connection": () => drop("before_reply"),
    "a lost reply": () => drop("mid_body"),
    "a timeout": () => hang(),
    "a reply without end": () => endless(),
    "a huge reply": () => oversized(2_000_000),
  };

  it.each(Object.entries(faults))(
    "holds neither token, arguments nor reply after %s that echoes them",
    async (_, fault) => {
      const { run, call } = await platforms.client(
        ({ card }, { headers }) => fault(`${headers.authorization} ${String(card)}`),
        { timeoutMs: 300 },
      );
      const text = allOf(await errorOf(call("act", { card: ARGUMENT })));
      expect(text).toContain("call of `act`");
      expect(text).not.toContain(run.runToken);
      expect(text).not.toContain(ARGUMENT);
    },
  );

  it("holds no token that looks like a code, or like a time to wait", async () => {
    const runToken = "marker_of_a_secret";
    const proxyUrl = await platforms.serve((_, response) => {
      response.writeHead(400, { "content-type": "application/json", "retry-after": `1 ${runToken}` });
      response.end(JSON.stringify({ code: runToken }));
    });
    const error = await errorOf(createProxyCall({ proxyUrl, runToken })("act", {}));
    expect(error.status).toBe(400);
    expect(allOf(error)).not.toContain(runToken);
  });

  it("holds no token where nothing was sent", async () => {
    const runToken = "marker_of_a_secret";
    const call = createProxyCall({ proxyUrl: await refusedUrl(), runToken, retry: false });
    const cases = [
      call("act", {}),
      call("no name", {}),
      call("act", ARGUMENT),
      call("act", { card: ARGUMENT.repeat(100_000) }),
      call("act", {}, { actorId: `${runToken}\n` }),
      call("act", {}, { signal: AbortSignal.abort() }),
    ];
    for (const text of (await Promise.all(cases.map(errorOf))).map(allOf)) {
      expect(text).not.toContain(runToken);
      expect(text).not.toContain(ARGUMENT);
    }
  });
});
