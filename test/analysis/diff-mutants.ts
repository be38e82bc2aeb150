import { parse, stringify } from "yaml";
import type { Artifact } from "../../src/artifact/compiled.js";
import { compile } from "../../src/compiler/compile.js";
import { EXAMPLE_PACKS } from "../support/example-packs.js";
import { memoryTree, packBytes } from "../support/memory-tree.js";

/** The files of a pack, as the values their texts stand for. */
export type PackFiles = ReadonlyMap<string, unknown>;

/** A pack with one thing changed. */
export interface Mutant {
  readonly name: string;
  readonly files: PackFiles;
}

type Container = Record<string, unknown> | unknown[];
type Trail = readonly (string | number)[];

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return isContainer(value) && !Array.isArray(value);
}

function get(value: unknown, key: string | number): unknown {
  return isContainer(value) ? Reflect.get(value, key) : undefined;
}

/** The files of an example, or of a pack below it. */
export function filesOf(name: string): PackFiles {
  const [root = "", ...rest] = name.split("/");
  const pack = EXAMPLE_PACKS.find((each) => each.name === root);
  const prefix = rest.length === 0 ? "" : `${rest.join("/")}/`;
  const own = [...(pack?.files ?? [])].filter(([path]) => path.startsWith(prefix));
  const parsed = own.map(([path, text]): [string, unknown] => [
    path.slice(prefix.length),
    path.endsWith(".json") ? JSON.parse(text) : parse(text),
  ]);
  return new Map(parsed.filter(([path]) => path !== "claims.yaml"));
}

/** The artifact of files; null where they do not compile. */
export function compiled(files: PackFiles): Artifact | null {
  const texts = [...files].map(([path, value]) => {
    const text = path.endsWith(".json") ? JSON.stringify(value) : stringify(value, { aliasDuplicateObjects: false });
    return [path, text] as const;
  });
  return compile(memoryTree(packBytes(texts)), null).artifact;
}

/** A copy of the files with one container changed. */
export function edited(files: PackFiles, file: string, trail: Trail, edit: (container: Container) => void): PackFiles {
  const copy: unknown = structuredClone(files.get(file));
  const container = trail.reduce<unknown>(get, copy);
  if (isContainer(container)) edit(container);
  return new Map([...files, [file, copy]]);
}

function drop(key: string | number): (container: Container) => void {
  return (container) => {
    if (Array.isArray(container)) container.splice(Number(key), 1);
    else delete container[key];
  };
}

function put(key: string | number, value: unknown): (container: Container) => void {
  return (container) => {
    Reflect.set(container, key, value);
  };
}

/** One way to weaken a pack: where, and what to do there. */
interface Edit {
  readonly file: string;
  readonly trail: Trail;
  readonly what: string;
  readonly edit: (container: Container) => void;
}

const UPPER = /^(?:lte|length_lte|then_lte|max_.*|maximum|maxLength|maxItems|threshold|consecutive_.*|band|tolerance)$/;
const LOWER = /^(?:gte|length_gte|then_gte|minimum|minLength|minItems)$/;
const SCHEMA_WORDS = ["pattern", "minimum", "maximum", "enum", "minLength", "maxLength", "type"];
const OPERATORS =
  /^(?:exists|type|equals|exact_match|contains|one_of|regex|gte|lte|length_gte|length_lte|equals_env|ref)$/;

const WHOLE = /^(?:length_gte|minLength|minItems)$/;

function lowered(key: string, value: number): number {
  const less = value - Math.max(0.005, Math.abs(value) / 2);
  return WHOLE.test(key) ? Math.floor(less) : less;
}

function raised(key: string, value: number): number {
  return key === "band" ? value * 2 : value + Math.max(1, Math.round(value / 2));
}

