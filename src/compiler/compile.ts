import { posix } from "node:path";
import type { PackClaims, RoleClaim } from "../artifact/claim.js";
import type { Artifact } from "../artifact/compiled.js";
import { seal } from "../artifact/encode.js";
import type { PackExamples } from "../artifact/example-call.js";
import type { PackGoldenCases } from "../artifact/golden-case.js";
import type { PackScenarios } from "../artifact/scenario.js";
import { isJsonObject } from "../base/json.js";
import { type Diagnostic, hasErrors, sortDiagnostics } from "../diagnostics/diagnostic.js";
import { GOLDEN_FINDINGS } from "../diagnostics/golden-findings.js";
import { SUPPRESSIBLE_VERIFICATION } from "../diagnostics/verification-findings.js";
import type { FileTree } from "../language/file-tree.js";
import { readJson } from "../language/read-json.js";
import { type PackFiles, readPack, readText, within } from "../language/read-pack.js";
import { lowerClaims, lowerRoleClaims } from "./lower/lower-claims.js";
import { examplesOf } from "./lower/lower-examples.js";
import { lowerGoldenCases } from "./lower/lower-golden-cases.js";
import { lower } from "./lower/lower-pack.js";
import { lowerScenarios } from "./lower/lower-scenarios.js";
import type { Rule, Stage } from "./rule.js";
import { type GoldenInput, type KnownCodes, type ResolvedRole, RuleContext } from "./rule-context.js";
import { RULES } from "./rules/index.js";
import { withTakers } from "./taken-defaults.js";
import type { VerificationSuppression } from "./verification-suppression.js";

/** The result of compiling a pack; it has an artifact only when no finding is an error. */
export interface Compiled {
  readonly artifact: Artifact | null;
  /** What each pack of the artifact claims, in the order of its packs; empty without an artifact. */
  readonly claims: readonly PackClaims[];
  /** What is claimed of the roles of the workflow. */
  readonly roleClaims: readonly RoleClaim[];
  /** The golden cases of each pack, aligned with the packs too. */
  readonly golden: readonly PackGoldenCases[];
  /** The scenarios of each pack, aligned with the packs too. */
  readonly scenarios: readonly PackScenarios[];
  /** The calls that the authors of each pack wrote, aligned with the packs too. */
  readonly examples: readonly PackExamples[];
  /** The findings of the exploration that each pack accepts; aligned with the packs too. */
  readonly suppressions: readonly (readonly VerificationSuppression[])[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Errors are fixed, not suppressed; and a suppression of unused suppressions would hide itself. */
function isSuppressible({ severity, code }: Rule): boolean {
  return severity === "warning" && code !== "unused_suppression";
}

const CODES: KnownCodes = {
  suppressible: [...RULES.filter(isSuppressible).map(({ code }) => code), ...SUPPRESSIBLE_VERIFICATION],
  others: [
    ...RULES.filter((rule) => !isSuppressible(rule)).map(({ code }) => code),
    "claim_violated",
    ...GOLDEN_FINDINGS.map(({ code }) => code),
  ],
};

/** No file system has longer ones, and normalizing a path of a megabyte takes seconds. */
const LONGEST_PATH = 4096;

/** Reads the packs that the roles of a workflow name; each folder is read once. */
class PackResolver {
  readonly contexts: RuleContext[] = [];
  private readonly byFolder = new Map<string, RuleContext>();

  constructor(private readonly tree: FileTree) {}

  root(toolsFile: string | null): RuleContext {
    const files = readPack(this.tree, "", toolsFile);
    const roles: ResolvedRole[] = [];
    const context = this.context(files, roles);
    for (const role of files.workflow?.draft.roles ?? []) {
      const file = role.session_contract;
      roles.push({ role, target: file === undefined ? "unusable" : this.pack(file) });
    }
    return context;
  }

  private pack(sessionContract: string): ResolvedRole["target"] {
    if (sessionContract.length > LONGEST_PATH) return "missing";
    const file = posix.normalize(sessionContract);
    if (posix.isAbsolute(file) || posix.basename(file) !== "session.yaml") return "missing";
    const folder = posix.dirname(file) === "." ? "" : posix.dirname(file);
    const known = this.byFolder.get(folder);
    if (known !== undefined) return known.session === null ? "missing" : known;
    const content = this.tree.read(file);
    if (content.kind === "missing" || content.kind === "folder") return "missing";
    if (content.kind === "outside") return "outside";
    return this.context(readPack(this.tree, folder, null), null);
  }

  private context(files: PackFiles, roles: readonly ResolvedRole[] | null): RuleContext {
    const read = new Map<string, GoldenInput>();
    const input = (file: string) => {
      const known = read.get(file) ?? inputIn(this.tree, files.folder, file);
      read.set(file, known);
      return known;
    };
    const context = new RuleContext(files, roles, CODES, input);
    this.contexts.push(context);
    this.byFolder.set(files.folder, context);
    return context;
  }
}

function inputIn(tree: FileTree, folder: string, file: string): GoldenInput {
  const wrong = (problem: string): GoldenInput => ({ ok: false, problem });
  if (file.length > LONGEST_PATH) return wrong("does not exist");
  const name = posix.normalize(within(folder, file));
  if (posix.isAbsolute(file)) return wrong("is not relative to the pack");
  const { kind } = tree.read(name);
  if (kind === "missing") return wrong("does not exist");
  if (kind === "outside") return wrong("is outside the pack");
  const source = readText(tree, name);
  if ("kind" in source) return wrong("cannot be read");
  const { root, problems } = readJson(source);
  if (root === undefined || problems.length > 0) return wrong("is not valid JSON");
  return isJsonObject(root) ? { ok: true, args: root } : wrong("does not hold a JSON object");
}

function runStage(contexts: readonly RuleContext[], stage: Stage): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const context of contexts) {
    for (const rule of RULES.filter((rule) => rule.stage === stage)) {
      rule.run(context, (finding) => {
        if (context.suppressions.suppresses(finding)) return;
        const { tool: _, ...diagnostic } = finding;
        found.push(withTakers(context, diagnostic));
      });
    }
  }
  return found;
}

const NOTHING = {
  artifact: null,
  claims: [],
  roleClaims: [],
  golden: [],
  scenarios: [],
  examples: [],
  suppressions: [],
};

/** Compiles the pack at the root of a file tree: read, check, resolve, judge the graph, lower. */
export function compile(tree: FileTree, toolsFile: string | null = null): Compiled {
  const resolver = new PackResolver(tree);
  const root = resolver.root(toolsFile);
  const contexts = resolver.contexts;
  const found = [...runStage(contexts, "read"), ...runStage(contexts, "resolve")];
  if (hasErrors(found)) return { ...NOTHING, diagnostics: sortDiagnostics(found) };
  const diagnostics = sortDiagnostics([...found, ...runStage(contexts, "graph")]);
  if (hasErrors(diagnostics)) return { ...NOTHING, diagnostics };
  const others = contexts.filter((context) => context !== root);
  const packs = [root, ...others] as const;
  const golden = packs.map(lowerGoldenCases);
  const scenarios = packs.map(lowerScenarios);
  return {
    artifact: seal(lower(packs)),
    claims: packs.map(lowerClaims),
    roleClaims: lowerRoleClaims(root),
    golden,
    scenarios,
    examples: packs.map((context, index) => examplesOf(context, scenarios[index] ?? [], golden[index] ?? [])),
    suppressions: packs.map(({ suppressions }) => suppressions.forVerification()),
    diagnostics,
  };
}
