import type { KeyObject } from "node:crypto";
import type { SessionEnd } from "./chain.js";
import { distrust, type NamedKey, readCheckpoint } from "./checkpoint.js";
import type { Problems } from "./problem.js";
import { keyName } from "./signing-key.js";

/** The hashes that were signed for one session, by the number of records. */
type Signed = Map<number, { readonly hash: string; isMet: boolean }>;

/** Compares logs with signed checkpoints: a log may only have grown since. */
export class CheckpointCheck {
  private readonly sessions = new Map<string, Signed>();
  /** How many records the sessions have that were signed. */
  private readonly counts = new Map<string, number>();
  private readonly bad: (readonly [session: string | null, count: number | null, what: string])[] = [];

  /** Reads checkpoints. One that cannot be trusted is a problem of its own. */
  constructor(lines: Iterable<string>, key: KeyObject) {
    const named = { key, name: keyName(key) };
    let number = 0;
    for (const line of lines) {
      number += 1;
      if (line.trim() !== "") this.add(line, number, named);
    }
  }

  /** A record was read. */
  seen(
    session: string,
    { n, hash }: { readonly n: number; readonly hash: string },
    problems: Pick<Problems, "add">,
  ): void {
    const signed = this.sessions.get(session)?.get(n);
    if (signed === undefined) return;
    signed.isMet = true;
    if (signed.hash !== hash) problems.add(session, n, "is not the record that was signed");
  }

  /** All records of a session were read. */
  ended({ session, count }: SessionEnd): void {
    if (this.sessions.has(session)) this.counts.set(session, count);
  }

  /** All sessions were read. */
  finish(problems: Pick<Problems, "add">): void {
    for (const [session, count, what] of this.bad) problems.add(session, count, what);
    for (const [session, signed] of this.sessions) {
      const count = this.counts.get(session);
      for (const [n, { isMet }] of signed) if (!isMet) problems.add(session, n, unmet(count, n));
    }
  }

  private add(line: string, number: number, key: NamedKey): void {
    const checkpoint = readCheckpoint(line);
    if (checkpoint === null) {
      this.bad.push([null, null, `line ${number} of the checkpoints is none`]);
      return;
    }
    const { session, count, hash } = checkpoint;
    const why = distrust(checkpoint, key);
    if (why !== null) {
      this.bad.push([session, count, `the checkpoint ${why}`]);
      return;
    }
    const signed: Signed = this.sessions.get(session) ?? new Map();
    this.sessions.set(session, signed);
    if (signed.has(count) && signed.get(count)?.hash !== hash) {
      this.bad.push([session, count, "two different records were signed"]);
    }
    signed.set(count, { hash, isMet: false });
  }
}

function unmet(count: number | undefined, signed: number): string {
  if (count === undefined) return "was signed, and the session is missing";
  if (count >= signed) return "was signed, and cannot be read";
  return `was signed, and the session has only ${count} ${count === 1 ? "record" : "records"}`;
}
