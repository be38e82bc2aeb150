import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { StreamChange } from "../../src/guard/durable-store.js";
import { createGuard } from "../../src/guard/guard.js";
import { MemoryStore } from "../../src/stores/memory-store.js";
import { artifactOf } from "../support/guard-artifact.js";

const PACK = `
#== session.yaml (with the required fields)
#== ask.yaml (with the required fields)
checkpoint: { when: always, timeout_seconds: 30 }
`;

/** A store that tells more often than it has to, and counts how often it is read. */
class TalkativeStore extends MemoryStore {
  loads = 0;
  private readonly listeners: ((change: StreamChange) => void)[] = [];

  override load(stream: string, options?: { readonly after?: number }) {
    this.loads += 1;
    return super.load(stream, options);
  }

  override watch(stream: string, listener: (change: StreamChange) => void) {
    this.listeners.push(listener);
    return super.watch(stream, listener);
  }

  announce(): void {
    for (const listener of this.listeners) listener({ stream: "session/s", revision: 1_000 });
  }
}

describe("a guard that waits for its approver", () => {
  it("reads once for many announcements, and again for one that comes while it reads", async () => {
    const store = new TalkativeStore(() => 0);
    const asked = new Promise<void>((resolve) => {
      const approver = async () => {
        resolve();
        return new Promise<never>(() => undefined);
      };
      const options = { store, sessionId: "s", env: {}, approver };
      void createGuard(artifactOf(PACK), options).then((guard) => guard.propose({ tool: "ask", args: {} }));
    });
    await asked;
    await nextTurn();
    const before = store.loads;
    for (let told = 0; told < 100; told++) store.announce();
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    expect(store.loads - before).toBe(2);
  });
});
