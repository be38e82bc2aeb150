import { did, guardOf, openWorkStore, pay, say, work } from "./paying.mjs";

/**
 * A worker that may be killed at any instant. It makes the payments of its plan, some at once, some through `wrap` and some
 * through `propose` and `settle`, and says how each of them ended.
 */
const store = await openWorkStore();
const resolver = ({ fields }) => did(fields.reference);
const guard = await guardOf(store, work.resolves ? { resolver } : {});
const wrapped = guard.wrap(pay);
say("ready");

/** How a payment ended, as its guard is told. */
async function outcomeOf({ fate, ...args }) {
  try {
    return { kind: "result", output: await pay("pay", args, { fate }) };
  } catch ({ status }) {
    return status === undefined ? { kind: "error" } : { kind: "error", status };
  }
}

async function proposed({ fate, ...args }) {
  const verdict = await guard.propose({ tool: "pay", args, callKey: args.reference });
  if (verdict.kind !== "allow") return verdict.reason;
  const outcome = await outcomeOf({ fate, ...args });
  await guard.settle(verdict.callId, outcome);
  return outcome.kind === "result" ? "paid" : "failed";
}

async function carried({ fate, ...args }) {
  try {
    await wrapped("pay", args, { fate });
    return "paid";
  } catch (cause) {
    return cause.name === "ContractViolation" ? cause.verdict.reason : "failed";
  }
}

for (const batch of work.plan) {
  await Promise.all(
    batch.map(async ({ how, ...payment }) => {
      const end = how === "wrap" ? await carried(payment) : await proposed(payment);
      say("ended", payment.reference, end);
    }),
  );
}
await store.close();
say("done");
