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
  /** As many as it takes until a snapshot is written. */
  async many(version) {
    for (let count = 0; count < 130; count += 1) {
      const end = await pay(version);
      if (end !== "paid") return end;
    }
    return "paid";
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
