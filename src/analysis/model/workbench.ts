import type { CompiledTool } from "../../artifact/compiled.js";
import type { PackRule } from "../../artifact/pack-rules.js";
import type { Json } from "../../base/json.js";
import type { Program, Proposal } from "../../guard/program/program.js";
import type { Session } from "../../guard/session/session.js";
import { Moves } from "../calls/moves.js";
import type { Findings } from "../search/findings.js";
import { Prober } from "../search/prober.js";
import type { Search, SearchBounds } from "../search/search.js";
import type { PackUnderTest } from "./pack-under-test.js";

/** The input of searches for one tool. */
export interface Given {
  readonly findings: Findings;
  readonly bounds: SearchBounds;
  readonly principal: Json | null;
  /** The tools to be called; by default the tool's cone of influence. */
  readonly names?: ReadonlySet<string>;
  /** Whether more values are tried than the rules suggest. */
  readonly isRich?: boolean;
}

/** The extent of a search for one tool. */
export interface SearchReport {
  readonly explored: number;
  readonly hit: ReadonlySet<"depth" | "states">;
}

/** The extent of several searches together. */
export class Tally {
  readonly hit = new Set<"depth" | "states">();
  explored = 0;

  add({ explored, hit }: SearchReport): void {
    this.explored += explored;
    for (const bound of hit) this.hit.add(bound);
  }

  close({ visited, hit }: Search): void {
    this.add({ explored: visited, hit });
  }
}

/** A tool's cone of influence, with the calls that may be made in it. */
export class Workbench {
  readonly program: Program;
  readonly moves: Moves;
  readonly prober: Prober;

  constructor(
    readonly under: PackUnderTest,
    readonly compiled: CompiledTool,
    readonly given: Given,
  ) {
    const { findings, principal } = given;
    this.program = under.slice(given.names ?? under.cone.of([compiled.name]), principal);
    const library = under.libraryOf(given.isRich === true ? "many" : "enough");
    this.moves = new Moves(this.program, library, compiled.name);
    this.prober = new Prober(this.program, compiled, {
      rules: under.rules,
      findings,
      moves: this.moves,
      library,
      circumstances: { principal, env: under.env },
      writing: new Set(under.cone.writersFor(compiled)),
    });
  }

  /** Calls of the tool that the guard allows. */
  allowedCalls(session: Session): readonly Proposal[] {
    return this.moves.allowed(this.prober.tool, session);
  }

  isAllowed(session: Session): boolean {
    return this.moves.isAllowed(this.prober.tool, session);
  }

  /** Whether a rule was not seen to refuse a call alone. */
  isUnseen({ id }: PackRule): boolean {
    return this.given.findings.rule(id).alone === null;
  }
}
