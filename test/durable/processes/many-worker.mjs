import { guardOf, openWorkStore, say, work } from "./paying.mjs";

/**
 * One of several workers that make many calls on the same sessions. Paying is a function of its own here: what counts is how
 * many calls were let through. It says each payment, and each refusal that was recorded.
 */
const store = await openWorkStore();
const guards = new Map();

function guardFor(session) {
  const known = guards.get(session) ?? guardOf(store, { sessionId: session, settleTimeoutMs: 300_000 });
  guards.set(session, known);
  return known;
}

async function pay(_, { reference, amount }) {
  say("paid", reference, amount);
  return {};
}

/** Others may keep changing the session for so long that the guard gives up; nothing was recorded then. */
async function insist(session, args) {
  const wrapped = (await guardFor(session)).wrap(pay);
  for (;;) {
    try {
      await wrapped("pay", args);
      return;
    } catch (cause) {
      const { reason } = cause.verdict ?? {};
      if (reason === undefined) throw cause;
      if (reason !== "store_contended") return say("refused", args.reference, reason);
      say("contended", args.reference);
    }
  }
}

const { sessions, calls, writer, lanes } = work;
let next = 0;
async function lane() {
  while (next < calls) {
    const index = next++;
    const session = sessions[index % sessions.length];
    await insist(session, { reference: `${session}/${writer}-${index}`, amount: 1 + (index % 3) });
  }
}
await Promise.all(Array.from({ length: lanes }, lane));
await store.close();
say("done");
