import { ValueLibrary } from "../../src/analysis/calls/value-library.js";
import { perform } from "../../src/analysis/search/search.js";
import type { Action, Plan, PlannedOutcome } from "../../src/analysis/trace/plan.js";
import { Player } from "../../src/analysis/trace/replay.js";
import type { StepOutcome, Trace, TraceStep } from "../../src/analysis/trace/trace.js";
import { environmentValues } from "../../src/analysis/values/environment-values.js";
import { principalVariants } from "../../src/analysis/values/principal-variants.js";
import type { Artifact, CompiledPack } from "../../src/artifact/compiled.js";
import { isJsonObject, type Json, type JsonObject } from "../../src/base/json.js";
import { decide } from "../../src/guard/decide/decide.js";
import { prepareProgram } from "../../src/guard/program/prepare-program.js";
import type { Program } from "../../src/guard/program/program.js";
import { proposalOf } from "../../src/guard/program/proposal.js";
import { newSession, type Session } from "../../src/guard/session/session.js";
import { type Random, randomFrom } from "../support/random.js";
import type { PackFiles } from "./diff-mutants.js";

function plannedOf(outcome: StepOutcome | null): PlannedOutcome {
  if (outcome?.kind === "result" || outcome?.kind === "violated") return { kind: "result", output: outcome.output };
  return outcome?.kind === "open" ? outcome : { kind: "failed" };
}

function actionOf(step: TraceStep): Action {
  return step.kind === "call"
    ? { kind: "call", tool: step.tool, args: step.args, outcome: plannedOf(step.outcome) }
    : step;
}

/** A reported session, to be replayed; its last call answers as given. */
export function planOf({ principal, env, steps }: Trace): Plan {
  return { principal, env, actions: steps.map(actionOf) };
}

/** 0 refused, 1 after an approval, 2 allowed; half less for a result that is withheld. */
function freedomOf(step: TraceStep | undefined): number {
  if (step?.kind !== "call" || step.outcome === null) return 0;
  return (step.verdict.kind === "allow" ? 2 : 1) - (step.outcome.kind === "violated" ? 0.5 : 0);
}

/** What the guard says of each call of a session. */
export async function freedoms(artifact: Artifact, plan: Plan): Promise<readonly number[]> {
  const { trace } = await new Player(artifact, undefined).play(plan);
  return trace.steps.map(freedomOf);
}

interface Pool {
  readonly args: readonly JsonObject[];
  readonly outputs: readonly Json[];
}

interface GoldenCall {
  readonly tool: string;
  readonly args: Json;
  readonly output: Json;
}

function json(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null));
}

/** The calls that the golden cases of a pack name. */
function goldenCalls(files: PackFiles): readonly GoldenCall[] {
  return [...files.values()].flatMap((file) => {
    const contract = json(file);
    if (!isJsonObject(contract) || !Array.isArray(contract.golden_cases)) return [];
    const cases: readonly Json[] = contract.golden_cases;
    return cases.filter(isJsonObject).flatMap((golden) => {
      const given = golden.given;
      const history: readonly Json[] = isJsonObject(given ?? null) && isJsonObject(given) ? listOf(given.history) : [];
      const own = { tool: String(contract.tool), args: golden.arguments ?? null, output: null };
      return [own, ...history.filter(isJsonObject).map(callOf)];
    });
  });
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function callOf(call: JsonObject): GoldenCall {
  return { tool: String(call.tool), args: call.arguments ?? null, output: call.output ?? null };
}

function poolsOf(
  libraries: readonly ValueLibrary[],
  tools: readonly string[],
  golden: readonly GoldenCall[],
): ReadonlyMap<string, Pool> {
  return new Map(
    tools.map((tool) => {
      const own = golden.filter((call) => call.tool === tool);
      const args = libraries.flatMap((library) => {
        const { good, bad } = library.argumentsOf(tool);
        return [...good, ...good, ...[...bad.values()].flat()];
      });
      const outputs = libraries.flatMap((library) => {
        const { good, bad } = library.outputsOf(tool);
        return [...good, ...[...bad.values()].flat()];
      });
      const named = own.map((call) => call.args).filter(isJsonObject);
      return [tool, { args: [...args, ...named], outputs: [...outputs, ...own.map(({ output }) => output)] }];
    }),
  );
}

function say(program: Program, session: Session, tool: string, args: JsonObject): string {
  const known = program.tools.get(tool);
  return known === undefined ? "block" : decide(program, session, proposalOf(known, args), 0).kind;
}

function after(
  program: Program,
  session: Session,
  call: { readonly tool: string; readonly args: JsonObject; readonly output: Json },
) {
  const known = program.tools.get(call.tool) ?? program.unmatched(call.tool);
  return perform(program, session, proposalOf(known, call.args), { kind: "result", output: call.output });
}

/** Random sessions under two packs at once, until one of them says something else than the other. */
export class RandomPlay {
  private readonly pools: ReadonlyMap<string, Pool>;
  private readonly principals: readonly Json[];
  private readonly env: Readonly<Record<string, string>>;
  private readonly packs: readonly [CompiledPack, CompiledPack];

  constructor(
    private readonly artifacts: readonly [Artifact, Artifact],
    files: PackFiles,
  ) {
    const [old, current] = [artifacts[0].packs[0], artifacts[1].packs[0]];
    if (old === undefined || current === undefined) throw new Error("an artifact has a pack");
    this.packs = [old, current];
    this.env = { ...environmentValues(old), ...environmentValues(current) };
    const all = this.packs.flatMap((pack) => principalVariants(pack, new Map(Object.entries(this.env))));
    this.principals = all.some((principal) => principal !== null) ? all.filter((principal) => principal !== null) : all;
    const libraries = ([0, 1] as const).map((side) => new ValueLibrary(this.program(side, null), "enough"));
    this.pools = poolsOf(
      libraries,
      old.tools.map(({ name }) => name),
      goldenCalls(files),
    );
  }

  /** The session in which they differ, in words; null where none does. */
  difference(sessions: number, calls: number): string | null {
    for (let run = 0; run < sessions; run++) {
      const found = this.session(randomFrom(20_261, run), calls);
      if (found !== null) return found;
    }
    return null;
  }

  private program(side: 0 | 1, principal: Json | null): Program {
    return prepareProgram(this.artifacts[side], this.packs[side], { env: this.env, principal });
  }

  private session(random: Random, calls: number): string | null {
    const principal = random.pick(this.principals);
    const [old, current] = [this.program(0, principal), this.program(1, principal)];
    let sessions = [newSession(old), newSession(current)] as const;
    const made: string[] = [];
    for (let at = 0; at < calls; at++) {
      const tool = random.pick([...this.pools.keys()]);
      const { args: all, outputs } = this.pools.get(tool) ?? { args: [], outputs: [] };
      const call = {
        tool,
        args: all.length === 0 ? {} : random.pick(all),
        output: outputs.length === 0 ? null : random.pick(outputs),
      };
      made.push(JSON.stringify(call));
      const [before, now] = [say(old, sessions[0], tool, call.args), say(current, sessions[1], tool, call.args)];
      if (before !== now) return `${made.join("\n")}\n${before} then, ${now} now`;
      if (before === "block") continue;
      const [one, other] = [after(old, sessions[0], call), after(current, sessions[1], call)];
      if ((one.violation === null) !== (other.violation === null))
        return `${made.join("\n")}\nthe output is judged otherwise`;
      sessions = [one.session, other.session];
    }
    return null;
  }
}
