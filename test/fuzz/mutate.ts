import type { PackBytes } from "../support/memory-tree.js";
import type { Random } from "../support/random.js";
import { KEYS, type Target, VALUES, WEIGHTED_TARGETS } from "./base-packs.js";
import type { Range, Site } from "./sites.js";

/** A pack with one thing changed. */
export interface Mutant {
  readonly description: string;
  /** The changed file, and its content as far as it is text. */
  readonly file: string;
  readonly text: string;
  readonly files: PackBytes;
}

interface Edit extends Range {
  readonly insert: string;
}

interface Change {
  readonly description: string;
  readonly text: string;
}

type Mutation = (random: Random, target: Target) => Change;

/** Values that are likely to be wrong wherever they are. */
const TROUBLE: readonly string[] = [
  ...["null", "true", "false", "0", "-1", "1", "1.5", "1e400", "9007199254740993", ".nan", "~", "[]", "{}", '""'],
  ...['"*"', '"always"', '"$"', '"$.a[*]"', '"$[?(@.a)]"', '"$.."', '"a b"', '"("', '"(a+)+"', '"(?=a)"', '"\\u0000"'],
  ...[
    '"__proto__"',
    '{"__proto__": 1}',
    "*nowhere",
    "!foo x",
    "&a [*a]",
    "[[[]]]",
    '{"path": "$.a"}',
    '{"a": 1, "a": 2}',
  ],
  ...["2.0", '"1.0"', '"5xx"', '"timeout"', '"not_a_name"', '"\\ud800"', "---", "? x", "|", "<<: {}", "'"],
];
const NOISE = [..." \n\t\r:-?,[]{}#&*!|>'\"%@`\\0aé😀\u2028\ufeff\u0000\u001b$."];

function applied(text: string, edits: readonly Edit[]): string {
  const ordered = [...edits].sort((a, b) => b.start - a.start);
  return ordered.reduce((result, { start, end, insert }) => result.slice(0, start) + insert + result.slice(end), text);
}

function replaced(range: Range, insert: string): Edit {
  // An empty value is right behind its colon.
  return { ...range, insert: range.start === range.end ? ` ${insert}` : insert };
}

function written(site: Site, key: string, json: string): string {
  if (site.key !== null) return `${JSON.stringify(key)}: ${json}${site.separator}`;
  return `${site.separator.startsWith("\n") ? "- " : ""}${json}${site.separator}`;
}

function isSecond(text: string, { end }: Range): boolean {
  return text.startsWith(",", end);
}

function cut(text: string, { whole }: Site): Edit {
  return { start: whole.start, end: isSecond(text, whole) ? whole.end + 1 : whole.end, insert: "" };
}

function misspelt(random: Random, word: string): string {
  const at = random.below(word.length + 1);
  const [before, after] = [word.slice(0, at), word.slice(at)];
  return random.pick([
    before + after.slice(1),
    `${before}x${after}`,
    before + after.slice(0, 1) + after,
    word.toUpperCase(),
  ]);
}

function retyped(random: Random, json: string): string {
  const value: unknown = JSON.parse(json);
  const text = typeof value === "string" ? value : json;
  const other = typeof value === "number" ? JSON.stringify(text) : "12";
  return random.pick([
    other,
    `[${json}]`,
    `{"a": ${json}}`,
    "null",
    "true",
    JSON.stringify(text),
    `[${json}, ${json}]`,
  ]);
}

const onSites: Readonly<Record<string, (random: Random, target: Target, site: Site) => readonly Edit[]>> = {
  delete: (_, { text }, site) => [cut(text, site)],
  duplicate: (_, __, site) => [
    { start: site.whole.start, end: site.whole.start, insert: written(site, site.key?.name ?? "", site.json) },
  ],
  retype: (random, _, site) => [replaced(site.value, retyped(random, site.json))],
  empty: (_, __, site) => [{ ...site.value, insert: "" }],
  rename: (random, _, { key, value, json }) => {
    if (key === null) return [replaced(value, misspeltJson(random, json))];
    return [{ ...key, insert: JSON.stringify(random.pick([misspelt(random, key.name), random.pick(KEYS)])) }];
  },
  misspell: (random, _, { value, json }) => [replaced(value, misspeltJson(random, json))],
  trouble: (random, _, { value }) => [replaced(value, random.pick(TROUBLE))],
  borrow: (random, _, { value }) => [replaced(value, random.pick(VALUES))],
  add: (random, _, site) => {
    const insert = written(site, random.pick(KEYS), random.pick([random.pick(VALUES), random.pick(TROUBLE)]));
    return [{ start: site.whole.start, end: site.whole.start, insert }];
  },
  swap: (random, { sites }, site) => {
    const other = random.pick(sites);
    const isApart = other.value.end <= site.value.start || site.value.end <= other.value.start;
    return isApart
      ? [replaced(site.value, other.json), replaced(other.value, site.json)]
      : [replaced(site.value, other.json)];
  },
  move: (random, { text, sites }, site) => {
    const other = random.pick(sites);
    const start = other.whole.start;
    const insert = written(other, site.key?.name ?? random.pick(KEYS), site.json);
    const isOutside = start <= site.whole.start || start > site.whole.end;
    return isOutside ? [cut(text, site), { start, end: start, insert }] : [{ start, end: start, insert }];
  },
};

