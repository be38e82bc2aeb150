import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openStore } from "../../../dist/stores/open-store.js";
import { withSchema } from "../durable/postgres-contestants.mjs";
import { OUTPUT, openGuard } from "../durable/session.mjs";
import { withFolder } from "../durable/sqlite-contestants.mjs";
import { readArtifact } from "../scenario/guard.mjs";

const WARM_UPS = 20;
const CALLS = 200;
const SESSION = "approvals";
const APPROVER = fileURLToPath(new URL("../durable/approver.mjs", import.meta.url));

/** Milliseconds between two times of the approver's clock. */
function between(start, end) {
  return Number(BigInt(end) - BigInt(start)) / 1e6;
}

/** How long a call waits before it is approved: somewhere between two looks at the store, each time somewhere else. */
function waitMs(index) {
  return 30 + ((index * 7) % 31);
}

/** Makes one call that another process approves: when that was asked for, recorded, and when the call was sent. */
async function waitingCall(guard, approver, index) {
  let sent = null;
  const call = guard.wrap(async () => {
    sent = process.hrtime.bigint();
    return OUTPUT;
  });
  const requested = new Promise((resolve) => {
    const stop = guard.on("approval_requested", ({ approvalId }) => {
      stop();
      resolve(approvalId);
    });
  });
  const calling = call("pay_out", { amount: 10 });
  const approvalId = await requested;
  await setTimeout(waitMs(index));
  const answered = once(approver, "message");
  approver.send({ approvalId });
  const [[{ kind, asked, recorded }]] = await Promise.all([answered, calling]);
  if (kind !== "recorded") throw new Error(`the approval was not recorded, but ${kind}`);
  return { sinceAsked: between(asked, sent), sinceRecorded: between(recorded, sent) };
}

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1];
}

/** Milliseconds from an approval to the call that waits for it, on one store. */
async function seen(url, text) {
  const store = await openStore(url);
  const approver = fork(APPROVER, [url, SESSION], { stdio: "inherit" });
  try {
    const guard = await openGuard(readArtifact(text), store, SESSION);
    const ready = once(approver, "message");
    approver.send({ artifact: text });
    await ready;
    const times = [];
    for (let index = -WARM_UPS; index < CALLS; index++) {
      const time = await waitingCall(guard, approver, index + WARM_UPS);
      if (index >= 0) times.push(time);
    }
    const of = (name) => times.map((time) => time[name]);
    return {
      p50: percentile(of("sinceRecorded"), 0.5),
      p95: percentile(of("sinceRecorded"), 0.95),
      askedP95: percentile(of("sinceAsked"), 0.95),
    };
  } finally {
    const ended = once(approver, "exit");
    approver.disconnect();
    await ended;
    await store.close();
  }
}

/** The same for a store in a file and, where there is a server, for one on it. */
export async function measure({ server, artifact }) {
  const sqlite = await withFolder((folder) => seen(`sqlite:${join(folder, "guard.db")}`, artifact));
  const postgres = server === null ? null : await withSchema(server, (url) => seen(url, artifact));
  return { sqlite, postgres };
}
