import { fileSpan, type SourceFile, type Span } from "../diagnostics/source.js";
import { indefiniteBinds } from "./bind-paths.js";
import { claimsSchema, scenarioSchema, sessionSchema, toolSchema, workflowSchema } from "./contract-schemas.js";
import { type Draft, isDamaged, isLost, lostDraft } from "./draft.js";
import type { FileTree } from "./file-tree.js";
import { keySpan } from "./located.js";
import type { Problem } from "./problem.js";
import { readJson } from "./read-json.js";
import { type ReadResult, readYaml } from "./read-yaml.js";
import type { ClaimsContract } from "./schema/claims.js";
import type { ScenarioContract } from "./schema/scenario.js";
import type { SessionContract } from "./schema/session.js";
import type { ToolContract } from "./schema/tool.js";
import type { WorkflowContract } from "./schema/workflow.js";
import { type ShapeChecker, shapeChecker } from "./shape.js";
import {
  DEFAULT_FIELDS,
  givenFields,
  MOST_TAKEN,
  takeDefaults,
  takenSize,
  takeUnknownDefaults,
} from "./tool-defaults.js";
import { readToolDefinitions, type ToolDefinitions } from "./tool-definitions.js";

/** One YAML file of a pack, as far as it could be read. */
export interface ContractFile<T> {
  readonly source: SourceFile;
  readonly draft: Draft<T>;
}

/** A tool contract; the file name gives its tool even where the text is broken. */
export interface ToolFile extends ContractFile<ToolContract> {
  readonly stem: string;
}

/** The files of one folder, read and checked for shape. */
export interface PackFiles {
  /** The folder relative to the root pack, "" for the root pack itself. */
  readonly folder: string;
  readonly tools: readonly ToolFile[];
  readonly session: ContractFile<SessionContract> | null;
  readonly workflow: ContractFile<WorkflowContract> | null;
  readonly claims: ContractFile<ClaimsContract> | null;
  /** The tests of the pack. */
  readonly scenarios: readonly ContractFile<ScenarioContract>[];
  readonly definitions: ToolDefinitions | null;
  readonly problems: readonly Problem[];
}

const checkTool = shapeChecker<ToolContract>(toolSchema);
const checkSession = shapeChecker<SessionContract>(sessionSchema);
const checkWorkflow = shapeChecker<WorkflowContract>(workflowSchema);
const checkClaims = shapeChecker<ClaimsContract>(claimsSchema);
const checkScenario = shapeChecker<ScenarioContract>(scenarioSchema);

/** The folder of the tests of a pack. */
const TESTS = "tests";

/** The files of a pack that are not tool contracts, so that no tool can have their names. */
export const RESERVED_FILES: ReadonlySet<string> = new Set(["session.yaml", "workflow.yaml", "claims.yaml"]);

/** Joins a folder of the pack and a name, without a leading slash. */
export function within(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** Why a file that a path or a link leads to is not read. */
export const OUTSIDE = "it is outside the pack";

/** The text of a file, or the problem with it. */
export function readText(tree: FileTree, name: string): SourceFile | Problem {
  const span = fileSpan({ name, text: "" });
  const content = tree.read(name);
  switch (content.kind) {
    case "bytes":
      return decodeText(name, content.bytes);
    case "too_large":
      return { kind: "file_too_large", span, bytes: content.size };
    case "folder":
      return { kind: "unreadable_file", span, cause: "it is a folder" };
    case "missing":
      return { kind: "unreadable_file", span, cause: "it does not exist" };
    case "outside":
      return { kind: "unreadable_file", span, cause: OUTSIDE };
    case "unreadable":
      return { kind: "unreadable_file", span, cause: content.cause };
  }
}

function decodeText(name: string, bytes: Uint8Array): SourceFile | Problem {
  const bad = firstBadByte(bytes);
  const source: SourceFile = { name, text: new TextDecoder().decode(bytes.subarray(0, bad)) };
  if (bad === bytes.length) return source;
  const end = source.text.length;
  return { kind: "not_utf8", span: { source, start: end, end }, byte: bad };
}

/** Index of the first byte that is not part of UTF-8 text; the length where all are. Only binary files have NUL. */
function firstBadByte(bytes: Uint8Array): number {
  const nul = bytes.indexOf(0);
  const limit = nul === -1 ? bytes.length : nul;
  if (isUtf8(bytes.subarray(0, limit))) return limit;
  let good = 0;
  let bad = limit;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isUtf8(bytes.subarray(0, middle), true)) good = middle;
    else bad = middle;
  }
  return good;
}

function isUtf8(bytes: Uint8Array, isCut = false): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
    return true;
  } catch (cause) {
    if (cause instanceof TypeError) return false;
    throw cause;
  }
}

/** Whether a shape problem only echoes what reading the file found at the same place. */
function followsFrom(problem: Problem, found: readonly Problem[]): boolean {
  return found.some((cause) => {
    if (cause.kind === "merge_key")
      return problem.kind === "missing_field" && problem.span.start === cause.mapping.start;
    if (cause.kind === "duplicate_key") return false;
    return cause.span.start <= problem.span.start && problem.span.end <= Math.max(cause.span.end, lineEnd(cause.span));
  });
}

/** A tag comes before the value that it spoils, on the same line. */
function lineEnd({ source, end }: Span): number {
  const at = source.text.indexOf("\n", end);
  return at === -1 ? source.text.length : at;
}

/** Reads the files of one folder; everything wrong with them is a problem, never an exception. */
class PackReader {
  private readonly problems: Problem[] = [];
  /** How many values tools have taken from defaults so far. */
  private taken = 0;

