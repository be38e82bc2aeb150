import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../support/run-cli.js";

const TYPES = join(REPOSITORY, "dist/types");
const ROOT = "index.d.ts";
/** Those of package.json. */
const ENTRIES = Object.values<unknown>(
  JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")).exports,
).flatMap((entry) => /^\.\/dist\/types\/(.+)$/.exec(String(Object(entry).types))?.[1] ?? []);

/** A declaration, as `file name`. */
type Declared = string;

/** The names that `import` or `export … from` statements of a declaration file bring in, with their origin. */
function namesFrom(file: string, keyword: "import" | "export"): ReadonlyMap<string, Declared> {
  const text = readFileSync(join(TYPES, file), "utf8");
  const statements = text.matchAll(new RegExp(`^${keyword} (?:type )?\\{([^}]*)\\} from "([^"]+)";`, "gm"));
  const names = new Map<string, Declared>();
  for (const [, list = "", target = ""] of statements) {
    // The types of a framework come with the framework.
    if (!target.startsWith(".")) continue;
    const source = join(dirname(file), target).replace(/\.js$/, ".d.ts");
    for (const item of list.split(",")) {
      const [name = "", alias = name] = item
        .replace(/\btype /, "")
        .trim()
        .split(" as ");
      if (name !== "") names.set(alias, origin(source, name));
    }
  }
  return names;
}

/** Where a name is declared, through files that only pass it on. */
function origin(file: string, name: string): Declared {
  return namesFrom(file, "export").get(name) ?? `${file} ${name}`;
}

/** What an entry point declares itself. */
function declaredIn(file: string): readonly Declared[] {
  const text = readFileSync(join(TYPES, file), "utf8");
  const names = text.matchAll(/^export (?:declare )?(?:interface|type|class|function|const) (\w+)/gm);
  return [...names].map(([, name = ""]) => `${file} ${name}`);
}

/** The text of a declaration without comments and texts, up to the next one of its file. */
function textOf(declared: Declared): string {
  const [file = "", name = ""] = declared.split(" ");
  const text = readFileSync(join(TYPES, file), "utf8")
    .replaceAll(/\/\*.*?\*\//gs, "")
    .replaceAll(/(?<!import\()"[^"\n]*"/g, '""');
  const start = text.search(
    new RegExp(`^(?:export )?(?:declare )?(?:interface|type|class|function|const) ${name}\\b`, "m"),
  );
  expect(start, `${declared} is declared`).toBeGreaterThanOrEqual(0);
  const rest = text.slice(start);
  const end = rest.slice(1).search(/^(?:export|declare|interface|type|import)\b/m);
  return end === -1 ? rest : rest.slice(0, end + 1);
}

/** The types that a declaration mentions: imported ones, and others of its own file. */
function mentionsOf(declared: Declared): readonly Declared[] {
  const [file = "", name = ""] = declared.split(" ");
  const own = [
    ...readFileSync(join(TYPES, file), "utf8").matchAll(/^(?:export )?(?:declare )?(?:interface|type|class) (\w+)/gm),
  ];
  const known = new Map([
    ...own.map(([, type = ""]) => [type, `${file} ${type}`] as const),
    ...namesFrom(file, "import"),
  ]);
  const text = textOf(declared);
  const inline = [...text.matchAll(/import\("([^"]+)"\)\.(\w+)/g)].map(([, target = "", type = ""]) =>
    origin(join(dirname(file), target).replace(/\.js$/, ".d.ts"), type),
  );
  const words = text
    .replaceAll(/import\("[^"]+"\)\.\w+/g, "")
    // Neither values nor the names of members and parameters.
    .matchAll(/(?<!typeof |\.)\b[A-Z]\w*\b(?!\??:)/g);
  const mentioned = [...words].flatMap(([word]) => (word === name ? [] : (known.get(word) ?? [])));
  return [...new Set([...mentioned, ...inline])];
}

describe("the types of the package", () => {
  const exportedBy = new Map(
    ENTRIES.map((entry) => [entry, new Set([...namesFrom(entry, "export").values(), ...declaredIn(entry)])]),
  );

  it.each(ENTRIES)("that %s exports mention only types that can be imported too", (entry) => {
    const importable = new Set([...(exportedBy.get(entry) ?? []), ...(exportedBy.get(ROOT) ?? [])]);
    const missing = [...(exportedBy.get(entry) ?? [])].flatMap((declared) =>
      mentionsOf(declared)
        .filter((mentioned) => !importable.has(mentioned))
        .map((mentioned) => `${declared}: ${mentioned}`),
    );
    expect(missing).toEqual([]);
  });

  it("are all found", () => {
    expect(ENTRIES.length).toBeGreaterThan(10);
    expect(mentionsOf("guard/guard-api.d.ts Guard")).toContain("guard/public.d.ts SettleResult");
    expect(mentionsOf("guard/public.d.ts SettleResult")).toEqual(["guard/public.d.ts Violation"]);
  });
});
