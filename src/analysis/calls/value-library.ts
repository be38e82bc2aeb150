import { isJsonObject, type Json } from "../../base/json.js";
import type { Program } from "../../guard/program/program.js";
import { proposalOf } from "../../guard/program/proposal.js";
import { newSession, type Session } from "../../guard/session/session.js";
import { judgeEntries } from "../../guard/values/judge-value.js";
import { Scenes } from "../expression/scenes.js";
import { remembered } from "../model/caps.js";
import { OF_ARGUMENTS } from "../model/checks-of.js";
import type { Samples, ValueBudget } from "../state/value-classes.js";
import { type ArgumentVariants, argumentVariants, plainArguments } from "../values/argument-variants.js";
import { putValue } from "../values/edit-value.js";
import { type OutputVariants, outputVariants } from "../values/output-variants.js";
import { LinkedValues, type Side, type ValuesByPath } from "./linked-values.js";

const NO_ARGUMENTS: ArgumentVariants = { good: [], bad: new Map() };
const NO_OUTPUTS: OutputVariants = { good: [null], bad: new Map() };

function once<T>(make: (tool: string) => T): (tool: string) => T {
  const made = new Map<string, () => T>();
  return (tool) => {
    const value = made.get(tool) ?? remembered(() => make(tool));
    made.set(tool, value);
    return value();
  };
}

/** The sample values for calls of a pack's tools, made once for all searches in it. */
export class ValueLibrary {
  readonly argumentsOf: (tool: string) => ArgumentVariants;
  readonly outputsOf: (tool: string) => OutputVariants;
  /** What the expressions of the pack ask for. */
  readonly scenes: Scenes;
  private readonly beginning: Session;

  constructor(
    private readonly program: Program,
    readonly budget: ValueBudget,
  ) {
    this.beginning = newSession(program);
    this.scenes = new Scenes(program);
    const plainArgs = once((name) => {
      const tool = program.tools.get(name);
      return tool === undefined ? undefined : plainArguments(program, tool);
    });
    const plainOutput = once((name) => this.outputs(name, new Map()).good[0]);
    const samples: Samples = {
      plain: (tool, side) => (side === "arguments" ? plainArgs(tool) : plainOutput(tool)),
      fits: (tool, side, path, value) => {
        const plain = side === "arguments" ? plainArgs(tool) : plainOutput(tool);
        return plain !== undefined && this.fits(tool, side, putValue(plain, path, value));
      },
    };
    const linked = remembered(() => new LinkedValues({ pack: program.pack, samples, env: program.env }, budget));
    this.argumentsOf = once((name) => this.variantsOf(name, linked().of(name, "arguments")));
    this.outputsOf = once((name) => this.outputs(name, linked().of(name, "output")));
  }

  private variantsOf(name: string, byPath: ValuesByPath): ArgumentVariants {
    const tool = this.program.tools.get(name);
    return tool === undefined ? NO_ARGUMENTS : argumentVariants(this.program, tool, { byPath });
  }

  private outputs(name: string, byPath: ValuesByPath): OutputVariants {
    const tool = this.program.tools.get(name);
    return tool === undefined ? NO_OUTPUTS : outputVariants(this.program, tool, { byPath });
  }

  /** Whether a tool's own rules accept arguments or an output. */
  private fits(name: string, side: Side, value: Json): boolean {
    const { program } = this;
    const tool = program.tools.get(name);
    if (tool === undefined) return false;
    if (side === "output") return judgeEntries(tool.compiled?.output_invariants ?? [], value, program.env) === true;
    if (!isJsonObject(value)) return false;
    const proposal = proposalOf(tool, value);
    return tool.checks.every(
      ({ kind, run }) => !OF_ARGUMENTS.has(kind) || run(proposal, this.beginning, program) === null,
    );
  }
}