  constructor(
    private readonly tree: FileTree,
    private readonly folder: string,
  ) {}

  read(toolsFile: string | null): PackFiles {
    const listing = this.tree.list(this.folder);
    if (listing === null) {
      const span = fileSpan({ name: this.folder || ".", text: "" });
      this.problems.push({ kind: "unreadable_file", span, cause: "it is not a folder that can be read" });
    }
    const names = [...(listing ?? [])].sort();
    const yaml = names.filter((name) => name.endsWith(".yaml"));
    this.rejectExtensions(this.folder, names);
    const session = yaml.includes("session.yaml") ? this.contract("session.yaml", checkSession) : null;
    const workflow = yaml.includes("workflow.yaml") ? this.contract("workflow.yaml", checkWorkflow) : null;
    const claims = yaml.includes("claims.yaml") ? this.contract("claims.yaml", checkClaims) : null;
    const tools = yaml
      .filter((name) => !RESERVED_FILES.has(name))
      .map((name) => this.tool(name, session?.draft ?? null));
    if (yaml.length === 0 && this.problems.length === 0) {
      this.problems.push({ kind: "empty_pack", span: fileSpan({ name: this.folder || ".", text: "" }) });
    }
    const definitions = this.definitions(
      toolsFile ?? (names.includes("tools.json") ? within(this.folder, "tools.json") : null),
    );
    const scenarios = this.scenarios(names.includes(TESTS));
    return { folder: this.folder, tools, session, workflow, claims, scenarios, definitions, problems: this.problems };
  }

  private scenarios(isThere: boolean): readonly ContractFile<ScenarioContract>[] {
    const folder = within(this.folder, TESTS);
    const listing = this.tree.list(folder);
    if (listing === null && isThere) this.rejectFolder(folder);
    const names = [...(listing ?? [])].sort();
    this.rejectExtensions(folder, names);
    return names
      .filter((name) => name.endsWith(".yaml"))
      .map((name) => this.contract(`${TESTS}/${name}`, checkScenario));
  }

  /** Tests that nobody can read would pass as if there were none; a file of that name holds none. */
  private rejectFolder(folder: string): void {
    const { kind } = this.tree.read(folder);
    if (kind === "bytes" || kind === "too_large") return;
    const cause = kind === "outside" ? OUTSIDE : "it is not a folder that can be read";
    this.problems.push({ kind: "unreadable_file", span: fileSpan({ name: folder, text: "" }), cause });
  }

  private rejectExtensions(folder: string, names: readonly string[]): void {
    for (const name of names.filter((each) => /\.ya?ml$/i.test(each) && !each.endsWith(".yaml"))) {
      const span = fileSpan({ name: within(folder, name), text: "" });
      this.problems.push({ kind: "wrong_extension", span, name });
    }
  }

  /** One by one: a spread call would put a million problems on the stack. */
  private add(problems: readonly Problem[]): void {
    for (const problem of problems) this.problems.push(problem);
  }

  /** A tool contract with the defaults that it takes. */
  private tool(name: string, session: Draft<SessionContract> | null): ToolFile {
    const defaults = session?.tool_defaults;
    const isUnknown = session !== null && defaults === undefined && isDamaged(session, "tool_defaults");
    const given = isUnknown ? DEFAULT_FIELDS : defaults === undefined ? [] : givenFields(defaults);
    const file = this.contract(name, checkTool, new Set<string>(given));
    if (isUnknown) takeUnknownDefaults(file.draft);
    else if (session !== null && defaults !== undefined && !isLost(file.draft))
      this.take(file.draft, session, defaults);
    return { ...file, stem: name.slice(0, -".yaml".length) };
  }

  private take(
    contract: Draft<ToolContract>,
    session: Draft<SessionContract>,
    defaults: NonNullable<Draft<SessionContract>["tool_defaults"]>,
  ): void {
    const before = this.taken;
    this.taken += takenSize(contract, defaults);
    if (this.taken <= MOST_TAKEN) takeDefaults(contract, defaults);
    else takeUnknownDefaults(contract);
    if (this.taken <= MOST_TAKEN || before > MOST_TAKEN) return;
    this.problems.push({ kind: "too_many_defaults", span: keySpan(session, "tool_defaults"), most: MOST_TAKEN });
  }

  private contract<T>(name: string, check: ShapeChecker<T>, given?: ReadonlySet<string>): ContractFile<T> {
    const { source, result } = this.parse(within(this.folder, name), readYaml);
    if (result.root === undefined) return { source, draft: lostDraft(source) };
    const { draft, problems } = check(source, result.root, given);
    this.add(problems.filter((problem) => !followsFrom(problem, result.problems)));
    this.add(indefiniteBinds(result.root));
    return { source, draft };
  }

  private definitions(name: string | null): ToolDefinitions | null {
    if (name === null) return null;
    const { source, result } = this.parse(name, readJson);
    if (result.root === undefined) return { source, tools: new Map(), complete: false, problems: [] };
    const definitions = readToolDefinitions(source, result.root);
    this.add(definitions.problems);
    return definitions;
  }

  private parse(name: string, reader: (source: SourceFile) => ReadResult): { source: SourceFile; result: ReadResult } {
    const text = readText(this.tree, name);
    if ("kind" in text) {
      this.problems.push(text);
      return { source: text.span.source, result: { problems: [] } };
    }
    const result = reader(text);
    this.add(result.problems);
    return { source: text, result };
  }
}

/** Reads one folder of contracts. `toolsFile`, if given, replaces its tools.json. */
export function readPack(tree: FileTree, folder: string, toolsFile: string | null): PackFiles {
  return new PackReader(tree, folder).read(toolsFile);
}
