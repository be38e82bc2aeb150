import { runTask } from "../child.mjs";
import { figure, rounded } from "../measure.mjs";
import { scenarioArtifact } from "../scenario/artifact.mjs";

/** What guard and kit add to a bare `fetch` to the same proxy on loopback. */
export const kit = {
  title: "A proxied call: guard and kit beside a bare fetch",
  figures: ["kit_overhead_c1", "kit_overhead_c16"],
  run(progress) {
    progress("calls one after the other, and sixteen at once, taking turns with a bare fetch");
    const { one, sixteen } = runTask("kit", { artifact: scenarioArtifact() });
    const overhead = ({ bare, kit: own }) => ((own - bare) / bare) * 100;
    const row = (name, times) => [name, rounded(times.bare), rounded(times.kit), rounded(overhead(times))];
    return {
      figures: {
        kit_overhead_c1: figure(overhead(one), "percent", { atMost: 10 }),
        kit_overhead_c16: figure(overhead(sixteen), "percent", { atMost: 10 }),
      },
      table: {
        columns: ["calls at once", "bare fetch µs", "guard and kit µs", "overhead %"],
        rows: [row("1", one), row("16", sixteen)],
      },
    };
  },
};
