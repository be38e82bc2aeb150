import type { JsonObject } from "../base/json.js";
import type { Span } from "../diagnostics/source.js";
import { type Draft, isDamaged } from "../language/draft.js";
import { valueSpan } from "../language/located.js";
import type { Problem, ProblemKind, ProblemOf } from "../language/problem.js";
import type { PackFiles, ToolFile } from "../language/read-pack.js";
import type { ClaimsContract } from "../language/schema/claims.js";
import type { SessionContract } from "../language/schema/session.js";
import type { Bind } from "../language/schema/tool.js";
import type { WorkflowContract } from "../language/schema/workflow.js";
import type { ToolDefinition } from "../language/tool-definitions.js";
import { VERSIONS, type Version } from "../operators/operator.js";
import { PackGraph } from "./facts/pack-graph.js";
import type { NamedTool } from "./named-tool.js";
import { placeOf } from "./place.js";
import { type LoweredSchema, lowerSchema } from "./schema/lower-schema.js";
import { Suppressions } from "./suppress.js";

/** One role of a workflow with the pack that its session_contract leads to. */
export interface ResolvedRole {
  readonly role: Draft<WorkflowContract["roles"][number]>;
  readonly target: RuleContext | "missing" | "outside" | "unusable";
}

/** A slot that a tool binds. */
export interface Slot {
  readonly tool: NamedTool;
  readonly bind: Draft<Bind>;
}

/** The codes of all rules. */
export interface KnownCodes {
  readonly suppressible: readonly string[];
  readonly others: readonly string[];
}

/** What the `input_ref` of a golden case leads to. */
export type GoldenInput =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly problem: string };

/** One pack as the rules see it; facts that several rules need are computed here once. */
export class RuleContext {
  readonly tools: readonly NamedTool[];
  readonly session: Draft<SessionContract> | null;
  readonly workflow: Draft<WorkflowContract> | null;
  readonly claims: Draft<ClaimsContract> | null;
  private readonly problemsByKind = new Map<ProblemKind, Problem[]>();
  readonly roles: readonly ResolvedRole[];
  readonly suppressions: Suppressions;
  /** Every name that can refer to a contract: its `tool`, or else its file name. */
  readonly toolsByName: ReadonlyMap<string, NamedTool>;
  private phaseGraph: PackGraph | undefined;
  private lowered: ReadonlyMap<string, LoweredSchema> | undefined;
  private loweredOutputs: ReadonlyMap<string, LoweredSchema> | undefined;

  constructor(
    readonly files: PackFiles,
    /** Null for the pack of a role: workflows do not nest. */
    resolvedRoles: readonly ResolvedRole[] | null,
    readonly codes: KnownCodes,
    /** The arguments in a file that a golden case refers to, or what is wrong with it. */
    readonly input: (file: string) => GoldenInput,
  ) {
    this.tools = files.tools.map(named);
    this.session = files.session?.draft ?? null;
    this.claims = files.claims?.draft ?? null;
    this.suppressions = new Suppressions(this.session);
    this.workflow = resolvedRoles === null ? null : (files.workflow?.draft ?? null);
    this.roles = resolvedRoles ?? [];
    this.toolsByName = new Map([
      ...this.tools.map((tool) => [tool.stem, tool] as const),
      ...this.tools.map((tool) => [tool.name, tool] as const),
    ]);
    for (const problem of files.problems) {
      const known = this.problemsByKind.get(problem.kind);
      if (known === undefined) this.problemsByKind.set(problem.kind, [problem]);
      else known.push(problem);
    }
  }

  /** The version of the language the pack is written in; null when a broken session.yaml may say another. */
  version(): Version | null {
    if (this.session === null) return "1.0";
    const said = this.session.schema_version;
    return isDamaged(this.session, "schema_version") ? null : (VERSIONS.find((version) => version === said) ?? null);
  }

  /** What reading the pack found of one kind. */
  problems<K extends ProblemKind>(kind: K): readonly ProblemOf<K>[] {
    const found = this.problemsByKind.get(kind) ?? [];
    return found.filter((problem): problem is ProblemOf<K> => problem.kind === kind);
  }

  /** The slots of the pack by name; null when a broken file may bind more. */
  slots(): ReadonlyMap<string, readonly Slot[]> | null {
    if (this.tools.some(({ contract }) => isDamaged(contract, "binds"))) return null;
    const slots = new Map<string, Slot[]>();
    for (const tool of this.tools) {
      for (const bind of tool.contract.binds ?? []) {
        if (bind.name === undefined) continue;
        const known = slots.get(bind.name);
        if (known === undefined) slots.set(bind.name, [{ tool, bind }]);
        else known.push({ tool, bind });
      }
    }
    return slots;
  }

  /** The declared phases; null when a broken session.yaml may declare more. */
  phaseNames(): ReadonlySet<string> | null {
    if (this.session === null) return new Set();
    if (isDamaged(this.session, "phases")) return null;
    return new Set((this.session.phases ?? []).flatMap(({ name }) => (name === undefined ? [] : [name])));
  }

  /** The phases of the pack and the transitions between them. */
  graph(): PackGraph {
    this.phaseGraph ??= new PackGraph(this.session, this.tools);
    return this.phaseGraph;
  }

  /** The phases that the initial phase leads to, itself included. */
  reachablePhases(): ReadonlySet<string> {
    const initial = this.session?.phases?.filter((phase) => phase.initial === true) ?? [];
    return this.graph().reachable(initial.flatMap(({ name }) => (name === undefined ? [] : [name])));
  }

  /** The definition of a tool in tools.json. */
  definition(name: string): ToolDefinition | undefined {
    return this.files.definitions?.tools.get(name);
  }

  /** The input schemas of all defined tools, lowered. */
  inputSchemas(): ReadonlyMap<string, LoweredSchema> {
    this.lowered ??= new Map(
      this.definitions().map(({ name, inputSchema }) => [name, lowerSchema(inputSchema, placeOf)]),
    );
    return this.lowered;
  }

  /** The output schemas of the tools that have one, lowered. */
  outputSchemas(): ReadonlyMap<string, LoweredSchema> {
    this.loweredOutputs ??= new Map(
      this.definitions().flatMap(({ name, outputSchema }) =>
        outputSchema === null ? [] : [[name, lowerSchema(outputSchema, placeOf)] as const],
      ),
    );
    return this.loweredOutputs;
  }

  private definitions(): readonly ToolDefinition[] {
    return [...(this.files.definitions?.tools.values() ?? [])];
  }
}

function named({ draft, stem }: ToolFile): NamedTool {
  return { name: draft.tool ?? stem, stem, contract: draft };
}

/** The place of every name in a list. */
export function eachName(
  names: readonly string[] | undefined,
): readonly { readonly name: string; readonly span: Span }[] {
  return (names ?? []).map((name, index) => ({ name, span: valueSpan(names ?? [], index) }));
}
