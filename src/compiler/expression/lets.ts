import type { Span } from "../../diagnostics/source.js";
import type { ExpressionText } from "./expression-text.js";
import type { Part } from "./part.js";
import { readPart } from "./read-part.js";
import type { Surroundings } from "./scope.js";

/** One entry of `let`. */
export interface LetEntry {
  readonly name: string;
  readonly nameSpan: Span;
  readonly text: ExpressionText;
}

/** A name for an expression, which is read when it is first used; "open" while that goes on. */
export class Let {
  private part: Part | "open" | null = null;

  constructor(
    readonly entry: LetEntry,
    private readonly owner: Lets,
  ) {}

  /** What it stands for; "open" where it is part of itself. */
  read(): Part | "open" {
    if (this.part !== null) return this.part;
    this.part = "open";
    this.part = readPart(this.entry.text, this.owner);
    return this.part;
  }
}

/** The `let`s of a file. Those of a tool hide those of the session; one of the session names others of the session only. */
export class Lets {
  readonly own: ReadonlyMap<string, Let>;

  constructor(
    entries: readonly LetEntry[],
    readonly surroundings: Surroundings,
    private readonly outer: Lets | null,
    /** Whether a broken part of the file may have been another one. */
    private readonly isDamaged = false,
  ) {
    this.own = new Map(entries.map((entry) => [entry.name, new Let(entry, this)]));
  }

  /** Whether every name of the files around is known here. */
  isComplete(): boolean {
    return !this.isDamaged && this.outer?.isComplete() !== false;
  }

  find(name: string): Let | undefined {
    return this.own.get(name) ?? this.outer?.find(name);
  }

  names(): readonly string[] {
    return [...this.own.keys(), ...(this.outer?.names() ?? [])];
  }
}
