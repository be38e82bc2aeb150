import { openStore } from "../../../dist/stores/open-store.js";
import { makeCall, readyGuard } from "./session.mjs";

/**
 * The appends that a guard makes for its calls, to be sent without a guard: the same streams, revisions and texts. The guard
 * that makes them records in memory, before the time is taken.
 */
export class SameAppends {
  constructor() {
    this.made = [];
  }

  /** Begins the session, in the given store as well. */
  static async of(artifact, store, sessionId) {
    const appends = new SameAppends();
    const memory = await openStore("memory:");
    const noting = {
      kind: memory.kind,
      load: (stream, options) => memory.load(stream, options),
      list: (options) => memory.list(options),
      read: (stream, after, limit) => memory.read(stream, after, limit),
      watch: (stream, listener) => memory.watch(stream, listener),
      close: () => memory.close(),
      append: (appendId, writes) => {
        appends.made.push({ appendId, writes });
        return memory.append(appendId, writes);
      },
    };
    appends.guard = await readyGuard(artifact, noting, sessionId);
    for (const { appendId, writes } of appends.take()) await store.append(appendId, writes);
    return appends;
  }

  /** Those of some calls, two for each. */
  async of(calls) {
    for (const call of calls) await makeCall(this.guard, call);
    return this.take();
  }

  take() {
    const { made } = this;
    this.made = [];
    return made;
  }
}
