import type { Json } from "../../../src/base/json.js";
import { Decisions } from "../../../src/guard/decide/decisions.js";
import { FORGOTTEN, LOST, type SlotReader } from "../../../src/guard/expression/slot-reader.js";
import { prepareProgram } from "../../../src/guard/program/prepare-program.js";
import { packOf, resolveOptions } from "../../../src/guard/resolved-options.js";
import { advance } from "../../../src/guard/session/advance.js";
import { UNKNOWN } from "../../../src/guard/session/call.js";
import { newSession, type Session } from "../../../src/guard/session/session.js";
import { SlotWorlds } from "../../../src/guard/session/slots/slot-worlds.js";
import { stateOf } from "../../../src/guard/session/state.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { TestClock } from "../../support/guard-clock.js";

const SYMBOLS = new Map<unknown, string>([
  [UNKNOWN, "awaited"],
  [LOST, "lost"],
  [FORGOTTEN, "forgotten"],
  [undefined, "unset"],
]);

/** What a reader answers, as JSON: maps as lists of pairs. */
export function shown(answer: unknown): unknown {
  if (SYMBOLS.has(answer)) return SYMBOLS.get(answer);
  if (answer instanceof Map) return Array.from(answer, ([key, value]) => [key, shown(value)]);
  if (typeof answer !== "object" || answer === null || !("isComplete" in answer && "value" in answer)) return answer;
  return answer.isComplete ? shown(answer.value) : { incomplete: shown(answer.value) };
}

export type Read = (slots: SlotReader) => unknown;

/** The answer in each world, in the order in which worlds are looked at. */
export function inWorlds(session: Session, read: Read): readonly unknown[] {
  const worlds = new SlotWorlds(session);
  const answers: unknown[] = [];
  do answers.push(shown(read(worlds)));
  while (worlds.next());
  return answers;
}

/** A session of the guard without its promises, for packs with the head of language 1.1. */
export class SlotSession {
  readonly program;
  readonly session: Session;
  private readonly decisions: Decisions;

  constructor(pack: string, head = "") {
    const artifact = artifactOf(`#== session.yaml (with the required fields)\nschema_version: "1.1"\n${head}\n${pack}`);
    const root = packOf(artifact, undefined);
    this.program = prepareProgram(artifact, root, { env: {}, principal: null });
    this.decisions = new Decisions(this.program, resolveOptions({ clock: new TestClock(), approver: "manual" }, root));
    this.session = newSession(this.program);
  }

  propose(tool: string, args: Json) {
    const { events, result } = this.decisions.propose(this.session, tool, this.decisions.proposals.of(tool, args));
    for (const event of events) advance(this.program, this.session, event);
    return result;
  }

  /** Reserves a call. */
  open(tool: string, args: Json): string {
    const verdict = this.propose(tool, args);
    if (verdict.kind !== "allow") throw new Error(`refused: ${JSON.stringify(verdict)}`);
    return verdict.callId;
  }

  /** Calls a tool, which answers with an output; without one it happened and its output never comes. */
  call(tool: string, args: Json, output?: Json): void {
    this.commit(this.open(tool, args), output);
  }

  commit(callId: string, output?: Json): void {
    const event = { kind: "settled", callId, ending: "committed", sign: "neither" } as const;
    advance(this.program, this.session, output === undefined ? event : { ...event, output });
  }

  end(callId: string, ending: "released" | "violated" | "indeterminate"): void {
    advance(this.program, this.session, { kind: "settled", callId, ending, sign: "neither" });
  }

  /** The answer in each world. */
  worlds(read: Read): readonly unknown[] {
    return inWorlds(this.session, read);
  }

  /** The answer, which must not depend on open calls. */
  now(read: Read): unknown {
    const [answer, ...others] = this.worlds(read);
    if (others.length > 0) throw new Error("it depends on open calls");
    return answer;
  }

  bindings() {
    return stateOf(this.program, this.session).bindings;
  }
}
