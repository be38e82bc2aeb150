import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { claimsContract } from "../../src/language/schema/claims.js";
import { sessionContract } from "../../src/language/schema/session.js";
import { toolContract } from "../../src/language/schema/tool.js";
import { workflowContract } from "../../src/language/schema/workflow.js";
import { inPack, parsePackText } from "../support/pack-text.js";
import { outputWithoutAnalysis } from "../support/rule-fixtures.js";
import { waitForCli } from "../support/run-cli.js";

const ROOT = new URL("../../", import.meta.url).pathname;
const DOCUMENT = join(ROOT, "docs/contract-language.md");
const markdown = readFileSync(DOCUMENT, "utf8");

type FileKind = "tool" | "session" | "workflow" | "claims";

/** One fenced block of the document; a `pack` is a whole pack text, the others are parts of one file. */
interface Example {
  readonly kind: "pack" | FileKind;
  readonly line: number;
  readonly text: string;
}

function kindOf(info: string): Example["kind"] {
  const kind = (["pack", "tool", "session", "workflow", "claims"] as const).find((name) => info === `yaml ${name}`);
  if (kind === undefined) throw new Error(`a block of the document is marked "${info}", which no test executes`);
  return kind;
}

function examplesIn(document: string): readonly Example[] {
  return [...document.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].map(({ 1: info = "", 2: text = "", index }) => ({
    kind: kindOf(info),
    line: document.slice(0, index).split("\n").length,
    text,
  }));
}

/** What a first line `# with: tools a, b; phases p, q` says that the rest of the pack declares. */
function surroundings(text: string): (what: string) => readonly string[] {
  const [, list = ""] = /^# with: (.+)\n/.exec(text) ?? [];
  const entries = list.split(";").map((part) => part.trim().split(/[ ,]+/));
  return (what) => entries.filter(([name]) => name === what).flatMap(([, ...names]) => names);
}

function phaseMachine(names: readonly string[]): string {
  const phases = names.map((name, index) => ({ name, initial: index === 0, terminal: index === names.length - 1 }));
  const transitions = Object.fromEntries(names.slice(0, -1).map((name, index) => [name, names.slice(index + 1)]));
  return `phases: ${JSON.stringify(phases)}\ntransitions: ${JSON.stringify(transitions)}`;
}

function labelGates(named: (what: string) => readonly string[]): string {
  const gates = named("labels").map((label) => ({ when_label: label, deny_tools: named("tools"), reason: "Labelled" }));
  return gates.length === 0 ? "" : `policy: ${JSON.stringify({ label_gates: gates })}`;
}

function stubsFor(named: (what: string) => readonly string[]): readonly string[] {
  const slots = named("slots").map((name) => ({ name, path: `$.${name}` }));
  const resources = named("resources").map((name) => [name, { type: name, extract_from: { path: `$.${name}` } }]);
  const whole = "(with the required fields)";
  return [
    ...named("tools").map((tool) => `#== ${tool}.yaml ${whole}`),
    ...(slots.length === 0 ? [] : [`#== slot_source.yaml ${whole}\nbinds: ${JSON.stringify(slots)}`]),
    ...(named("phases").length === 0
      ? []
      : [`#== session.yaml ${whole}\n${phaseMachine(named("phases"))}\n${labelGates(named)}`]),
    ...named("files").map((file) => `#== ${file}\n{}`),
    ...named("roles").map(
      (role) => `#== packs/${role}/session.yaml ${whole}\nresources: ${JSON.stringify(Object.fromEntries(resources))}`,
    ),
  ];
}

function fileNameOf({ kind, text }: Example): string {
  if (kind !== "tool") return `${kind}.yaml`;
  const [, tool = "example"] = /^tool: (\S+)$/m.exec(text) ?? [];
  return `${tool}.yaml`;
}

