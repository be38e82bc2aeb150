import { fileURLToPath } from "node:url";
import { encodeArtifact } from "../../../dist/artifact/encode.js";
import { runTask } from "../child.mjs";
import { compileSound } from "../compile.mjs";
import { figure } from "../measure.mjs";
import { scenarioArtifact } from "../scenario/artifact.mjs";

const TRADING = fileURLToPath(new URL("../../../contracts/trading", import.meta.url));

/** What a session takes that waits for its next call: the guard as `createGuard` gives it, with all it alone holds. */
export const memory = {
  title: "Memory of sessions",
  figures: ["idle_session_bytes"],
  run(progress) {
    progress("2,000 guards of one artifact, 10,000 blocked calls");
    const input = { trading: encodeArtifact(compileSound(TRADING)), scenario: scenarioArtifact() };
    const { trading, scenario, growth } = runTask("memory", input, { flags: ["--expose-gc"] });
    return {
      figures: { idle_session_bytes: figure(trading, "bytes", { below: 10_000 }) },
      table: {
        columns: ["what", "bytes"],
        rows: [
          ["an idle guard, contracts/trading (8 tools)", Math.round(trading)],
          ["an idle guard, the scenario's pack (3 tools)", Math.round(scenario)],
          ["growth of one session by 10,000 blocked calls", growth],
        ],
      },
    };
  },
};
