import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import type { Evaluator } from "./compare.js";
import type { Mutant } from "./mutants.js";

const FOLDER = dirname(dirname(fileURLToPath(import.meta.url)));

/** Changes the text of one file while it is read; a text that is not there would make no mutant. */
function changing({ what, file, from, to }: Mutant): Plugin {
  return {
    name: "mutant",
    setup({ onLoad }) {
      onLoad({ filter: /reference[\\/]expression[\\/][a-z]+\.ts$/ }, ({ path }) => {
        const contents = readFileSync(path, "utf8");
        if (basename(path) !== file) return { contents, loader: "ts" };
        if (contents.split(from).length !== 2) throw new Error(`${what}: ${file} does not have its text once`);
        return { contents: contents.replace(from, () => to), loader: "ts" };
      });
    },
  };
}

function isLoaded(module: unknown): module is { readonly evaluateByReference: Evaluator } {
  return typeof module === "object" && module !== null && "evaluateByReference" in module;
}

/** The reference with a fault. */
export async function loadMutant(mutant: Mutant): Promise<Evaluator> {
  const { outputFiles } = await build({
    entryPoints: [join(FOLDER, "model.ts")],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    plugins: [changing(mutant)],
  });
  const [file] = outputFiles;
  const module: unknown = await import(
    `data:text/javascript;base64,${Buffer.from(file?.contents ?? []).toString("base64")}`
  );
  if (!isLoaded(module)) throw new Error(`${mutant.what}: the module has no evaluator`);
  return module.evaluateByReference;
}
