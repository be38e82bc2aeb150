import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import { migrateSession } from "../../src/sessions/migration/migrate-session.js";
import { callIdOf, memory, SESSION } from "../support/durable-guard.js";
import { artifactOf } from "../support/guard-artifact.js";
import { told } from "../support/guard-steps.js";

const packOf = (limits: string) => `#== session.yaml (with the required fields)
schema_version: "1.1"
session_limits: { ${limits} }
#== send.yaml (with the required fields)
side_effect: write
`;

const LIMITED = artifactOf(packOf("max_calls_per_step: 3"));
const SEND = { tool: "send", args: {} };

describe("the calls of a step", () => {
  it("are known again from a snapshot", async () => {
    const store = await memory();
    const options = { store, sessionId: SESSION, env: {} };
    const guard = await createGuard(LIMITED, options);
    for (let step = 0; step < 80; step += 1) {
      await guard.beginStep();
      for (let call = 0; call < 2; call += 1) {
        const id = callIdOf(await guard.propose(SEND));
        await guard.settle(id, { kind: "result", output: {} });
      }
    }
    expect((await store.load(`session/${SESSION}`)).snapshot).not.toBeNull();
    const again = await createGuard(LIMITED, options);
    expect(told(await again.propose(SEND))).toBe("allow");
    expect(told(await again.propose(SEND))).toBe("session_limit_exceeded");
    await again.beginStep();
    expect(told(await again.propose(SEND))).toBe("allow");
  });

  it("are all taken to be of the present step where an older artifact did not count them", async () => {
    const store = await memory();
    const options = { store, sessionId: SESSION, env: {} };
    const guard = await createGuard(artifactOf(packOf("max_tool_calls: 99")), options);
    for (let step = 0; step < 2; step += 1) {
      await guard.beginStep();
      for (let call = 0; call < 2; call += 1)
        await guard.settle(callIdOf(await guard.propose(SEND)), { kind: "happened" });
    }
    expect(await migrateSession(store, SESSION, LIMITED)).toEqual({ ok: true });
    const moved = await createGuard(LIMITED, options);
    expect(told(await moved.propose(SEND))).toBe("session_limit_exceeded");
    await moved.beginStep();
    expect(told(await moved.propose(SEND))).toBe("allow");
  });

  it("count a late result of the present step that turned out to have happened", async () => {
    const store = await memory();
    const guard = await createGuard(LIMITED, { store, sessionId: SESSION, env: {} });
    await guard.beginStep();
    const late = callIdOf(await guard.propose(SEND));
    await guard.settle(late, { kind: "timeout" });
    await guard.settle(late, { kind: "did_not_happen" });
    for (let call = 0; call < 2; call += 1) expect(told(await guard.propose(SEND))).toBe("allow");
    await guard.settle(late, { kind: "result", output: {} });
    await guard.acknowledge(late, { by: "ann", why: "seen", happened: true });
    expect(told(await guard.propose(SEND))).toBe("session_limit_exceeded");
  });
});
