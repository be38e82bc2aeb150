import type { ExpressionProblem } from "./expression-problem.js";
import type { Let, LetEntry, Names, Part } from "./part.js";
import { readPart } from "./read-part.js";
import type { Surroundings } from "./scope.js";

/** How many `let`s may stand for each other in a row: reading each goes through the next. */
const MOST_NESTED = 100;

function tooDeep({ name, nameSpan }: LetEntry): Part {
  const problem: ExpressionProblem = {
    kind: "expression_too_large",
    span: nameSpan,
    message: `\`${name}\` is read through more than ${MOST_NESTED} other \`let\`s`,
    help: "write out some of them",
  };
  const size = { characters: 0, nodes: 0, nesting: 0 };
  return { tree: null, spans: new Map(), text: "", size, output: null, lets: new Set(), problems: [problem] };
}

/** A `let`, which is read when it is first used; "open" while that goes on. */
class ReadOnce implements Let {
  private part: Part | "open" | null = null;

  constructor(
    readonly entry: LetEntry,
    private readonly names: Lets,
  ) {}

  read(): Part | "open" {
    if (this.part !== null) return this.part;
    this.part = "open";
    this.part = this.names.nested((depth) =>
      depth > MOST_NESTED ? tooDeep(this.entry) : readPart(this.entry.text, this.names),
    );
    return this.part;
  }
}

/** The `let`s of a file. Those of a tool hide those of the session; one of the session names others of the session only. */
export class Lets implements Names {
  readonly own: ReadonlyMap<string, Let>;
  private depth = 0;

  constructor(
    entries: readonly LetEntry[],
    readonly surroundings: Surroundings,
    private readonly outer: Lets | null,
    /** Whether a broken part of the file may have been another one. */
    private readonly isDamaged = false,
  ) {
    this.own = new Map(entries.map((entry) => [entry.name, new ReadOnce(entry, this)]));
  }

  /** Reads a `let`, with the number of those that are being read. */
  nested(read: (depth: number) => Part): Part {
    if (this.outer !== null) return this.outer.nested(read);
    this.depth += 1;
    const part = read(this.depth);
    this.depth -= 1;
    return part;
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
