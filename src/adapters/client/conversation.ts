import type { JsonObject } from "../../base/json.js";
import type { Guard } from "../../guard/guard-api.js";
import { rejectionOf } from "../../guard/wrap/contract-violation.js";
import { callsOf } from "../core/agent-calls.js";
import { refusalText } from "../core/refusal.js";
import { plainText, textAt } from "./body.js";
import { type CallAtApplication, outputOf } from "./call-at-application.js";
import type { Dialect, LeftOut, ToolResult } from "./dialect.js";

/** What the messages of an application do not say, which go on from request to request. */
export class Conversation {
  /** The results that were read; each is settled once, however many requests repeat it. */
  private readonly settled = new Set<string>();
  /** What the model reads instead of results that broke a rule. */
  private readonly texts = new Map<string, string>();
  private readonly leftOut = new Map<string, LeftOut>();
  /** By the id of a reply whose calls were refused, the id of the next one. */
  private readonly later = new Map<string, string>();
  private readonly running = new Map<string, CallAtApplication>();

  constructor(private readonly guard: Guard) {}

  /** The application gets a reply without these calls; the model reads of them when it gets the result of the call beside them. */
  leave(beside: string, calls: LeftOut): void {
    this.leftOut.set(beside, calls);
  }

  /** A call that was approved and whose result the application is to bring. */
  expect(id: string, call: CallAtApplication): void {
    this.running.set(id, call);
  }

  /** Settles the calls whose results a request brings, and completes it: what the model is to read. */
  async completed(dialect: Dialect, request: JsonObject): Promise<JsonObject> {
    for (const result of dialect.results(request)) if (!this.settled.has(result.id)) await this.read(result);
    const judged = this.texts.size === 0 ? request : dialect.withResults(request, this.texts);
    const restored = this.leftOut.size === 0 ? judged : dialect.restored(judged, this.leftOut);
    return this.later.size === 0 ? restored : dialect.followed(restored, (id) => this.last(id));
  }

  /** The application got the second reply; of a stream it may know the id of the first. */
  follow(reply: JsonObject, next: JsonObject): void {
    const [id, later] = [textAt(reply, "id"), textAt(next, "id")];
    if (id !== null && later !== null && id !== later) this.later.set(id, later);
  }

  private last(id: string | null): string | null {
    let found: string | null = null;
    const seen = new Set<string>();
    for (let next = this.later.get(id ?? ""); next !== undefined && !seen.has(next); next = this.later.get(next)) {
      seen.add(next);
      found = next;
    }
    return found;
  }

  private async read(result: ToolResult): Promise<void> {
    const { id } = result;
    const text = await this.settle(result);
    this.settled.add(id);
    if (text !== null) this.texts.set(id, text);
  }

  /** What the model reads instead of a result; null if it may read that. */
  private async settle(result: ToolResult): Promise<string | null> {
    const { id, content, isError } = result;
    const { guard } = this;
    const calls = callsOf(guard);
    const running = this.running.get(id);
    this.running.delete(id);
    if (running !== undefined) return running.take(result);
    // Also one that another process gave to the application.
    const open = guard.unsettled().find(({ key, tool }) => key === id && !calls.executes(tool));
    if (open === undefined) return null;
    calls.forget(id);
    const failure = { kind: "error", message: plainText(content) ?? undefined } as const;
    const settled = await guard.settle(open.callId, isError ? failure : { kind: "result", output: outputOf(result) });
    const rejection = rejectionOf(settled);
    if (rejection !== null) return refusalText(rejection);
    const { accepted, reason } = settled;
    return accepted || isError ? null : `the result was not accepted: ${reason ?? "it came too late"}`;
  }
}
