import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SessionEnd } from "../../src/audit/chain.js";
import { checkpointLines } from "../../src/audit/checkpoint.js";
import { CheckpointCheck } from "../../src/audit/checkpoint-check.js";
import { exportLines } from "../../src/audit/export-log.js";
import type { Problem } from "../../src/audit/problem.js";
import { verifyExport } from "../../src/audit/verify-export.js";
import { verifyStore } from "../../src/audit/verify-store.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { openStore } from "../../src/stores/open-store.js";
import { callIdOf, memory, pay, paymentGuard } from "../support/durable-guard.js";
import { closing, sqliteUrl } from "../support/operated-stores.js";
import { newSchema, POSTGRES, POSTGRES_MISSING } from "../support/postgres-database.js";
import {
  contentsOf,
  inStream,
  type Rewrite,
  rehashed,
  relinked,
  rewritten,
  type StreamContent,
} from "../support/rewritten-store.js";

const KEYS = generateKeyPairSync("ed25519");
const CALLS = 130;
/** A refusal: no later record depends on it. */
const REFUSED = 4;

/** Two sessions, one of them with a snapshot. */
async function recorded(): Promise<DurableStore> {
  const store = await openStore("memory:");
  for (const [sessionId, calls] of [
    ["long", CALLS],
    ["short", 3],
  ] as const) {
    const guard = await paymentGuard(store, { sessionId });
    callIdOf(await guard.propose(pay(10, { to: "hidden-payee" })));
    await guard.addLabel("seen");
    await guard.propose(pay(500, { to: 7 }));
    for (let count = 0; count < calls; count += 1) {
      await guard.settle(callIdOf(await guard.propose({ tool: "look", args: {} })), { kind: "result", output: null });
    }
  }
  return store;
}

let base: DurableStore;
let contents: ReadonlyMap<string, StreamContent>;

beforeAll(async () => {
  base = await recorded();
  contents = await contentsOf(base);
});
afterAll(() => base.close());

type Records = StreamContent["records"];

function recordsIn(session: string): Records {
  return contents.get(`session/${session}`)?.records ?? [];
}

function records(session: string, change: (records: Records) => Records): Rewrite {
  return inStream(`session/${session}`, (content) => ({ ...content, records: change(content.records) }));
}

function edited(data: string, change: (record: Record<string, unknown>) => object): string {
  return JSON.stringify(change(JSON.parse(data)));
}

function at(index: number, change: (data: string) => string): (records: Records) => Records {
  return (all) => all.map((record, place) => (place + 1 === index ? { ...record, data: change(record.data) } : record));
}

interface Tampering {
  readonly name: string;
  readonly rewrite: Rewrite;
  readonly found: readonly Problem[];
  /** What an export of it has; the same, if that is left out. Snapshots, heads and artifacts are in no export. */
  readonly exported?: readonly Problem[];
}

const IN_SHORT = { session: "short" } as const;
const NOT_LINKED = "does not continue the record before it: one of them was changed, or is of another session";
const BAD_HASH = "cannot be read: its hash does not fit its content";
const IMPOSSIBLE = "cannot have happened after the records before it";
const HEAD = "is not what the head of the stream says";
const LAST = 4 + 2 * 3;

