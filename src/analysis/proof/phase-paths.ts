import type { CompiledPack, CompiledTool } from "../../artifact/compiled.js";
import { checksOf } from "../model/checks-of.js";

/** The paths between phases that calls may take, considering only phase rules. */
export class PhasePaths {
  private readonly edges = new Map<string, Set<string>>();

  constructor(private readonly pack: CompiledPack) {
    for (const { from, to } of pack.phases?.transitions ?? [])
      this.edges.set(from, (this.edges.get(from) ?? new Set()).add(to));
  }

  /** Whether the phase check of a tool may allow a call in a phase. */
  isOpen(tool: CompiledTool, phase: string): boolean {
    return checksOf(tool.checks, "phase").every(
      ({ phases, advances_to: next }) => phases.includes(phase) && this.leads(phase, next),
    );
  }

  /** Whether a call may lead from one phase to another; null leads nowhere, which is always allowed. */
  leads(from: string, to: string | null): boolean {
    return to === null || from === to || (this.edges.get(from)?.has(to) ?? false);
  }

  /**
   * Every phase that a session may be in after a committed call of a tool; null if that may be any. A call that was unsettled
   * when this one was allowed may still take the session to its own phase: the guard allowed the second call only because it
   * is valid there too. Every later call is valid in one of these phases.
   */
  after(tool: CompiledTool, callable: ReadonlySet<string>): ReadonlySet<string> | null {
    if (this.pack.phases === null || tool.advances_to === null) return null;
    const moving = this.pack.tools.filter(({ name, advances_to: next }) => next !== null && callable.has(name));
    const found = new Set([tool.advances_to]);
    for (const { advances_to: next } of moving) if (next !== null && this.isOpen(tool, next)) found.add(next);
    for (let before = 0; before < found.size; ) {
      before = found.size;
      for (const other of moving) {
        if (other.advances_to !== null && [...found].some((phase) => this.isOpen(other, phase)))
          found.add(other.advances_to);
      }
    }
    return found;
  }
}
