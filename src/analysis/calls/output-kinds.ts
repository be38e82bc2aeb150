import type { Json } from "../../base/json.js";
import type { Program, Tool } from "../../guard/program/program.js";
import { judgeEntries } from "../../guard/values/judge-value.js";
import { readAll } from "../../guard/values/read-path.js";
import { collectedPaths } from "../model/effects.js";
import type { Moves } from "./moves.js";

/** The answers to try where it only matters what a session can still do: the values themselves do not end it. */
export class OutputKinds {
  private readonly kept = new Map<Tool, readonly Json[]>();

  constructor(
    private readonly program: Program,
    private readonly moves: Moves,
  ) {}

  /** Outputs that satisfy different conditions or have different fields, and some that are rejected. */
  of(tool: Tool): readonly Json[] {
    const known = this.kept.get(tool);
    if (known !== undefined) return known;
    const byKind = new Map<string, Json>();
    for (const output of this.moves.outputs(tool)) {
      const satisfied = tool.watches.map(
        ({ withOutput }) => judgeEntries(withOutput, output, this.program.env) === true,
      );
      const plain = [...tool.binds, ...tool.stages.map(({ stage }) => stage)].map(({ path }) => path);
      const paths = [...plain, ...collectedPaths(tool, "output")];
      const kind = JSON.stringify([satisfied, paths.map((path) => readAll(path, output).length)]);
      if (!byKind.has(kind)) byKind.set(kind, output);
    }
    const outputs = [...byKind.values(), ...this.moves.rejectedOutputs(tool)];
    this.kept.set(tool, outputs);
    return outputs;
  }
}
