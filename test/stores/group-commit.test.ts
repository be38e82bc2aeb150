import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { StreamWrite } from "../../src/guard/durable-store.js";
import { MIGRATIONS } from "../../src/stores/schema.js";
import { loadDriver } from "../../src/stores/sqlite/driver.js";
import { type Answer, monotonicMs, type Request } from "../../src/stores/sqlite/messages.js";
import { SqliteServer } from "../../src/stores/sqlite/server.js";
import { storeFolder } from "../support/store-folder.js";
import { one } from "../support/store-writes.js";

const { DatabaseSync } = await loadDriver();

/** The real server of a thread in this one, with every statement that is executed whole written down. */
function watchedServer() {
  const executed: string[] = [];
  const fails = { on: "" };
  class Watched extends DatabaseSync {
    override exec(sql: string): void {
      executed.push(sql);
      if (sql === fails.on) throw Object.assign(new Error("the disk broke"), { errcode: 10 });
      super.exec(sql);
    }
  }
  const path = join(storeFolder(), "guard.db");
  const server = new SqliteServer(
    { DatabaseSync: Watched },
    {
      path,
      shown: "sqlite:guard.db",
      synchronous: "full",
      timeoutMs: 1_000,
      migrations: MIGRATIONS,
      mode: "create",
      pollMs: 25,
      creates: true,
    },
  );
  onTestFinished(() => server.close());
  executed.length = 0;
  return { server, executed, fails };
}

function append(id: number, appendId: string, ...writes: readonly StreamWrite[]): Request {
  return { id, expires: monotonicMs() + 1_000, question: { kind: "append", appendId, writes, time: 0 } };
}

function kindOf(answer: Answer | undefined): string | undefined {
  return answer?.kind === "append" ? answer.result.kind : answer?.kind;
}

describe("appends that wait together", () => {
  it("wait for the disk once, and each gets its own answer", () => {
    const { server, executed } = watchedServer();
    const requests = [
      append(1, "a", one("s", 0)),
      append(2, "b", one("s", 0)),
      append(3, "c", one("t", 0), one("s", 1)),
      append(4, "a", one("s", 0)),
      append(5, "d", one("u", 0), one("s", 7)),
      ...Array.from({ length: 50 }, (_, index) => append(6 + index, `e${index}`, one(`v${index}`, 0))),
    ];
    const replies = new Map(server.serve(requests).map(({ id, answer }) => [id, kindOf(answer)]));
    expect([1, 2, 3, 4, 5].map((id) => replies.get(id))).toEqual([
      "appended",
      "conflict",
      "appended",
      "appended",
      "conflict",
    ]);
    expect(replies.size).toBe(55);
    expect(executed.filter((sql) => sql === "commit")).toHaveLength(1);
    const [listed] = server.serve([
      {
        id: 99,
        expires: monotonicMs() + 1_000,
        question: { kind: "list", options: { prefix: "", after: "", limit: 3 } },
      },
    ]);
    expect(listed?.answer).toMatchObject({
      streams: [
        { stream: "s", revision: 2 },
        { stream: "t", revision: 1 },
        { stream: "v0", revision: 1 },
      ],
    });
  });

  it("all fail when the disk fails, and none of them was recorded", () => {
    const { server, fails } = watchedServer();
    fails.on = "commit";
    const replies = server.serve([append(1, "a", one("s", 0)), append(2, "b", one("t", 0))]);
    expect(replies.map(({ answer }) => answer)).toMatchObject([
      { kind: "failed", code: "store_failed" },
      { kind: "failed", code: "store_failed" },
    ]);
    fails.on = "";
    const again = server.serve([append(3, "a", one("s", 0)), append(4, "c", one("t", 1))]);
    expect(again.map(({ answer }) => kindOf(answer))).toEqual(["appended", "conflict"]);
  });

  it("do not fail for one that cannot be written", () => {
    const { server } = watchedServer();
    // No store lets this get here: a record that is no text.
    const bad = { ...one("bad", 0), records: ["1", JSON.parse("{}")] };
    const replies = server.serve([append(1, "a", one("s", 0)), append(2, "b", bad), append(3, "c", one("t", 0))]);
    expect(replies.map(({ answer }) => kindOf(answer))).toEqual(["appended", "failed", "appended"]);
    const [loaded] = server.serve([
      { id: 4, expires: monotonicMs() + 1_000, question: { kind: "load", stream: "bad", after: undefined } },
    ]);
    expect(loaded?.answer).toMatchObject({ kind: "load", loaded: { revision: 0 } });
  });

  it("are not recorded once nobody waits for them", () => {
    const { server } = watchedServer();
    const late = { ...append(1, "a", one("s", 0)), expires: monotonicMs() - 1 };
    const replies = server.serve([late, append(2, "b", one("s", 0))]);
    expect(replies.map(({ id, answer }) => [id, kindOf(answer)])).toEqual([
      [1, "failed"],
      [2, "appended"],
    ]);
  });
});
