import type { CompiledPack, CompiledTool } from "../../../artifact/compiled.js";
import { invariant } from "../../../base/invariant.js";
import { PhasePaths } from "../phase-paths.js";
import { awaits, type CallKind, isNever, type Need, needsOf } from "./call-facts.js";
import { type Counter, countersOf, judgedBy } from "./counters.js";

/** How calls of a kind are judged. */
export interface Judged {
  readonly needs: readonly Need[];
  /** For each counter that judges it, what it adds. */
  readonly adds: ReadonlyMap<Counter, number>;
}

/** What is known of one tool. */
export interface ToolControl {
  readonly tool: CompiledTool;
  /** No call of it is ever allowed. */
  readonly isNever: boolean;
  readonly judged: Judged;
}

/** A pack without values: what each tool needs, counts for, and changes. */
export class ControlModel {
  readonly counters: readonly Counter[];
  readonly paths: PhasePaths;
  private readonly tools: ReadonlyMap<string, ToolControl>;
  private readonly awaited = new Map<string, boolean>();

  constructor(readonly pack: CompiledPack) {
    this.counters = countersOf(pack);
    this.paths = new PhasePaths(pack);
    this.tools = new Map(
      pack.tools.map((tool) => {
        const kind = { tool, further: [] };
        return [tool.name, { tool, isNever: isNever(kind, pack), judged: this.judgedOf(kind) }];
      }),
    );
  }

  control(name: string): ToolControl {
    const found = this.tools.get(name);
    invariant(found !== undefined, "rules name tools of their pack only");
    return found;
  }

  judgedOf(kind: CallKind): Judged {
    const adds = new Map<Counter, number>();
    for (const counter of this.counters) {
      const added = judgedBy(counter, kind, this.pack);
      if (added !== null) adds.set(counter, added);
    }
    return { needs: needsOf(kind, this.pack), adds };
  }

  /** Whether a call of a tool is refused while one of another is open, by other rules than those on phases. */
  awaits(tool: CompiledTool, other: CompiledTool): boolean {
    const key = `${tool.name} ${other.name}`;
    const known = this.awaited.get(key) ?? awaits(tool, other, this.pack);
    this.awaited.set(key, known);
    return known;
  }
}
