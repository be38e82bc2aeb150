import { describe } from "vitest";
import { type RefusedPack, testAccepted, testRefused, toolText, toolWithArguments } from "../support/hostile-pack.js";

/** Levels above the value in `toolWithArguments`: the file, the list of cases, the case, its arguments. */
const LEVELS_ABOVE_ARGUMENT = 4;
/** Levels above a `default` in the first schema of tools.json: the list, the definition, the schema. */
const LEVELS_ABOVE_DEFAULT = 3;

function flowLists(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}

function flowMappings(levels: number): string {
  return `${"{ a: ".repeat(levels - 1)}{}${" }".repeat(levels - 1)}`;
}

function blockLists(levels: number): string {
  return `\n        ${"- ".repeat(levels - 1)}[]`;
}

function blockMappings(levels: number): string {
  const keys = Array.from({ length: levels - 1 }, (_, level) => `\n${" ".repeat(8 + level)}a:`);
  return `${keys.join("")} {}`;
}

const STYLES = { flowLists, flowMappings, blockLists, blockMappings };
const WORDS = {
  flowLists: "lists in flow style",
  flowMappings: "mappings in flow style",
  blockLists: "lists in block style",
  blockMappings: "mappings in block style",
} as const;

type Style = keyof typeof STYLES;
const EVERY_STYLE: readonly Style[] = ["flowLists", "flowMappings", "blockLists", "blockMappings"];

function nestedArgument(style: Style, depth: number) {
  const text = () => STYLES[style](depth - LEVELS_ABOVE_ARGUMENT);
  return {
    what: `YAML ${depth} levels deep, of ${WORDS[style]}`,
    files: () => ({ "t.yaml": toolWithArguments(`\n      a: ${text()}`) }),
  };
}

function nestedDefault(depth: number) {
  const value = () => flowLists(depth - LEVELS_ABOVE_DEFAULT);
  return {
    what: `tools.json ${depth} levels deep`,
    files: () => ({
      "t.yaml": toolText(),
      "tools.json": `[{ "name": "t", "input_schema": { "default": ${value()} } }]`,
    }),
  };
}

function deepFile(what: string, name: string, text: () => string): RefusedPack {
  return { what, code: "too_deep", files: () => ({ "t.yaml": toolText(), [name]: text() }) };
}

describe("nesting at the limit", () => {
  testAccepted([...EVERY_STYLE.map((style) => nestedArgument(style, 100)), nestedDefault(100)]);
});

describe("nesting beyond the limit", () => {
  testRefused([
    ...EVERY_STYLE.map((style) => ({ ...nestedArgument(style, 101), code: "too_deep" })),
    { ...nestedDefault(101), code: "too_deep" },
  ]);
});

describe("nesting without end", () => {
  testRefused([
    deepFile("half a million open lists", "x.yaml", () => "[".repeat(500_000)),
    deepFile("half a million closed lists", "x.yaml", () => flowLists(500_000)),
    deepFile("two hundred thousand mappings", "x.yaml", () => "{a: ".repeat(200_000)),
    deepFile("half a million block lists", "x.yaml", () => "- ".repeat(500_000)),
    deepFile("half a million explicit keys", "x.yaml", () => "? ".repeat(500_000)),
    deepFile("a thousand block mappings", "x.yaml", () => blockMappings(1000)),
    deepFile("half a million lists in tools.json", "tools.json", () => flowLists(500_000)),
    deepFile("half a million open lists in tools.json", "tools.json", () => "[".repeat(500_000)),
    deepFile("a hundred thousand objects in tools.json", "tools.json", () => '{"a":'.repeat(100_000)),
  ]);
});