function misspeltJson(random: Random, json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === "string" ? JSON.stringify(misspelt(random, value)) : retyped(random, json);
}

function onSite(name: string): Mutation {
  return (random, target) => {
    const site = random.pick(target.sites);
    return {
      description: `${name} ${site.trail}`,
      text: applied(target.text, onSites[name]?.(random, target, site) ?? []),
    };
  };
}

function onLines(
  name: string,
  change: (random: Random, lines: readonly string[], at: number) => readonly string[],
): Mutation {
  return (random, { text }) => {
    const lines = text.split("\n");
    const at = random.below(lines.length);
    return { description: `${name} line ${at + 1}`, text: change(random, lines, at).join("\n") };
  };
}

function onCharacters(name: string, change: (random: Random, text: string, at: number) => string): Mutation {
  return (random, { text }) => {
    const at = random.below(text.length + 1);
    return { description: `${name} at offset ${at}`, text: change(random, text, at) };
  };
}

const onText: readonly Mutation[] = [
  onLines("delete", (_, lines, at) => lines.toSpliced(at, 1)),
  onLines("duplicate", (_, lines, at) => lines.toSpliced(at, 0, lines[at] ?? "")),
  onLines("indent", (random, lines, at) => lines.with(at, `${random.pick([" ", "  ", "    ", "\t"])}${lines[at]}`)),
  onLines("outdent", (random, lines, at) => lines.with(at, (lines[at] ?? "").slice(1 + random.below(3)))),
  onLines("move", (random, lines, at) => {
    return lines.toSpliced(at, 1).toSpliced(random.below(lines.length), 0, lines[at] ?? "");
  }),
  onCharacters("delete", (random, text, at) => text.slice(0, at) + text.slice(at + 1 + random.below(8))),
  onCharacters("insert", (random, text, at) => {
    const noise = Array.from({ length: 1 + random.below(3) }, () => random.pick(NOISE)).join("");
    return text.slice(0, at) + noise + text.slice(at);
  }),
  onCharacters("replace", (random, text, at) => text.slice(0, at) + random.pick(NOISE) + text.slice(at + 1)),
  onCharacters("truncate", (_, text, at) => text.slice(0, at)),
];

const SITE_MUTATIONS: readonly Mutation[] = Object.keys(onSites).map(onSite);

/** What happens to whole files: the text stays, and the pack around it changes. */
const FILE_MUTATIONS: readonly ((random: Random, target: Target) => Mutant)[] = [
  (_, { file, others }) => ({ description: `delete ${file}`, file, text: "", files: others }),
  (random, { file, text, others }) => {
    const name = random.pick([file.replace(/\w+\./, "other."), file.replace(/\.\w+$/, ".yml"), `sub/${file}`]);
    return {
      description: `rename ${file} to ${name}`,
      file: name,
      text,
      files: new Map(others).set(name, encoded(text)),
    };
  },
  (random, { file, text, others }) => {
    const name = random.pick([...others.keys(), "other.yaml"]);
    const files = new Map(others).set(file, encoded(text)).set(name, encoded(text));
    return { description: `copy ${file} to ${name}`, file: name, text, files };
  },
  (random, { file, text, others }) => {
    const bytes = encoded(text);
    const at = random.below(bytes.length);
    bytes[at] = random.below(256);
    const files = new Map(others).set(file, bytes);
    return {
      description: `set byte ${at} of ${file} to ${bytes[at]}`,
      file,
      text: new TextDecoder().decode(bytes),
      files,
    };
  },
];

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Changes one thing in one file of one example pack; the structure more often than the text, the text more often than files. */
export function mutate(random: Random): Mutant {
  const target = random.pick(random.pick(WEIGHTED_TARGETS));
  const kind = random.next();
  if (kind < 0.02) return random.pick(FILE_MUTATIONS)(random, target);
  const mutation = random.pick(kind < 0.75 ? SITE_MUTATIONS : onText);
  const { description, text } = mutation(random, target);
  const { file, pack } = target;
  const files = new Map(target.others).set(file, encoded(text));
  return { description: `${description} of ${pack}/${file}`, file, text, files };
}
