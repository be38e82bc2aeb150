import { createGuard, decodeArtifact } from "../../dist/bundle/guard.js";
import { openStore } from "../../dist/bundle/stores.js";

/**
 * A process with a guard. Each line of standard input is JSON: a call that is made through the wrapped function. Each line
 * of standard output says what came of one, or which approval is waited for.
 */
const { url, artifact, sessionId, requester } = JSON.parse(process.argv[2] ?? "{}");
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

const store = await openStore(url);
const decoded = decodeArtifact(artifact);
const guard = await createGuard(decoded.artifact, { store, sessionId, requester, approver: "manual", env: {} });
guard.on("approval_requested", ({ approvalId }) => say({ asked: approvalId }));
const call = guard.wrap(async (tool) => ({ sent: tool }));
say({ ready: true });

let rest = "";
for await (const chunk of process.stdin.setEncoding("utf8")) {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const { tool, args } = JSON.parse(line);
    await call(tool, args).then(say, ({ name, verdict, reason }) =>
      say({ refused: verdict?.reason ?? reason ?? name }),
    );
  }
}
await store.close();