const TAMPERINGS: readonly Tampering[] = [
  {
    name: "a byte of an event changed",
    rewrite: records(
      "short",
      at(2, (data) => data.replace('"amount":10', '"amount":11')),
    ),
    found: [{ ...IN_SHORT, index: 2, what: BAD_HASH }],
  },
  {
    name: "an event changed, with a hash that fits",
    rewrite: records(
      "short",
      at(2, (data) => rehashed(JSON.parse(data.replace('"amount":10', '"amount":11')))),
    ),
    found: [{ ...IN_SHORT, index: 3, what: NOT_LINKED }],
  },
  {
    name: "a value beside another one of the same name",
    rewrite: records(
      "short",
      at(2, (data) => data.replace('"amount":10', '"amount":99,"\\u0061mount":10')),
    ),
    found: [{ ...IN_SHORT, index: 2, what: "cannot be read: a name is there twice" }],
    exported: [{ ...IN_SHORT, index: 2, what: "cannot be read: its `v` is no whole number" }],
  },
  {
    name: "a record left out",
    rewrite: records("short", (all) => all.filter((_, index) => index + 1 !== REFUSED)),
    found: [{ ...IN_SHORT, index: REFUSED, what: "is missing" }],
  },
  {
    name: "several records left out",
    rewrite: records("long", (all) => all.filter((_, index) => index + 1 < 20 || index + 1 > 23)),
    found: [
      { session: "long", index: 20, what: "is missing, and so are those up to 23" },
      { session: "long", index: 24, what: IMPOSSIBLE },
    ],
    exported: [{ session: "long", index: 20, what: "is missing, and so are those up to 23" }],
  },
  {
    name: "a record twice",
    rewrite: records("short", (all) =>
      all.flatMap((record, index) => (index + 1 === REFUSED ? [record, record] : [record])),
    ),
    found: [{ ...IN_SHORT, index: REFUSED, what: "is there twice" }],
  },
  {
    name: "two records in another order",
    rewrite: records("short", (all) => {
      const [a, b, c, d, ...rest] = all;
      return [a, b, d, c, ...rest].flatMap((record) => record ?? []);
    }),
    found: [
      { ...IN_SHORT, index: 3, what: "is missing" },
      { ...IN_SHORT, index: 3, what: "is there twice, or comes after later ones" },
    ],
  },
  {
    name: "a record of another session",
    rewrite: records("short", (all) =>
      all.map((record, index) =>
        index + 1 === REFUSED ? { ...record, data: recordsIn("long")[index]?.data ?? "" } : record,
      ),
    ),
    found: [
      { ...IN_SHORT, index: REFUSED, what: NOT_LINKED },
      { ...IN_SHORT, index: REFUSED + 1, what: NOT_LINKED },
    ],
  },
  {
    name: "what is no JSON",
    rewrite: records(
      "short",
      at(REFUSED, () => "{ broken"),
    ),
    found: [{ ...IN_SHORT, index: REFUSED, what: "cannot be read: it is not JSON" }],
    exported: [{ ...IN_SHORT, index: REFUSED, what: "cannot be read: its `v` is no whole number" }],
  },
  {
    name: "another artifact without a migration",
    rewrite: inStream("session/short", (content) =>
      relinked({
        ...content,
        records: at(REFUSED, (data) => edited(data, (record) => ({ ...record, artifact: `sha256-${"0".repeat(64)}` })))(
          content.records,
        ),
      }),
    ),
    found: [
      { ...IN_SHORT, index: REFUSED, what: "is of an artifact that the store does not have" },
      { ...IN_SHORT, index: REFUSED, what: "is of another artifact, and the session was not migrated" },
      { ...IN_SHORT, index: REFUSED + 1, what: "is of another artifact, and the session was not migrated" },
    ],
    exported: [
      { ...IN_SHORT, index: REFUSED, what: "is of another artifact, and the session was not migrated" },
      { ...IN_SHORT, index: REFUSED + 1, what: "is of another artifact, and the session was not migrated" },
    ],
  },
  {
    name: "what cannot have happened",
    rewrite: inStream("session/short", (content) =>
      relinked({ ...content, records: at(6, (data) => data.replaceAll("call_2", "call_9"))(content.records) }),
    ),
    found: [{ ...IN_SHORT, index: 6, what: IMPOSSIBLE }],
    exported: [],
  },
  {
    name: "a snapshot with another state",
    rewrite: inStream("session/long", (content) => ({
      ...content,
      snapshot: content.snapshot && {
        ...content.snapshot,
        data: edited(content.snapshot.data, (snapshot) => ({
          ...snapshot,
          state: String(snapshot.state).replace('"toolCalls":', '"toolCalls":1'),
        })),
      },
    })),
    found: [{ session: "long", index: 250, what: "has a snapshot that does not fit it" }],
    exported: [],
  },
  ...["session", "hash", "artifact", "role"].map((field) => ({
    name: `a snapshot with another ${field}`,
    rewrite: inStream("session/long", (content) => ({
      ...content,
      snapshot: content.snapshot && {
        ...content.snapshot,
        data: edited(content.snapshot.data, (snapshot) => ({ ...snapshot, [field]: "other" })),
      },
    })),
    found: [{ session: "long", index: 250, what: "has a snapshot that says to be another one" }],
    exported: [],
  })),
  {
    name: "a snapshot left out",
    rewrite: inStream("session/long", (content) => ({ ...content, snapshot: null })),
    found: [{ session: "long", index: 250, what: "has no snapshot any more" }],
    exported: [],
  },
  {
    name: "a head that says something else",
    rewrite: inStream("session/short", (content) => ({
      ...content,
      head: edited(content.head, (head) => ({ ...head, toolCalls: 1 })),
    })),
    found: [{ ...IN_SHORT, index: LAST, what: HEAD }],
    exported: [],
  },
  ...["role", "phase", "killed", "deadline"].map((name) => ({
    name: `a head without its ${name}`,
    rewrite: inStream("session/short", (content: StreamContent) => ({
      ...content,
      head: edited(content.head, ({ [name]: _left, ...head }) => head),
    })),
    found: [{ ...IN_SHORT, index: LAST, what: HEAD }],
    exported: [],
  })),
  {
    name: "the end of a session left out",
    rewrite: records("short", (all) => all.slice(0, -1)),
    found: [{ ...IN_SHORT, index: LAST - 1, what: HEAD }],
    exported: [],
  },
  {
    name: "the log of one session under the name of another",
    rewrite: (stream, content) =>
      stream === "session/short" ? { ...content, records: recordsIn("long").slice(0, LAST) } : content,
    found: [{ ...IN_SHORT, index: 1, what: "opens another session" }],
  },
  {
    name: "an artifact changed",
    rewrite: (stream, content) =>
      stream.startsWith("artifact/")
        ? { ...content, records: at(1, (data) => data.replace("At most 150", "At most 950"))(content.records) }
        : content,
    found: [
      { session: "long", index: 1, what: "is of an artifact that the store does not have" },
      { session: "short", index: 1, what: "is of an artifact that the store does not have" },
      {
        session: null,
        index: null,
        what: expect.stringMatching(/^the artifact sha256-[0-9a-f]{64} is not what it was$/),
      },
    ],
    exported: [],
  },
];

