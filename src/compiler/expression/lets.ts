import type { Let, LetEntry, Names, Part } from "./part.js";
import { readPart } from "./read-part.js";
import type { Surroundings } from "./scope.js";

/** A `let`, which is read when it is first used; "open" while that goes on. */
class ReadOnce implements Let {
  private part: Part | "open" | null = null;

  constructor(
    readonly entry: LetEntry,
    private readonly names: Names,
  ) {}

  read(): Part | "open" {
    if (this.part !== null) return this.part;
    this.part = "open";
    this.part = readPart(this.entry.text, this.names);
    return this.part;
  }
}

/** The `let`s of a file. Those of a tool hide those of the session; one of the session names others of the session only. */
export class Lets implements Names {
  readonly own: ReadonlyMap<string, Let>;

  constructor(
    entries: readonly LetEntry[],
    readonly surroundings: Surroundings,
    private readonly outer: Lets | null,
    /** Whether a broken part of the file may have been another one. */
    private readonly isDamaged = false,
  ) {
    this.own = new Map(entries.map((entry) => [entry.name, new ReadOnce(entry, this)]));
  }

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