/** The example as a pack text of its own: missing required fields and the declarations it refers to are added. */
function packTextOf(example: Example): string {
  if (example.kind === "pack") return example.text;
  const named = surroundings(example.text);
  const roles = named("roles").map((name) => ({ name, session_contract: `packs/${name}/session.yaml` }));
  const lacksRoles = example.kind === "workflow" && !/^roles:/m.test(example.text);
  const text = lacksRoles ? `${example.text}roles: ${JSON.stringify(roles)}` : example.text;
  return [`#== ${fileNameOf(example)} (with the required fields)`, text, ...stubsFor(named)].join("\n");
}

/** As much of JSON Schema as the definitions of the language use. */
interface Schema {
  readonly type?: string;
  readonly properties?: { readonly [name: string]: Schema };
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly const?: string;
}

function plain(definition: object): Schema {
  return JSON.parse(JSON.stringify(definition));
}

const SCHEMAS: Readonly<Record<FileKind, Schema>> = {
  tool: plain(toolContract),
  session: plain(sessionContract),
  workflow: plain(workflowContract),
  claims: plain(claimsContract),
};

/** Represents every value that a schema allows. */
const EVERY = Symbol("every value");

function isMapping(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fits({ type = "" }: Schema, value: unknown): boolean {
  if (value === EVERY) return true;
  if (Array.isArray(value)) return type === "array";
  if (isMapping(value)) return type === "object";
  return typeof value === "number" ? type === "integer" || type === "number" : type === typeof value;
}

function itemsOf(value: unknown): readonly unknown[] {
  if (value === EVERY) return [EVERY];
  return Array.isArray(value) ? value : [];
}

function membersOf(value: unknown): readonly unknown[] {
  return isMapping(value) ? Object.values(value) : itemsOf(value);
}

function memberOf(value: unknown, name: string): unknown {
  if (value === EVERY) return EVERY;
  return isMapping(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Where mappings of one shape (an invariant, a condition) were met first; their fields are counted there. */
const homes = new Map<string, string>();

function homeOf(schema: Schema, at: string): string {
  // The same entry is a rule with a reason at one place, and a condition without one at another.
  const isLeftOut = (key: string, value: unknown) =>
    (key === "description" && typeof value === "string") || (key === "reason" && isMapping(value) && "since" in value);
  const shape = JSON.stringify(schema, (key, value) => (isLeftOut(key, value) ? undefined : value));
  const known = homes.get(shape);
  if (known === undefined) homes.set(shape, at);
  return known ?? at;
}

/** The fields of a value, each list, each named entry and each form that a field may take included. */
function* fieldsOf(schema: Schema, value: unknown, at: string): Generator<string> {
  const { anyOf = [], items, properties = {}, additionalProperties } = schema;
  const entries = typeof additionalProperties === "object" ? additionalProperties : undefined;
  for (const branch of anyOf.filter((candidate) => fits(candidate, value))) {
    yield `${at} as ${branch.type}`;
    yield* fieldsOf(branch, value, at);
  }
  for (const item of items === undefined ? [] : itemsOf(value)) {
    yield `${at}[]`;
    yield* fieldsOf(items ?? {}, item, `${at}[]`);
  }
  for (const entry of entries === undefined ? [] : membersOf(value)) {
    yield `${at}.*`;
    yield* fieldsOf(entries ?? {}, entry, `${at}.*`);
  }
  const home = homeOf(schema, at);
  for (const [name, field] of Object.entries(properties)) {
    const member = memberOf(value, name);
    if (member === undefined) continue;
    yield `${home}.${name}`;
    yield* fieldsOf(field, member, `${home}.${name}`);
  }
}

function* fixedValues(schema: unknown): Generator<string> {
  if (Array.isArray(schema)) for (const part of schema) yield* fixedValues(part);
  if (!isMapping(schema)) return;
  if (Array.isArray(schema.enum)) yield* schema.enum.map(String);
  if (typeof schema.const === "string") yield schema.const;
  for (const part of Object.values(schema)) yield* fixedValues(part);
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  for (const member of membersOf(value)) yield* textsIn(member);
}

interface ContractText {
  readonly kind: FileKind;
  readonly value: unknown;
}

function kindOfFile(name: string): FileKind {
  return (["session", "workflow", "claims"] as const).find((kind) => name.endsWith(`${kind}.yaml`)) ?? "tool";
}

/** The contracts that readers of the document see, without what the test adds. */
function contractsIn(example: Example): readonly ContractText[] {
  if (example.kind !== "pack") return [{ kind: example.kind, value: parse(example.text) }];
  return parsePackText(example.text)
    .filter(({ name }) => name.endsWith(".yaml"))
    .map(({ name, text }) => ({ kind: kindOfFile(name), value: parse(text) }));
}

const examples = examplesIn(markdown);
const contracts = examples.flatMap(contractsIn);
const prose = markdown.replaceAll(/^```.+\n[\s\S]*?^```$/gm, "");
const words = [...prose.matchAll(/`([^`\n]+)`/g)].map(({ 1: word = "" }) => word);

/** GitHub's anchor of a heading. */
function anchorOf(heading: string): string {
  const kept = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}_\- ]/gu, "");
  return kept.trim().replaceAll(" ", "-");
}

function withoutBraces(path: string): readonly string[] {
  const [group, names = ""] = /\{([^}]*)\}/.exec(path) ?? [];
  return group === undefined ? [path] : names.split(",").map((name) => path.replace(group, name));
}

describe("the contract language reference", () => {
  it.each(examples.map((example) => [example.kind, example.line, example] as const))(
    "has an example of a %s in line %i that gives no finding",
    (_kind, _line, example) => {
      expect(outputWithoutAnalysis(packTextOf(example))).toBe("");
    },
  );

  it("has golden cases that pass", async () => {
    const packs = examples.filter(({ kind, text }) => kind === "pack" && text.includes("golden_cases:\n"));
    expect(packs.length).toBeGreaterThan(0);
    for (const { text } of packs) {
      const { code, stdout } = await inPack(text, (folder) => waitForCli(["test", folder]));
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^[1-9]\d* tests: \d+ passed, 0 failed\n$/)]);
    }
  });

  it.each(["tool", "session", "workflow", "claims"] as const)(
    "shows every field of a %s contract in an example",
    (kind) => {
      const known = new Set(fieldsOf(SCHEMAS[kind], EVERY, kind));
      const shown = new Set(contracts.flatMap((found) => [...fieldsOf(SCHEMAS[found.kind], found.value, found.kind)]));
      expect([...known].filter((field) => !shown.has(field))).toEqual([]);
    },
  );

  it("names every fixed value in code or in an example", () => {
    const named = new Set([...words, ...contracts.flatMap(({ value }) => [...textsIn(value)])]);
    expect([...fixedValues(Object.values(SCHEMAS))].filter((value) => !named.has(value))).toEqual([]);
  });

  it("links to no file and names no path of this repository that does not exist", () => {
    const links = [...prose.matchAll(/\]\(([^)#\s]+)(?:#[^)\s]*)?\)/g)].map(({ 1: target = "" }) => target);
    const linked = links.filter((target) => !target.includes("://")).map((target) => join(dirname(DOCUMENT), target));
    const paths = words.filter((word) => /^(?:bin|contracts|dist|docs|src|test)\/\S+$/.test(word));
    const named = paths.flatMap(withoutBraces).map((path) => join(ROOT, path));
    expect([...linked, ...named].filter((path) => !existsSync(path))).toEqual([]);
  });

  it("links to no section that does not exist", () => {
    const anchors = new Set([...prose.matchAll(/^#+ (.+)$/gm)].map(({ 1: heading = "" }) => anchorOf(heading)));
    const targets = [...prose.matchAll(/\]\(#([^)\s]+)\)/g)].map(({ 1: target = "" }) => target);
    expect(targets.filter((target) => !anchors.has(target))).toEqual([]);
  });
});