const sqlite = () => closing(sqliteUrl());

async function* each(lines: Iterable<string>): AsyncGenerator<string> {
  yield* lines;
}

async function linesOf(store: DurableStore): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of exportLines(store, null)) lines.push(line);
  return lines;
}

async function problemsOf(lines: Iterable<string>): Promise<readonly Problem[]> {
  return (await verifyExport(each(lines))).problems;
}

describe("verifying a store", () => {
  it("finds nothing in what guards wrote", async () => {
    await base.append("x", [{ stream: "other/stream", expectedRevision: 0, records: ["{"], head: "" }]);
    const total = 1 + 3 + 2 * CALLS + LAST;
    expect(await verifyStore(base)).toEqual({ ok: true, records: total, sessions: 2, problems: [] });
    const copy = await rewritten(base, (_stream, content) => content, await sqlite());
    expect(await verifyStore(copy)).toEqual({ ok: true, records: total, sessions: 2, problems: [] });
    expect(await verifyExport(each(await linesOf(copy)))).toEqual({
      ok: true,
      records: total,
      sessions: 2,
      problems: [],
    });
  });

  it.each(TAMPERINGS)("names $name, in memory", async ({ rewrite, found }) => {
    const report = await verifyStore(await rewritten(base, rewrite));
    expect(report.problems).toEqual(found);
    expect(report.ok).toBe(false);
  });

  it.each(TAMPERINGS)("names $name, in a file of SQLite", async ({ rewrite, found }) => {
    const report = await verifyStore(await rewritten(base, rewrite, await sqlite()));
    expect(report.problems).toEqual(found);
  });

  it.skipIf(POSTGRES === null).each(TAMPERINGS)(
    `names $name, on PostgreSQL${POSTGRES_MISSING}`,
    async ({ rewrite, found }) => {
      const report = await verifyStore(await rewritten(base, rewrite, await closing(await newSchema())));
      expect(report.problems).toEqual(found);
    },
  );

  it.each(TAMPERINGS)("names $name, in an export of it", async ({ rewrite, found, exported = found }) => {
    expect(await problemsOf(await linesOf(await rewritten(base, rewrite)))).toEqual(exported);
  });

  it("names sealed logs under each other's names, in the store and in an export, and guards refuse them", async () => {
    const seal = (text: string) => Buffer.from(text).toString("base64");
    const open = (text: string) => Buffer.from(text, "base64").toString();
    const store = await memory();
    for (const sessionId of ["one", "two"]) {
      const guard = await paymentGuard(store, { sessionId, seal, open });
      callIdOf(await guard.propose(pay(10)));
    }
    expect((await verifyStore(store)).problems).toEqual([]);
    const sealedContents = await contentsOf(store);
    const other = new Map([
      ["session/one", "session/two"],
      ["session/two", "session/one"],
    ]);
    const swapped = await rewritten(
      store,
      (stream, content) => sealedContents.get(other.get(stream) ?? stream) ?? content,
    );
    const found = ["one", "two"].map((session) => ({ session, index: 1, what: "opens another session" }));
    expect((await verifyStore(swapped)).problems).toEqual(found);
    expect(await problemsOf(await linesOf(swapped))).toEqual(found);
    // Also one that cannot tell by what it opens.
    const blind = (text: string) => open(text).replace('"two"', '"one"');
    for (const opening of [open, blind]) {
      await expect(paymentGuard(swapped, { sessionId: "one", seal, open: opening })).rejects.toThrow(
        "a record or snapshot is refused: it is of another session",
      );
    }
  });

  it("says nothing of what records hold", async () => {
    for (const { rewrite } of TAMPERINGS) {
      const report = await verifyStore(await rewritten(base, rewrite));
      expect(JSON.stringify(report)).not.toContain("hidden-payee");
    }
  });
});