/** What weakens a single value. */
function ofValue(key: string, value: unknown): readonly (readonly [string, unknown])[] {
  if (typeof value === "number" && UPPER.test(key)) return [["raised", raised(key, value)]];
  if (typeof value === "number" && LOWER.test(key)) return [["lowered", lowered(key, value)]];
  if (key === "one_of" && Array.isArray(value)) return [["grown", [...value, "another"]]];
  if (key === "regex" && typeof value === "string" && value.startsWith("^")) return [["unanchored", value.slice(1)]];
  if (key === "path" && typeof value === "string") return [["mistyped", `${value}x`]];
  return key === "match" && value === "any" ? [["all", "all"]] : [];
}

/** All records below a value, with their trails. */
function recordsBelow(value: unknown, trail: Trail = []): readonly (readonly [Trail, Record<string, unknown>])[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => recordsBelow(item, [...trail, at]));
  if (!isRecord(value)) return [];
  const below = Object.entries(value).flatMap(([key, item]) => recordsBelow(item, [...trail, key]));
  return [[trail, value], ...below];
}

function listItems(file: string, trail: Trail, root: unknown): readonly Edit[] {
  const list = trail.reduce<unknown>(get, root);
  if (!Array.isArray(list)) return [];
  return list.map((_, at) => ({ file, trail, what: `without [${at}]`, edit: drop(at) }));
}

function keyDrops(file: string, trail: Trail, root: unknown, keys: readonly string[]): readonly Edit[] {
  const record = trail.reduce<unknown>(get, root);
  if (!isRecord(record)) return [];
  return keys.filter((key) => key in record).map((key) => ({ file, trail, what: `without ${key}`, edit: drop(key) }));
}

/** Weaker values, and fewer operators, anywhere below some part of a file. */
function below(file: string, part: string, root: unknown): readonly Edit[] {
  return recordsBelow(get(root, part), [part]).flatMap(([trail, record]) => {
    const weaker = Object.entries(record).flatMap(([key, value]) =>
      ofValue(key, value).map(([how, next]): Edit => ({ file, trail, what: `${key} ${how}`, edit: put(key, next) })),
    );
    const operators = Object.keys(record).filter((key) => OPERATORS.test(key));
    const fewer = operators.length < 2 || !("path" in record) ? [] : operators;
    return [...weaker, ...fewer.map((key): Edit => ({ file, trail, what: `without ${key}`, edit: drop(key) }))];
  });
}

function grownPhases(file: string, root: unknown, phases: readonly string[]): readonly Edit[] {
  const own = get(get(root, "transitions"), "valid_in_phases");
  if (!Array.isArray(own)) return [];
  const trail = ["transitions"];
  const grown = phases
    .filter((phase) => !own.includes(phase))
    .map((phase): Edit => {
      return { file, trail, what: `also in ${phase}`, edit: put("valid_in_phases", [...own, phase]) };
    });
  return grown;
}

function ofTool(file: string, root: unknown, phases: readonly string[]): readonly Edit[] {
  const preconditions = get(root, "preconditions");
  const inPreconditions = (Array.isArray(preconditions) ? preconditions : []).flatMap((_, at) =>
    keyDrops(file, ["preconditions", at], root, ["with_output", "resource"]),
  );
  return [
    ...listItems(file, ["preconditions"], root),
    ...inPreconditions,
    ...listItems(file, ["assertions", "input_invariants"], root),
    ...listItems(file, ["assertions", "output_invariants"], root),
    ...listItems(file, ["argument_value_invariants"], root),
    ...listItems(file, ["execution_constraints", "arguments"], root),
    ...listItems(file, ["forbids_after"], root),
    ...listItems(file, ["policy", "allow"], root),
    ...listItems(file, ["policy", "deny"], root),
    ...listItems(file, ["checkpoint", "when"], root),
    ...keyDrops(file, [], root, ["checkpoint", "policy", "transitions", "forbids_after"]),
    ...grownPhases(file, root, phases),
    ...[
      "preconditions",
      "assertions",
      "argument_value_invariants",
      "execution_constraints",
      "policy",
      "checkpoint",
    ].flatMap((part) => below(file, part, root)),
  ];
}

