import { openStore } from "../../../dist/bundle/stores.js";
import { say, work } from "./work.mjs";

/** A worker that opens a store and says how many records a session has there, or why it cannot be opened. */
try {
  const store = await openStore(work.url);
  const { revision } = await store.load(`session/${work.sessionId}`);
  say("opened", revision);
  await store.close();
} catch ({ code }) {
  say(code);
}
