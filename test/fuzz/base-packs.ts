import { isSeq, parseDocument } from "yaml";
import { EXAMPLE_PACKS, type ExamplePack } from "../support/example-packs.js";
import { packBytes } from "../support/memory-tree.js";
import { type Site, sitesOf } from "./sites.js";

/** One file of a pack to mutate, with the rest of the pack around it. */
export interface Target {
  readonly pack: string;
  readonly file: string;
  readonly text: string;
  readonly sites: readonly Site[];
  /** The other files. Their tools keep only what other files refer to, which makes compiling three times as fast. */
  readonly others: ReadonlyMap<string, Uint8Array>;
}

/** Fields of a tool contract that no other file looks at. */
const PRIVATE = ["preconditions", "argument_value_invariants", "execution_constraints", "checkpoint", "forbids_after"];
const PRIVATE_LISTS = [
  ["golden_cases"],
  ["allowed_errors"],
  ["assertions", "input_invariants"],
  ["assertions", "output_invariants"],
];

/** The file as flow-style YAML, which is the fastest to read. */
function withoutPrivateParts(text: string): string {
  const document = parseDocument(text);
  if (document.errors.length > 0) return text;
  for (const field of PRIVATE) document.delete(field);
  for (const path of PRIVATE_LISTS) {
    const list = document.getIn(path);
    if (isSeq(list)) list.items = [];
  }
  return JSON.stringify(document.toJS());
}

/** The definition of one tool; to define no other gives warnings, not errors. */
function definitionOf(tool: string, text: string): string {
  const root: unknown = JSON.parse(text);
  const lists = Array.isArray(root) ? [root] : Object.values(Object(root));
  return JSON.stringify(lists.flat().filter((entry) => JSON.stringify(entry).includes(`"name":"${tool}"`)));
}

function targetsOf({ name, files }: ExamplePack): readonly Target[] {
  const lean = new Map(
    Array.from(files, ([file, text]) => [file, file.endsWith(".yaml") ? withoutPrivateParts(text) : text]),
  );
  return Array.from(files, ([file, text]) => {
    const [, tool] = /(\w+)\.yaml$/.exec(file) ?? [];
    const isTool = tool !== undefined && tool !== "session" && tool !== "workflow";
    const others = [...lean].filter(([other]) => other !== file);
    const fitting = others.map(([other, content]) => {
      return [other, isTool && other.endsWith(".json") ? definitionOf(tool, content) : content] as const;
    });
    return { pack: name, file, text, sites: sitesOf(text), others: packBytes(fitting) };
  });
}

/** Every file of every example pack as a target of its own, grouped by pack. */
const TARGETS: readonly (readonly Target[])[] = EXAMPLE_PACKS.map(targetsOf);

/** The same, with small packs more often: they compile ten times as fast. */
export const WEIGHTED_TARGETS = TARGETS.flatMap((targets) =>
  targets.length > 3 ? [targets] : [targets, targets, targets],
);

/** Every key that the example packs use, as a source of keys in the wrong place. */
export const KEYS: readonly string[] = [
  ...new Set(TARGETS.flat().flatMap(({ sites }) => sites.flatMap(({ key }) => (key === null ? [] : [key.name])))),
];

/** Every value that the example packs use, as JSON text. */
export const VALUES: readonly string[] = [
  ...new Set(TARGETS.flat().flatMap(({ sites }) => sites.map(({ json }) => json))),
];
