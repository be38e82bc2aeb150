import { openStore } from "contract-guard/stores";
import { Actor } from "./actor.mjs";

/** All agents in this process. A crash is a view of the workflow that is dropped, with all it knew. */
export async function inOneProcess({ artifact, url, workflowId }) {
  const store = await openStore(url);
  const actors = new Map();
  return {
    async perform({ by, ...step }) {
      const actor = actors.get(by) ?? (await Actor.open(by, { artifact, store, workflowId }));
      actors.set(by, actor);
      return actor.perform(step);
    },
    async crash(name) {
      actors.delete(name);
    },
    close: () => store.close(),
  };
}
