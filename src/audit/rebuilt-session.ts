import type { LogRecord } from "../guard/durable/log-record.js";
import type { Snapshot } from "../guard/durable/session-snapshot.js";
import type { Program } from "../guard/program/program.js";
import { advance } from "../guard/session/advance.js";
import { newSession, type Session } from "../guard/session/session.js";

/** Why the state of a session is not known at a record. */
export type Unknown =
  /** The record is of an artifact that is not at hand. */
  | "artifact"
  /** The session was migrated, and no snapshot says what its state was then. */
  | "migration"
  | "sealed"
  /** An earlier record cannot be read, or does not fit those before it. */
  | "broken";

/** The state of a session at a record, or why it is not known. */
export type Known =
  | { readonly kind: "known"; readonly program: Program; readonly session: Session }
  | { readonly kind: "unknown"; readonly why: Unknown };

/** A snapshot, and the record that it was written with. */
export interface SnapshotAt {
  readonly revision: number;
  readonly snapshot: Snapshot;
}

/** Whoever wrote the log may have put anything into it. */
function textIn(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Rebuilds a session from its records, one after the other. */
export class RebuiltSession {
  private artifact: string | null = null;
  private program: Program | null = null;
  private state: Known = { kind: "unknown", why: "broken" };
  role: string | null = null;
  workflow: string | null = null;

  constructor(
    private readonly programOf: (artifact: string, role: string | null) => Program | null,
    private readonly snapshot: SnapshotAt | null,
  ) {}

  get now(): Known {
    return this.state;
  }

  /** The state that a record was decided in. */
  before({ n, artifact, content }: LogRecord): Known {
    if (n === 1 && !("sealed" in content)) {
      this.role = textIn(content.note?.opened?.role);
      this.workflow = textIn(content.note?.opened?.workflow);
    }
    if (artifact !== this.artifact) this.enter(n, artifact);
    if ("sealed" in content && this.state.kind === "known") this.lose("sealed");
    return this.state;
  }

  /** Applies a record whose state before it was asked for; false if it does not fit. */
  apply({ n, content }: LogRecord): boolean {
    let isFitting = true;
    if (this.state.kind === "known" && !("sealed" in content) && content.event !== null) {
      const { program, session } = this.state;
      try {
        advance(program, session, content.event);
      } catch {
        // An invariant of the session: what the record says cannot have happened.
        this.lose("broken");
        isFitting = false;
      }
    }
    if (this.state.kind === "unknown" && n === this.snapshot?.revision) this.begin(this.snapshot.snapshot);
    return isFitting;
  }

  /** A record cannot be read, so that nothing is known from here on. */
  lose(why: Unknown): void {
    this.state = { kind: "unknown", why };
  }

  private enter(n: number, artifact: string): void {
    this.artifact = artifact;
    this.program = this.programOf(artifact, this.role);
    if (this.program === null) this.lose("artifact");
    else if (n === 1) this.state = { kind: "known", program: this.program, session: newSession(this.program) };
    else this.lose("migration");
  }

  /** Only what was migrated begins with a snapshot: everything else is rebuilt from its events. */
  private begin({ artifact, state, decode }: Snapshot): void {
    const { program } = this;
    if (program === null || artifact !== this.artifact || this.state.kind !== "unknown") return;
    if (this.state.why !== "migration") return;
    try {
      this.state = { kind: "known", program, session: decode(program, JSON.parse(state)) };
    } catch {
      // Sealed, or not what a guard writes.
      this.lose("broken");
    }
  }
}
