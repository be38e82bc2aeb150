import { describe, expect, it } from "vitest";
import { exportLines } from "../../src/audit/export-log.js";
import { verifyExport } from "../../src/audit/verify-export.js";
import { memory, paymentGuard } from "../support/durable-guard.js";

/** More than one head record has. */
const SESSIONS = 1002;

async function exported(): Promise<readonly string[]> {
  const store = await memory();
  for (let at = 1; at <= SESSIONS - 2; at += 1) await paymentGuard(store, { sessionId: `s${at}` });
  // The last name by its bytes, though not by its UTF-16 units.
  await paymentGuard(store, { sessionId: "\u{1f600}" });
  await paymentGuard(store, { sessionId: "\uffee" });
  const lines: string[] = [];
  for await (const line of exportLines(store, null)) lines.push(line);
  return lines;
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

describe("an export of more than 1,000 sessions", () => {
  it("ends with several head records, needs all of them, and counts what it does not list", async () => {
    const lines = await exported();
    const heads = lines.flatMap((line) => JSON.parse(line).head ?? []);
    expect(heads.map(({ sessions, more }) => [sessions.length, more])).toEqual([
      [1000, true],
      [SESSIONS - 1000, undefined],
    ]);
    expect(heads[1].sessions.slice(-2).map(({ session }: { session: string }) => session)).toEqual([
      "\uffee",
      "\u{1f600}",
    ]);
    expect(await verifyExport(each(lines))).toMatchObject({ ok: true, sessions: SESSIONS, problems: [] });
    expect(await verifyExport(each(lines.toSpliced(-2, 1)))).toMatchObject({ ok: false });
    const { problems, more, ok } = await verifyExport(each(lines.map((line) => line.replace('"v":1', '"v":99'))));
    expect([ok, problems.length]).toEqual([false, 1000]);
    expect(more).toBeGreaterThan(0);
  });
});
