import { randomBytes } from "node:crypto";
import type { Behaviour, Script } from "./behaviour.js";
import type { JsonRecord } from "./json.js";
import type { Received } from "./receive.js";
import type { RefusalCode } from "./refusal.js";

/** A tool call as it arrived. */
export interface ToolRequest extends Received {
  readonly tool: string;
}

/** What became of a reply: whether all of it left, and how many bytes did, headers included. */
export interface Ended {
  readonly isWhole: boolean;
  readonly bytes: number;
}

/** What the proxy did with a request: the kind of the behaviour it played, or why it refused. */
export type ReplyKind = Behaviour["kind"] | RefusalCode | "pending";

/** One tool call in the platform's books. */
export interface RecordedCall extends ToolRequest {
  readonly reply: ReplyKind;
  /** Settles when the reply is out or the connection is gone. */
  readonly ended: Promise<Ended>;
}

/** One event of the side channel in the platform's books; the sequence is null where it was not accepted. */
export interface RecordedTrace extends Received {
  readonly eventType: string;
  readonly sequence: number | null;
}

/** What the side channel does with events: takes them, fails with 500, or never answers. */
export type TraceMode = "accept" | "fail" | "hang";

export interface RunOptions {
  readonly tools?: Readonly<Record<string, Script>>;
  readonly traces?: TraceMode;
}

/** One run of the platform: what it hands to the agent and what it saw of it. */
export interface Run {
  readonly runId: number;
  readonly taskId: number;
  readonly agentId: number;
  readonly jti: string;
  /** Secret; only a header of the dispatch carries it. */
  readonly runToken: string;
  readonly proxyUrl: string;
  readonly calls: readonly RecordedCall[];
  readonly traces: readonly RecordedTrace[];
}

/** A run as the proxy keeps it. */
export interface OpenRun extends Run {
  readonly key: string;
  readonly calls: RecordedCall[];
  readonly traces: RecordedTrace[];
  readonly traceMode: TraceMode;
  readonly tools: ReadonlyMap<string, Player>;
}

/** Chooses the behaviour for a call. */
export type Player = (args: JsonRecord, request: ToolRequest) => Behaviour | Promise<Behaviour>;

function playerOf(script: Script): Player {
  if (typeof script === "function") return script;
  const behaviours: readonly Behaviour[] = "kind" in script ? [script] : script;
  let played = 0;
  return () => {
    const behaviour = behaviours[Math.min(played, behaviours.length - 1)];
    if (behaviour === undefined) throw new RangeError("a tool has at least one behaviour");
    played += 1;
    return behaviour;
  };
}

/** Opens the run of this number; ids of runs, tasks and agents never coincide, so that a mix-up shows. */
export function openRun(baseUrl: string, number: number, { tools = {}, traces = "accept" }: RunOptions): OpenRun {
  const key = randomBytes(8).toString("hex");
  return {
    key,
    runId: 10_000 + number,
    taskId: 20_000 + number,
    agentId: 8,
    jti: randomBytes(16).toString("hex"),
    runToken: `run-secret-${randomBytes(24).toString("base64url")}`,
    proxyUrl: `${baseUrl}/runs/${key}`,
    calls: [],
    traces: [],
    traceMode: traces,
    tools: new Map(Object.entries(tools).map(([name, script]) => [name, playerOf(script)])),
  };
}