interface EditedExport {
  readonly name: string;
  readonly edit: (lines: readonly string[]) => readonly string[];
  readonly found: readonly Problem[];
}

/** The place of a record of the second session among the lines. */
const SECOND = 1 + 3 + 2 * CALLS;

const EDITED: readonly EditedExport[] = [
  {
    name: "the head record left out",
    edit: (lines) => lines.slice(0, -1),
    found: [{ session: null, index: null, what: "the head record at the end is missing: the export was cut off" }],
  },
  {
    name: "the end of the file cut off within a line",
    edit: (lines) => [...lines.slice(0, -1), (lines.at(-1) ?? "").slice(0, 60)],
    found: [
      { session: "short", index: LAST + 1, what: "cannot be read: it is not JSON" },
      { session: null, index: null, what: "the head record at the end is missing: the export was cut off" },
    ],
  },
  {
    name: "the last record of a session left out",
    edit: (lines) => [...lines.slice(0, -2), ...lines.slice(-1)],
    found: [
      {
        session: null,
        index: null,
        what: `there are ${SECOND + LAST - 1} records, and ${SECOND + LAST} were exported`,
      },
      { session: "short", index: LAST, what: `is missing: ${LAST} records were exported` },
    ],
  },
  {
    name: "a value beside another one of the same name",
    edit: (lines) =>
      lines.map((line, at) => (at === SECOND + 1 ? line.replace('"amount":10', '"amount":99,"amount":10') : line)),
    found: [{ session: "short", index: 2, what: "cannot be read: a name is there twice" }],
  },
  {
    name: "a head with two counts",
    edit: (lines) => [...lines.slice(0, -1), (lines.at(-1) ?? "").replace('"records":', '"records":1,"records":')],
    found: [
      { session: "short", index: LAST + 1, what: "cannot be read: it is not the head of an export" },
      { session: null, index: null, what: "the head record at the end is missing: the export was cut off" },
    ],
  },
  ...["{", '{"head":{', '"sessions":[{'].map((place) => ({
    name: `a member of a record behind ${place} of the head`,
    edit: (lines: readonly string[]) => [
      ...lines.slice(0, -1),
      (lines.at(-1) ?? "").replace(place, `${place}"event":{"kind":"killed","why":"x"},`),
    ],
    found: [
      { session: "short", index: LAST + 1, what: "cannot be read: it is not the head of an export" },
      { session: null, index: null, what: "the head record at the end is missing: the export was cut off" },
    ],
  })),
  {
    name: "a session left out",
    edit: (lines) => [...lines.slice(0, SECOND), ...lines.slice(-1)],
    found: [
      { session: null, index: null, what: `there are ${SECOND} records, and ${SECOND + LAST} were exported` },
      { session: "short", index: 1, what: `is missing, and so are all ${LAST} records of the session` },
    ],
  },
  {
    name: "a record of one session among those of another",
    edit: (lines) => [
      ...lines.slice(0, 10),
      lines[SECOND + 4] ?? "",
      ...lines.slice(10, SECOND + 4),
      ...lines.slice(SECOND + 5),
    ],
    found: [
      { session: "short", index: 1, what: "is missing, and so are those up to 4" },
      { session: "long", index: 11, what: "stands among records of other sessions" },
      { session: "short", index: 6, what: "stands among records of other sessions" },
      ...[1, 2, 3, 4].map((index) => ({ session: "short", index, what: "is there twice, or comes after later ones" })),
    ],
  },
  {
    name: "a record behind the head",
    edit: (lines) => [...lines, lines[0] ?? ""],
    found: [{ session: "long", index: null, what: "a line stands behind the head record" }],
  },
  {
    name: "a session that the head does not name",
    edit: (lines) => [...lines.slice(0, -1), (lines.at(-1) ?? "").replace(/,\{"session":"short"[^}]*\}/, "")],
    found: [{ session: "short", index: LAST, what: "the head record does not name the session" }],
  },
  {
    name: "another last hash in the head",
    edit: (lines) => [
      ...lines.slice(0, -1),
      (lines.at(-1) ?? "").replace(/sha256-[0-9a-f]{64}("\}\]\}\}$)/, `sha256-${"0".repeat(64)}$1`),
    ],
    found: [{ session: "short", index: LAST, what: "is not the last record that was exported" }],
  },
];

describe("verifying an export", () => {
  it("accepts the same values written in another way", async () => {
    const lines = (await linesOf(base)).map((line) => {
      const reversed = Object.fromEntries(Object.entries(JSON.parse(line)).reverse());
      return ` ${JSON.stringify(reversed).replaceAll(":", " : ").replaceAll(" : ", ": ")}\r`;
    });
    expect(await problemsOf(lines.map((line) => line.replaceAll("approval_ : ", "approval_:")))).toEqual([]);
  });

  it.each(EDITED)("names $name", async ({ edit, found }) => {
    expect(await problemsOf(edit(await linesOf(base)))).toEqual(found);
  });

  it("has one session only, where that is asked for", async () => {
    const lines: string[] = [];
    for await (const line of exportLines(base, "short")) lines.push(line);
    expect(lines).toHaveLength(LAST + 1);
    expect(await problemsOf(lines)).toEqual([]);
    await expect(exportLines(base, "shor").next()).rejects.toThrow("the store has no such session");
  });
});

/** A log that was rewritten from some record on, with numbers and hashes that fit. */
const REWRITTEN_TAIL = inStream("session/short", (content) =>
  relinked({
    ...content,
    records: at(REFUSED, (data) => data.replace("argument_invariant_failed", "input_invariant_failed"))(
      content.records,
    ),
  }),
);

async function endsOf(store: DurableStore): Promise<readonly SessionEnd[]> {
  const ends: SessionEnd[] = [];
  await verifyStore(store, { onEnd: (end) => ends.push(end) });
  return ends;
}

async function signed(): Promise<readonly string[]> {
  const ends = await endsOf(base);
  return checkpointLines(ends, KEYS.privateKey, 1_790_000_000_000);
}

function check(lines: readonly string[], key = KEYS.publicKey): CheckpointCheck {
  return new CheckpointCheck(lines, key);
}

describe("signed checkpoints", () => {
  it("fit the log that was signed, also when it has grown", async () => {
    const lines = await signed();
    expect(lines).toHaveLength(2);
    expect((await verifyStore(base, { checkpoints: check(lines) })).problems).toEqual([]);
    const grown = await rewritten(base, (_stream, content) => content);
    const guard = await paymentGuard(grown, { sessionId: "short" });
    await guard.addLabel("later");
    expect((await verifyStore(grown, { checkpoints: check(lines) })).problems).toEqual([]);
    expect((await verifyExport(each(await linesOf(grown)), { checkpoints: check(lines) })).problems).toEqual([]);
  });

  it("alone catch a tail that was rewritten with fitting hashes", async () => {
    const forged = await rewritten(base, REWRITTEN_TAIL);
    expect((await verifyStore(forged)).problems).toEqual([]);
    const found = [{ session: "short", index: LAST, what: "is not the record that was signed" }];
    expect((await verifyStore(forged, { checkpoints: check(await signed()) })).problems).toEqual(found);
    expect((await verifyExport(each(await linesOf(forged)), { checkpoints: check(await signed()) })).problems).toEqual(
      found,
    );
  });

  it("catch a session that became shorter, or is gone", async () => {
    const forged = await rewritten(base, (stream, content) => {
      if (stream === "session/long") return null;
      // A refusal at the end, which the head does not show.
      return stream === "session/short"
        ? { ...content, records: content.records.slice(0, REFUSED - 1), head: "" }
        : content;
    });
    const lines = await linesOf(forged);
    expect(await problemsOf(lines)).toEqual([]);
    expect((await verifyExport(each(lines), { checkpoints: check(await signed()) })).problems).toEqual([
      { session: "long", index: 1 + 3 + 2 * CALLS, what: "was signed, and the session is missing" },
      { session: "short", index: LAST, what: `was signed, and the session has only ${REFUSED - 1} records` },
    ]);
  });

  it.each([
    ["has a number twice", (line: string) => line.replace('"count":', '"count":1,"count":'), "is none"],
    ["has a session twice", (line: string) => line.replace("{", '{"session":"short",'), "is none"],
    ["has something else", (line: string) => line.replace("{", '{"note":"all is well",'), "is none"],
    ["has another signature text", (line: string) => line.replace('=="', '="'), "wrong signature"],
    [
      "has a space in its signature",
      (line: string) => line.replace('"signature":"', '"signature":" '),
      "wrong signature",
    ],
  ])("are not taken for the ones that were written where one %s", async (_name, change, what) => {
    const [first = ""] = await signed();
    expect((await verifyStore(base, { checkpoints: check([first]) })).problems).toEqual([]);
    const changed = change(first);
    expect(changed).not.toBe(first);
    expect((await verifyStore(base, { checkpoints: check([changed]) })).problems).toMatchObject([
      { what: expect.stringContaining(what) },
    ]);
  });

  it("are themselves checked", async () => {
    const [first = "", second = ""] = await signed();
    const other = generateKeyPairSync("ed25519");
    const ends = await endsOf(base);
    const lines = [
      second.replace(`"count":${LAST}`, `"count":${LAST - 1}`),
      ...checkpointLines(ends.slice(0, 1), other.privateKey, 1),
      "{}",
      first.replace(/"signature":".{8}/, '"signature":"AAAAAAAA'),
    ];
    expect((await verifyStore(base, { checkpoints: check(lines) })).problems).toEqual([
      {
        session: "short",
        index: LAST - 1,
        what: "the checkpoint has a wrong signature: it was changed, or signed by somebody else",
      },
      { session: "long", index: 1 + 3 + 2 * CALLS, what: "the checkpoint was signed with another key" },
      { session: null, index: null, what: "line 3 of the checkpoints is none" },
      {
        session: "long",
        index: 1 + 3 + 2 * CALLS,
        what: "the checkpoint has a wrong signature: it was changed, or signed by somebody else",
      },
    ]);
  });
});
