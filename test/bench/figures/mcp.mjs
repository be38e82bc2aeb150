import { runTask } from "../child.mjs";
import { figure, rounded } from "../measure.mjs";
import { scenarioArtifact } from "../scenario/artifact.mjs";

/** What the guard adds to a proxy of MCP that does nothing. */
export const mcp = {
  title: "A call through an MCP proxy: guarded beside empty",
  figures: ["mcp_proxy_vs_empty_proxy"],
  run(progress) {
    progress("calls one after the other, through proxies that take turns");
    const { empty, guarded } = runTask("mcp", { artifact: scenarioArtifact() });
    return {
      figures: { mcp_proxy_vs_empty_proxy: figure(guarded / empty, "ratio", { atMost: 1.15 }) },
      table: {
        columns: ["proxy", "µs per call, p50"],
        rows: [
          ["empty", rounded(empty)],
          ["guarded", rounded(guarded)],
        ],
      },
    };
  },
};
