import { build } from "esbuild";

/**
 * Packages that most packs do not need, and what the sources import of each. The command line has each as a file of its own and
 * loads it when one of its functions is called. That file is no module, because `compile` cannot wait for one.
 */
const DEFERRED = {
  "@eslint-community/regexpp": { file: "regexpp.cjs", names: ["RegExpParser", "RegExpSyntaxError", "visitRegExpAST"] },
  "@marcbachmann/cel-js": { file: "cel.cjs", names: ["Environment", "ParseError"] },
  "jsonc-parser": { file: "jsonc.cjs", names: ["parseTree", "printParseErrorCode"] },
};
const FILES = new Set(Object.values(DEFERRED).map(({ file }) => `./${file}`));
/** Commander has it for commands that are programs of their own; there are none here. */
const PROCESSES = "node:child_process";
const DEFERRED_PROCESSES = `module.exports = { get spawn() { return require("${PROCESSES}").spawn; } };`;

/** What is imported instead: each name loads the package when it is called, constructed or asked for a member. */
function standIn({ file, names }) {
  return `
    let loaded;
    const load = () => (loaded ??= require("./${file}"));
    const deferred = (name) =>
      new Proxy(function () {}, {
        apply: (_, self, given) => Reflect.apply(load()[name], self, given),
        construct: (_, given) => Reflect.construct(load()[name], given),
        get: (_, key) => load()[name][key],
      });
    ${names.map((name) => `export const ${name} = deferred("${name}");`).join("\n")}
  `;
}

/** Puts the stand-ins into what is bundled. */
export const deferredPackages = {
  name: "deferred-packages",
  setup({ onResolve, onLoad }) {
    const deferred = (path) => ({ path, namespace: "deferred" });
    onResolve({ filter: /^[^.]/ }, ({ path, importer }) => {
      if (path in DEFERRED) return deferred(path);
      return path === PROCESSES && importer.includes("/node_modules/commander/") ? deferred(path) : null;
    });
    onResolve({ filter: /^\.\/[a-z]+\.cjs$/, namespace: "deferred" }, ({ path }) =>
      FILES.has(path) ? { path, external: true } : null,
    );
    onLoad({ filter: /.*/, namespace: "deferred" }, ({ path }) => ({
      contents: path === PROCESSES ? DEFERRED_PROCESSES : standIn(DEFERRED[path]),
    }));
  },
};

/** Writes the files that the stand-ins load. Returns the files that they were made of. */
export async function writeDeferred(folder, options) {
  const { metafile } = await build({
    ...options,
    entryPoints: Object.entries(DEFERRED).map(([name, { file }]) => ({ in: name, out: file.replace(/\.cjs$/, "") })),
    outdir: folder,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    metafile: true,
  });
  return Object.keys(metafile.inputs);
}
