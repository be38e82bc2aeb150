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
const PRIVATE = [
  "preconditions",
  "argument_value_invariants",
  "execution_constraints",
  "policy",
  "checkpoint",
  "forbids_after",
];
const PRIVATE_LISTS = [
  ["golden_cases"],
  ["allowed_errors"],
  ["assertions", "input_invariants"],
  ["assertions", "output_invariants"],
];

function withoutPrivateParts(file: string, text: string): string {
  if (/(?:session|workflow)\.yaml$|\.json$/.test(file)) return text;
  const document = parseDocument(text);
  for (const field of PRIVATE) document.delete(field);
  for (const path of PRIVATE_LISTS) {
    const list = document.getIn(path);
    if (isSeq(list)) list.items = [];
  }
  return document.toString();
}

function targetsOf({ name, files }: ExamplePack): readonly Target[] {
  const lean = packBytes(Array.from(files, ([file, text]) => [file, withoutPrivateParts(file, text)]));
  return Array.from(files, ([file, text]) => {
    const others = new Map([...lean].filter(([other]) => other !== file));
    return { pack: name, file, text, sites: sitesOf(text), others };
  });
}

/** Every file of every example pack, as a target of its own; grouped by pack. */
export const TARGETS: readonly (readonly Target[])[] = EXAMPLE_PACKS.map(targetsOf);

/** Every key that the example packs use, as a source of keys in the wrong place. */
export const KEYS: readonly string[] = [
  ...new Set(TARGETS.flat().flatMap(({ sites }) => sites.flatMap(({ key }) => (key === null ? [] : [key.name])))),
];

/** Every value that the example packs use, as JSON text. */
export const VALUES: readonly string[] = [
  ...new Set(TARGETS.flat().flatMap(({ sites }) => sites.map(({ json }) => json))),
];
