import { did, guardOf, openWorkStore, pay, say, work } from "./paying.mjs";

/**
 * A worker that does everything a guarded session has in it: once, however often it is started. It can be told to die before
 * or after its n-th request to the store, and says what each of them was for.
 */
let step = "open";
let requests = 0;

function die() {
  process.kill(process.pid, "SIGKILL");
}

function recordsIn(writes, stream) {
  return writes.filter((write) => write.stream === stream).reduce((sum, { records }) => sum + records.length, 0);
}

/** A store that counts its requests. */
function counted(store) {
  const request = async (method, args) => {
    requests += 1;
    const isFatal = requests === work.dies?.at;
    const records = method === "append" ? recordsIn(args[1], `session/${work.session}`) : 0;
    say("request", step, method, records);
    if (isFatal && work.dies.when === "before") die();
    const answer = await store[method](...args);
    if (isFatal) die();
    return answer;
  };
  const methods = ["load", "append", "read", "list", "watch"];
  const asked = methods.map((method) => [method, (...args) => request(method, args)]);
  return { kind: store.kind, close: () => store.close(), ...Object.fromEntries(asked) };
}

const real = await openWorkStore();
const store = counted(real);
const guard = await guardOf(store);

step = "leftovers";
for (const { callId, fields } of guard.unsettled()) {
  await guard.settle(callId, { kind: await did(fields.reference) });
}

const before = guard.state();
step = "step";
if (before.steps === 0 && !before.killed) await guard.beginStep();
step = "cost";
if (before.cost === 0) await guard.recordCost(1);
step = "label";
if (!before.labels.includes("seen")) await guard.addLabel("seen");

async function send(callId, args) {
  const output = await pay("pay", args);
  step = `${step.split(" ")[0]} settle`;
  await guard.settle(callId, { kind: "result", output });
}

/** Under its key the call is reserved once; whoever gets a refusal or a repeated verdict does not send it. */
step = "keyed propose";
const keyed = { reference: `${work.session}-keyed`, amount: 10 };
const first = await guard.propose({ tool: "pay", args: keyed, callKey: "keyed" });
if (first.kind === "allow" && first.repeated !== true) await send(first.callId, keyed);

/** Without a key the next worker asks what became of it, and pays anew only what did not happen. */
step = "wrapped";
const wrapped = `${work.session}-wrapped`;
if (work.isFirst || (await did(wrapped)) !== "happened") {
  const reference = work.isFirst ? wrapped : `${wrapped}-again`;
  await guard
    .wrap(pay)("pay", { reference, amount: 20 })
    .catch((cause) => say("refused", cause.verdict?.reason));
}

step = "approved propose";
const large = { reference: `${work.session}-approved`, amount: 600 };
const asked = await guard.propose({ tool: "pay", args: large, callKey: "approved" });
const [listed] = asked.reason === "session_paused" ? await real.list({ prefix: `session/${work.session}` }) : [];
const approvalId = asked.approvalId ?? (listed && JSON.parse(listed.head).pendingApproval);
if (approvalId !== undefined) {
  step = "approved colleague";
  const colleague = await guardOf(store);
  step = "approved answer";
  await colleague.approve(approvalId, { by: "ann" });
  step = "approved resume";
  const verdict = await guard.resume(approvalId);
  if (verdict.kind === "allow" && verdict.repeated !== true) await send(verdict.callId, large);
}

step = "kill";
await guard.kill("all is done");
await real.close();
say("done");
