import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { deferredPackages, writeDeferred } from "./deferred-packages.mjs";
import { lazyGroups } from "./lazy-groups.mjs";

/**
 * Makes what is published from the sources and from the declarations that `tsc` wrote to dist/:
 *   dist/bundle/  the entry points and what they share, in a few files: loading hundreds takes longer than running them
 *   dist/types/   the declarations that the entry points reach
 * Our own code is not minified, so that a stack trace leads to readable code.
 */
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BUNDLE = join(ROOT, "dist/bundle");
const MANIFEST = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
/** The source of each file that the package exports: it stands where the declarations of the export say. */
const LIBRARY = Object.fromEntries(
  Object.values(MANIFEST.exports).flatMap(({ types, default: file }) =>
    types === undefined ? [] : [[inside("dist/bundle", file, ".js"), inside("dist/types", types, ".d.ts")]],
  ),
);
const COMMAND_LINE = { cli: "cli/main" };
/** Started as a thread, by the library and by the command line. */
const THREAD = { "sqlite-worker": "stores/sqlite/sqlite-worker" };

/** The path of an export below a folder, without its extension. */
function inside(folder, path, extension) {
  if (!path.startsWith(`./${folder}/`) || !path.endsWith(extension)) {
    throw new Error(`package.json: \`${path}\` is not a file of ${folder} that ends with ${extension}`);
  }
  return path.slice(folder.length + 3, -extension.length);
}

const resolve = createRequire(import.meta.url).resolve;

/**
 * The dependencies of a user's installation stay imports. What only the build has becomes part of the bundle: packages that
 * every command loads, and whose files take longer to load than to run. Of three of them the files are named that Node
 * would not take, because those are modules.
 */
const EXTERNAL = Object.keys({ ...MANIFEST.dependencies, ...MANIFEST.peerDependencies }).flatMap((name) => [
  name,
  `${name}/*`,
]);
const MODULES = {
  yaml: join(dirname(resolve("yaml/package.json")), "browser/index.js"),
  "@eslint-community/regexpp": resolve("@eslint-community/regexpp").replace(/\.js$/, ".mjs"),
  "jsonc-parser": join(dirname(resolve("jsonc-parser/package.json")), "lib/esm/main.js"),
};
/** For the packages that are no modules: they ask for parts of Node so. */
const REQUIRE =
  'import { createRequire as requireFrom } from "node:module";\nconst require = requireFrom(import.meta.url);\n';

/** Generated code stays as it is: nobody reads it, and written out in lines it takes longer to load. */
const COPIED = {
  name: "copied",
  setup({ onResolve }) {
    onResolve({ filter: /-validators\.js$/ }, ({ path, resolveDir }) => {
      const name = basename(path);
      cpSync(join(resolveDir, path), join(BUNDLE, name));
      return { path: `./${name}`, external: true };
    });
  },
};

/**
 * Packages in the bundle are made smaller: they are a large part of what a check or a guard loads, and no stack trace needs to lead
 * into them. What they throw is caught and worded by us. The one for expressions reads the names of its own classes, so names stay there.
 */
const SMALLER = {
  name: "smaller",
  setup({ onLoad }) {
    const smaller = (options) => async (file) => {
      const text = readFileSync(file.path, "utf8");
      return { contents: (await transform(text, { ...options, target: "node20" })).code };
    };
    onLoad(
      { filter: /\/(?:@eslint-community\/regexpp|@dagrejs\/graphlib|commander|yaml)\/.*\.m?js$/ },
      smaller({ minify: true }),
    );
    onLoad({ filter: /\/@marcbachmann\/cel-js\// }, smaller({ minifyWhitespace: true, minifySyntax: true }));
  },
};

const OPTIONS = {
  absWorkingDir: ROOT,
  platform: "node",
  target: "node20",
  external: EXTERNAL,
  alias: MODULES,
  logLevel: "warning",
};

/**
 * The library, the command line and the thread share no file: each then has few, and nobody uses the first two at once. The
 * entry points of the library do share theirs: an error of a store is the same class everywhere. What is injected is part of
 * each entry point, and so becomes one file.
 */
async function bundle(entries, { banner = "", inject = [], isCommandLine = false } = {}) {
  const { metafile } = await build({
    ...OPTIONS,
    entryPoints: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, `src/${file}.ts`])),
    outdir: BUNDLE,
    bundle: true,
    splitting: true,
    format: "esm",
    banner: { js: banner },
    plugins: [
      ...(isCommandLine ? [deferredPackages] : []),
      lazyGroups(join(ROOT, "src"), { isCommandLine }),
      SMALLER,
      COPIED,
    ],
    inject,
    metafile: true,
  });
  return Object.keys(metafile.inputs);
}

/** The licenses of the packages in the bundle ask for this. Of ajv a function is part of the generated validators. */
function writeLicenses(inputs) {
  const bundled = inputs.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  const packages = new Set(["ajv", ...bundled]);
  const texts = [...packages].sort().map((name) => {
    const folder = join(ROOT, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((each) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(each));
    if (file === undefined) throw new Error(`${name} has no license to copy; keep it a dependency`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
  writeFileSync(join(BUNDLE, "LICENSES.txt"), texts.join(`\n${"-".repeat(72)}\n\n`));
}

/** The declarations that these reach, themselves included. */
function reached(files) {
  const found = new Set(files);
  for (const file of found) {
    const text = readFileSync(file, "utf8");
    for (const [, target] of text.matchAll(/(?:\bfrom |\bimport\()"(\.[^"]+)\.js"/g)) {
      found.add(join(dirname(file), `${target}.d.ts`));
    }
  }
  return found;
}

function writeTypes() {
  const [dist, types] = [join(ROOT, "dist"), join(ROOT, "dist/types")];
  rmSync(types, { recursive: true, force: true });
  for (const file of reached(Object.values(LIBRARY).map((entry) => join(dist, `${entry}.d.ts`)))) {
    cpSync(file, join(types, relative(dist, file)));
  }
}

rmSync(BUNDLE, { recursive: true, force: true });
mkdirSync(BUNDLE, { recursive: true });
const inputs = [
  // All of the library works with the guard. Its code in one file loads faster than in one for each set of users.
  await bundle(LIBRARY, { inject: ["src/guard/entry.ts"] }),
  await bundle(THREAD),
  await bundle(COMMAND_LINE, { banner: REQUIRE, isCommandLine: true }),
  await writeDeferred(BUNDLE, { ...OPTIONS, plugins: [SMALLER] }),
];
writeLicenses(inputs.flat());
writeTypes();
