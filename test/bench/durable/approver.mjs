import { openStore } from "../../../dist/stores/open-store.js";
import { readArtifact } from "../scenario/guard.mjs";
import { openGuard } from "./session.mjs";

/** The clock that all processes of a machine share. */
function nanoseconds() {
  return process.hrtime.bigint().toString();
}

/** A process that approves what it is told to, through a guard of its own, and answers when that was recorded. */
const [url, sessionId] = process.argv.slice(2);
const store = await openStore(url);
let guard = null;
process.on("message", async ({ artifact, approvalId }) => {
  if (artifact !== undefined) {
    guard = await openGuard(readArtifact(artifact), store, sessionId);
    process.send({ isReady: true });
    return;
  }
  const asked = nanoseconds();
  const { kind } = await guard.approve(approvalId, { by: "bench" });
  process.send({ kind, asked, recorded: nanoseconds() });
});
process.on("disconnect", () => store.close());
