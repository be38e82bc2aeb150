import type { Json } from "../../base/json.js";
import { isSameJson } from "../../base/same-json.js";
import type { Guard } from "../../guard/guard-api.js";
import type { ModelCall } from "../../guard/model/public.js";
import { NOT_SENT } from "../../guard/session/outcome.js";
import { isRefused, type JudgedCall } from "./gate.js";

/** The calls of replies that were judged and not executed yet, for the one guard that judged them. */
export class AgentCalls {
  private readonly judged = new Map<string, JudgedCall>();
  /** The tools whose execution passes the guard. */
  private readonly executed = new Set<string>();

  constructor(private readonly guard: Guard) {}

  add(calls: readonly JudgedCall[]): void {
    for (const each of calls) {
      // An id that stands twice in a reply is one call.
      if (!this.judged.has(each.call.id)) this.judged.set(each.call.id, each);
    }
  }

  /** From now on calls of these tools are executed by `runCall` alone. */
  execute(tools: Iterable<string>): void {
    for (const tool of tools) this.executed.add(tool);
  }

  executes(tool: string): boolean {
    return this.executed.has(tool);
  }

  /**
   * The judgement of a call that is executed now, by its id; without one by its tool and arguments. It is given once; a refusal stays for
   * its id, because a reply that is refused as a whole may have two calls under one.
   */
  take(id: string | undefined, tool: string, args: Json): JudgedCall | null {
    if (this.judged.size === 0) return null;
    const found = id === undefined ? this.alike(tool, args) : this.judged.get(id);
    if (found === undefined) return null;
    if (id === undefined || !isRefused(found)) this.judged.delete(found.call.id);
    return found;
  }

  /** Calls whose results the application reports, taken when it does. */
  find(id: string): JudgedCall | undefined {
    return this.judged.get(id);
  }

  forget(id: string): void {
    this.judged.delete(id);
  }

  /** Before the next reply: what was reserved for `runCall` and never came to it was not sent. */
  async endReply(): Promise<void> {
    for (const [id, { call, fate }] of [...this.judged]) {
      const isOurs = this.executed.has(call.tool);
      if (fate.kind === "reserved" && !isOurs) continue;
      if (fate.kind === "waiting") continue;
      this.judged.delete(id);
      if (fate.kind === "reserved") await this.guard.settle(fate.callId, NOT_SENT);
    }
  }

  private alike(tool: string, args: Json): JudgedCall | undefined {
    return [...this.judged.values()].find(({ call }) => isSameCall(call, tool, args));
  }
}

export function isSameCall(call: ModelCall, tool: string, args: Json): boolean {
  return call.tool === tool && isSameJson(call.args, args);
}

const known = new WeakMap<Guard, AgentCalls>();

/** The calls of the agent that a guard watches; shared by everything that was made for the same guard. */
export function callsOf(guard: Guard): AgentCalls {
  const calls = known.get(guard) ?? new AgentCalls(guard);
  known.set(guard, calls);
  return calls;
}