function ofSession(root: unknown, phases: readonly string[]): readonly Edit[] {
  const file = "session.yaml";
  const risks = get(root, "risk_defaults");
  const opened = Object.entries(isRecord(risks) ? risks : {}).filter(([, value]) => value === "block");
  const aggregates = get(root, "aggregates");
  const tools = (Array.isArray(aggregates) ? aggregates : []).flatMap((_, at) =>
    listItems(file, ["aggregates", at, "tool"], root),
  );
  const rules = get(get(root, "policy"), "rules");
  const inRules = (Array.isArray(rules) ? rules : []).flatMap((_, at) =>
    ["allow", "deny"].flatMap((kind) => listItems(file, ["policy", "rules", at, kind, "tools"], root)),
  );
  const transitions = get(root, "transitions");
  const edges = Object.entries(isRecord(transitions) ? transitions : {}).flatMap(([from, to]) =>
    phases
      .filter((phase) => phase !== from && Array.isArray(to) && !to.includes(phase))
      .map(
        (phase): Edit => ({
          file,
          trail: ["transitions"],
          what: `${from} to ${phase}`,
          edit: put(from, [...(Array.isArray(to) ? to : []), phase]),
        }),
      ),
  );
  return [
    ...opened.map(
      ([key]): Edit => ({ file, trail: ["risk_defaults"], what: `${key} allowed`, edit: put(key, "allow") }),
    ),
    ...listItems(file, ["aggregates"], root),
    ...listItems(file, ["envelopes"], root),
    ...listItems(file, ["checkpoints"], root),
    ...listItems(file, ["policy", "rules"], root),
    ...listItems(file, ["policy", "label_gates"], root),
    ...listItems(file, ["policy", "label_gates", 0, "deny_tools"], root),
    ...tools,
    ...inRules,
    ...edges,
    ...keyDrops(file, ["session_limits"], root, [
      "max_steps",
      "max_tool_calls",
      "max_cost_per_session",
      "max_calls_per_tool",
      "loop_detection",
      "circuit_breaker",
    ]),
    ...callLimits(file, root),
    ...["session_limits", "aggregates", "envelopes", "policy", "checkpoints"].flatMap((part) =>
      below(file, part, root),
    ),
  ];
}

function callLimits(file: string, root: unknown): readonly Edit[] {
  const trail = ["session_limits", "max_calls_per_tool"];
  const limits = trail.reduce<unknown>(get, root);
  return Object.entries(isRecord(limits) ? limits : {}).map(([tool, max]): Edit => {
    return { file, trail, what: `${tool} once more`, edit: put(tool, Number(max) + 1) };
  });
}

function ofDefinitions(root: unknown): readonly Edit[] {
  const file = "tools.json";
  return recordsBelow(root).flatMap(([trail, record]): readonly Edit[] => {
    if (trail.some((key) => /output/i.test(String(key)))) return [];
    const isProperty = trail.at(-2) === "properties";
    const words = isProperty ? keyDrops(file, trail, root, SCHEMA_WORDS) : [];
    const required = Array.isArray(record.required) ? listItems(file, [...trail, "required"], root) : [];
    const open = "additionalProperties" in record ? keyDrops(file, trail, root, ["additionalProperties"]) : [];
    return [...words, ...required, ...open];
  });
}

function editsOf(files: PackFiles): readonly Edit[] {
  const session = files.get("session.yaml");
  const declared = get(session, "phases");
  const phases = (Array.isArray(declared) ? declared : []).map((phase) => String(get(phase, "name")));
  return [...files].flatMap(([file, root]) => {
    if (file === "session.yaml") return ofSession(root, phases);
    return file === "tools.json" ? ofDefinitions(root) : ofTool(file, root, phases);
  });
}

/** Every weakening of a pack by one edit; some do not compile, and some change nothing. */
export function mutantsOf(files: PackFiles): readonly Mutant[] {
  return editsOf(files).map(({ file, trail, what, edit }) => ({
    name: `${file} ${trail.join(".")}: ${what}`,
    files: edited(files, file, trail, edit),
  }));
}
