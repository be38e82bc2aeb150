import { compileSound, parseOnly } from "../compile.mjs";
import { onDisk, packOfTools } from "../generated-pack.mjs";
import { figure, medians, rounded } from "../measure.mjs";

/** Small packs take less than a millisecond a tool, so they are repeated more often. */
const SIZES = [
  { tools: 10, warmUps: 20, repetitions: 51 },
  { tools: 100, warmUps: 5, repetitions: 15 },
  { tools: 1000, warmUps: 2, repetitions: 7 },
];

function measureSize({ tools, ...rounds }) {
  return onDisk(packOfTools(tools), (folder) => {
    const { compile, parse } = medians({ compile: () => compileSound(folder), parse: () => parseOnly(folder) }, rounds);
    return { tools, compile, parse, ratio: compile / parse, perTool: compile / tools };
  });
}

/** How long a whole compile takes, beside only parsing the same files with the same library, and how that grows. */
export const compileTime = {
  title: "Compiling generated packs from disk",
  figures: ["compile_1000_vs_parse", "compile_growth_10_to_1000"],
  run(progress) {
    const measured = SIZES.map((size) => {
      progress(`${size.tools} tools`);
      return measureSize(size);
    });
    const [, hundred, thousand] = measured;
    return {
      figures: {
        compile_1000_vs_parse: figure(thousand.ratio, "times", { atMost: 3 }),
        compile_growth_10_to_1000: figure(thousand.perTool / hundred.perTool, "times", { atMost: 1.2 }),
      },
      table: {
        columns: ["tools", "compile ms", "parse ms", "ratio", "compile ms/tool"],
        rows: measured.map(({ tools, compile, parse, ratio, perTool }) => [
          tools,
          ...[compile, parse, ratio, perTool].map(rounded),
        ]),
      },
    };
  },
};
