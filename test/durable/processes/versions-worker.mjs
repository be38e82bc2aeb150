import { readFileSync } from "node:fs";
import { openStore } from "../../../dist/bundle/stores.js";
import { say, work } from "./work.mjs";

/** Guards of several versions of the package in one process, on one session, in the order that it is told. */
const artifact = JSON.parse(readFileSync(work.artifact, "utf8"));
const store = await openStore(work.url, { synchronous: "normal" });
const guards = new Map();
let serial = 0;

async function opened(version) {
  const { createGuard } = await import(work.packages[version]);
  return createGuard(artifact, { store, sessionId: work.session, storeTimeoutMs: 2_000 });
}

async function guardOf(version) {
  const guard = guards.get(version) ?? (await opened(version));
  guards.set(version, guard);
  return guard;
}

async function pay(version) {
  serial += 1;
  const wrapped = (await guardOf(version)).wrap(async () => ({}));
  return wrapped("pay", { reference: `payment-${serial}`, amount: 1 }).then(
    () => "paid",
    ({ verdict, name }) => verdict?.reason ?? name,
  );
}

const steps = {
  pay,
  /** Until the last record comes with a snapshot. */
  async fill(version) {
    const guard = await guardOf(version);
    const stream = `session/${work.session}`;
    for (;;) {
      serial += 1;
      const args = { reference: `payment-${serial}`, amount: 1 };
      const { callId } = await guard.propose({ tool: "pay", args });
      const { snapshot, revision } = await store.load(stream);
      if (snapshot?.revision === revision) return serial;
      await guard.settle(callId, { kind: "result", output: {} });
    }
  },
  /** Another guard of this version, as after a restart. */
  open: (version) =>
    opened(version).then(
      ({ state }) => `opened ${typeof state}`,
      ({ message }) => message,
    ),
  calls: async (version) => (await opened(version)).state().toolCalls,
};

for (const [version, step] of work.steps) say(version, step, await steps[step](version));
await store.close();
