import { createGuard } from "../../../src/guard/guard.js";
import type { Guard } from "../../../src/guard/guard-api.js";
import { openStore } from "../../../src/stores/open-store.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { BUDGET, PAY, plainContract } from "../agent-pack.js";

/** What every framework is shown to do with a call, in the order of the table. */
export const SITUATIONS = [
  "allowed",
  "refused",
  "output refused",
  "error",
  "timeout",
  "abort",
  "approval yes",
  "approval no",
  "approval late",
  "parallel",
  "repeated id",
  "killed in between",
] as const;

export type Situation = (typeof SITUATIONS)[number];

/** A call that the model asks for. */
export interface ScriptedCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, number>>;
}

/** What a driver plays on the real SDK of its framework. */
export interface Scene {
  readonly guard: Guard;
  /** Another guard of the same session, as another process opens it; for drivers that need a durable store. */
  readonly opened: () => Promise<Guard>;
  /** The replies of the model that have calls, in order; after the last of them it says `DONE`. */
  readonly replies: readonly (readonly ScriptedCall[])[];
  /** The tools, by name: what the application registers with the framework. */
  readonly tools: Readonly<Record<string, (args: unknown, signal?: AbortSignal) => Promise<unknown>>>;
  /** The application gives up when this aborts: to be given to the framework. */
  readonly signal: AbortSignal;
}

/** What came of it. */
export interface Played {
  /** For each call in the order of the script: the text of its result as the model read it; null if there was none. */
  readonly results: readonly (string | null)[];
  /** Whether the run of the application ended, or threw. */
  readonly run: "ended" | "threw";
}

/** A situation that a framework cannot be in, and why. */
export interface NotApplicable {
  readonly notApplicable: string;
}

/** Plays a scene with one framework. */
export interface Driver {
  readonly framework: string;
  /** Whether each of its events has a process of its own: the session is in a store then. */
  readonly isDurable?: true;
  play(scene: Scene, situation: Situation): Promise<Played | NotApplicable>;
}

/** What the model says at the end of a script. */
export const DONE = "All done.";

const PACK = `
#== session.yaml (with the required fields)
schema_version: "1.1"
${BUDGET}
${PAY}${plainContract("fail", "side_effect: write")}${plainContract("hang", "side_effect: write", "timeouts: { total_ms: 60 }")}
${plainContract("slow", "side_effect: write")}${plainContract("stop", "side_effect: write")}`;

const pay = (id: string, n: number): ScriptedCall => ({ id, tool: "pay", args: { n } });
const bare = (id: string, tool: string): ScriptedCall => ({ id, tool, args: {} });

const SCRIPTS: Readonly<Record<Situation, Scene["replies"]>> = {
  allowed: [[pay("call_a", 10)]],
  refused: [[pay("call_a", 70)]],
  "output refused": [[pay("call_a", 13)]],
  error: [[bare("call_a", "fail")]],
  timeout: [[bare("call_a", "hang")]],
  abort: [[bare("call_a", "slow")]],
  "approval yes": [[pay("call_a", 55)]],
  "approval no": [[pay("call_a", 55)]],
  "approval late": [[pay("call_a", 55)]],
  parallel: [[pay("call_a", 30), pay("call_b", 40)]],
  "repeated id": [[pay("call_a", 10)], [pay("call_a", 10)]],
  "killed in between": [[bare("call_a", "stop")], [pay("call_b", 10)]],
};

const ANSWERS: Partial<Readonly<Record<Situation, "yes" | "no" | "late">>> = {
  "approval yes": "yes",
  "approval no": "no",
  "approval late": "late",
};

/** Never ends by itself; gives up with its signal, so that no test waits for it. */
function endless(signal?: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(new Error("the tool was told to stop")));
  });
}

/** A scene, and what the guard recorded in it. */
interface Staged {
  readonly scene: Scene;
  /** How often each call was executed, how it was settled, and whether the session is over. */
  summary(): Promise<string>;
}

export async function staged(situation: Situation, { isDurable }: Pick<Driver, "isDurable">): Promise<Staged> {
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead };
  const endings: string[] = [];
  let sent = 0;
  const stored = isDurable === true ? { store: await openStore("memory:"), sessionId: "s" } : {};
  const opened = async () => {
    const guard = await createGuard(artifactOf(PACK), { env: {}, approver: "manual", clock, ...stored });
    guard.on("settled", ({ ending }) => {
      if (ending !== undefined) endings.push(ending);
    });
    guard.on("approval_requested", ({ approvalId }) => {
      const answer = ANSWERS[situation];
      if (answer === "late") ahead = 61_000;
      void (answer === "no" ? guard.deny(approvalId, { by: "ann" }) : guard.approve(approvalId, { by: "ann" }));
    });
    return guard;
  };
  const guard = await opened();
  const giveUp = new AbortController();
  const counted = (run: Scene["tools"][string]): Scene["tools"][string] => {
    return async (args, signal) => {
      sent += 1;
      return run(args, signal);
    };
  };
  const tools = {
    pay: counted(async (args) => ({ ok: !JSON.stringify(args).includes("13"), paid: true })),
    fail: counted(() => Promise.reject(new Error("no such order"))),
    hang: counted((_, signal) => endless(signal)),
    slow: counted(async (_, signal) => {
      setTimeout(() => giveUp.abort(), 5);
      return endless(signal);
    }),
    stop: counted(async () => {
      await guard.kill("the operator ended the session");
      return { ok: true };
    }),
  };
  const summary = async () => {
    const last = isDurable === true ? await opened() : guard;
    const open = last.state().unsettled.filter(({ status }) => status === "running");
    const all = [...endings, ...open.map(() => "unsettled")];
    return `sent ${sent}${all.length === 0 ? "" : `, ${all.join(", ")}`}`;
  };
  return { scene: { guard, opened, replies: SCRIPTS[situation], tools, signal: giveUp.signal }, summary };
}

/** What the model read of a call, in the words of the table. */
function wordOf(text: string | null): string {
  if (text === null) return "no result";
  const reason = /refused by contract \((\w+)\)/.exec(text)?.[1];
  if (reason !== undefined) return `\`${reason}\``;
  return text.includes('"paid":true') || text.includes('"ok":true') ? "output" : "error";
}

/** The cell of the table for what was played. */
export function cellOf(played: Played | NotApplicable, summary: string): string {
  if ("notApplicable" in played) return `not applicable: ${played.notApplicable}`;
  const read = played.results.map(wordOf).join(", ");
  return `${read}${played.run === "threw" ? ", run throws" : ""}; ${summary}`;
}
