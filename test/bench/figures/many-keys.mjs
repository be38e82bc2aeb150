import { compileSound, parseOnly } from "../compile.mjs";
import { onDisk, packWithKeys } from "../generated-pack.mjs";
import { figure, medians, rounded } from "../measure.mjs";

const SIZES = [100, 1000, 10_000];

function measureKeys(keys) {
  return onDisk(packWithKeys(keys), (folder) => {
    const tasks = { compile: () => compileSound(folder), parse: () => parseOnly(folder) };
    return { keys, ...medians(tasks, { warmUps: 3, repetitions: 7 }) };
  });
}

/** A mapping with many keys: `yaml` itself compares each key with all before it unless told not to. */
export const manyKeys = {
  title: "Compiling a mapping with many keys",
  figures: ["keys_10000_ms"],
  run(progress) {
    const measured = SIZES.map((keys) => {
      progress(`${keys} keys`);
      return measureKeys(keys);
    });
    const largest = measured.at(-1);
    return {
      figures: { keys_10000_ms: figure(largest.compile, "ms", { below: 1000 }) },
      table: {
        columns: ["keys", "compile ms", "parse ms (yaml's defaults)"],
        rows: measured.map(({ keys, compile, parse }) => [keys, rounded(compile), rounded(parse)]),
      },
    };
  },
};
