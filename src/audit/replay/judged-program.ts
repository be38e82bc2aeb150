import { type CompiledCheck, type CompiledPack, expressionsOf } from "../../artifact/compiled.js";
import { isSamePlace, type Place } from "../../artifact/compiled-value.js";
import type { Json } from "../../base/json.js";
import type { RecordedVerdict } from "../../guard/durable/note.js";
import { preparedOf } from "../../guard/expression/of-pack.js";
import { variablesIn } from "../../guard/program/prepare-program.js";
import type { Program, Tool } from "../../guard/program/program.js";
import type { Why } from "./skipped.js";

/** A check of a tool that cannot be judged here. */
export interface Gap {
  readonly why: Why;
  readonly kind: CompiledCheck["kind"];
  readonly at: Place | null;
  /** The checks before it that can be judged; none of them refused what this one refused. */
  readonly before: Tool;
}

/** A tool with the checks that can be judged. */
export interface JudgedTool {
  readonly tool: Tool;
  readonly gaps: readonly Gap[];
  /** Why its checkpoints cannot be judged; null if they can. */
  readonly checkpointGap: Why | null;
}

/** The gap that a refusal came from. */
export function gapOf({ gaps }: JudgedTool, { reason, rule }: RecordedVerdict): Gap | undefined {
  return gaps.find(({ kind, at }) => {
    if (kind === "schema") return reason === "schema_mismatch";
    return kind === "policy" ? reason === "policy_denied" : at !== null && isSamePlace(at, rule ?? null);
  });
}

/** A program whose tools have only the checks that can be judged with what is known. */
export class JudgedProgram {
  /** For calls that are judged again after an approval. */
  readonly program: Program;
  private readonly unset: ReadonlySet<string>;
  private readonly tools = new Map<string, JudgedTool>();

  constructor(
    private readonly whole: Program,
    private readonly isPrincipalKnown: boolean,
  ) {
    this.unset = new Set(whole.variables.filter((name) => !whole.env.has(name)));
    const tools = Array.from(whole.tools.keys(), (name): [string, Tool] => [name, this.tool(name, false).tool]);
    this.program = {
      ...whole,
      tools: new Map(tools),
      unmatched: (name) => this.tool(name, false).tool,
      refusals: new Map(),
    };
  }

  /** The tool of a name; `isReduced` if only parts of the arguments are stored. */
  tool(name: string, isReduced: boolean): JudgedTool {
    const tool = this.whole.tools.get(name);
    // Names of tools without a contract may be any number.
    if (tool === undefined) return this.judged(this.whole.unmatched(name), isReduced);
    const key = `${isReduced} ${name}`;
    const known = this.tools.get(key) ?? this.judged(tool, isReduced);
    this.tools.set(key, known);
    return known;
  }

  private judged(tool: Tool, isReduced: boolean): JudgedTool {
    const { pack } = this.whole;
    const compiled = tool.compiled?.checks ?? pack.unmatched_checks;
    const judging = compiled.filter(({ kind }) => kind !== "checkpoint");
    const checks: Tool["checks"][number][] = [];
    const gaps: Gap[] = [];
    for (const [at, check] of tool.checks.entries()) {
      const source = judging[at];
      const why = source === undefined ? null : this.whyNot(source, isReduced);
      if (why === null) checks.push(check);
      else
        gaps.push({ why, kind: check.kind, at: check.at, before: { ...tool, checks: [...checks], checkpoints: [] } });
    }
    const [checkpointGap = null] = tool.checkpoints.flatMap((checkpoint) => this.whyNot(checkpoint, isReduced) ?? []);
    return { tool: gaps.length === 0 ? tool : { ...tool, checks }, gaps, checkpointGap };
  }

  private whyNot(check: CompiledCheck, isReduced: boolean): Why | null {
    const isOfPrincipal = check.kind === "policy" || this.readsPrincipal(check);
    if (isOfPrincipal && !this.isPrincipalKnown) return "principal";
    if (check.kind === "schema" && isReduced) return "schema";
    return this.readsUnset(partsOf(check, this.whole.pack)) ? "environment" : null;
  }

  private readsPrincipal(check: CompiledCheck): boolean {
    return expressionsOf(check).some((that) => preparedOf(that, this.whole.pack).reads.principal);
  }

  private readsUnset(part: unknown): boolean {
    return this.unset.size > 0 && variablesIn(part).some((name) => this.unset.has(name));
  }
}

/** A check with what it refers to. */
function partsOf(check: CompiledCheck, { aggregates, envelopes }: CompiledPack): unknown {
  if (check.kind === "aggregate") return aggregates[check.index];
  return check.kind === "envelope" ? envelopes[check.index] : check;
}

/** Programs for the principals of a log, by their digests. */
export class JudgedPrograms {
  private readonly programs = new Map<string | undefined, JudgedProgram>();
  private unknown: JudgedProgram | null = null;

  constructor(
    /** Under which sessions advance; it has no principal. */
    readonly whole: Program,
    private readonly principals: ReadonlyMap<string, Json>,
  ) {}

  /** The program for a digest; undefined is a guard without a principal. */
  for(digest: string | undefined): JudgedProgram {
    const known = this.programs.get(digest);
    if (known !== undefined) return known;
    const principal = digest === undefined ? null : this.principals.get(digest);
    if (principal === undefined) {
      this.unknown ??= new JudgedProgram(this.whole, false);
      return this.unknown;
    }
    const program = new JudgedProgram({ ...this.whole, principal, refusals: new Map() }, true);
    this.programs.set(digest, program);
    return program;
  }
}
