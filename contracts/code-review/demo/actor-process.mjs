import { openStore } from "contract-guard/stores";
import { Actor } from "./actor.mjs";

// One agent of the demo. It is told who it is, then one step after the other; it ends when there is nobody to tell it more.
let store;
let actor;
let work = Promise.resolve();

async function answer({ step, ...setting }) {
  try {
    if (step !== undefined) return { result: await actor.perform(step) };
    const { name, artifact, url, workflowId } = setting;
    store = await openStore(url);
    actor = await Actor.open(name, { artifact, store, workflowId });
    return null;
  } catch (cause) {
    return { error: cause.message };
  }
}

process.on("message", (message) => {
  work = work.then(async () => {
    const reply = await answer(message);
    if (reply !== null) process.send(reply);
  });
});
process.on("disconnect", () => store?.close());
