import type { JsonObject } from "../../base/json.js";
import type { Guard } from "../../guard/guard-api.js";
import { callsOf } from "../core/agent-calls.js";
import { parsedBody } from "./body.js";
import type { ClientOptions } from "./client-options.js";
import type { Conversation } from "./conversation.js";
import { type Decision, ReplyDecider } from "./decide-reply.js";
import type { Dialect, ReplyStream } from "./dialect.js";
import { RequestJudge } from "./judge-request.js";
import { readResponse } from "./read-response.js";
import { refusedEvent, refusedResponse, type Stop, stopAfter, stopOf } from "./refused-request.js";
import { EventReader, type ServerEvent, written } from "./server-events.js";

/** One attempt of an SDK to get a reply. */
export interface Attempt {
  readonly body: string;
  /** Whether the SDK tries again: it is the same step. */
  readonly isRetry: boolean;
  readonly signal: AbortSignal;
  /** Sends the request with a body. */
  readonly send: (body: string) => Promise<Response>;
}

/** So often the model is told that its calls are refused, before the request fails. */
const MOST_ROUNDS = 10;
const ENDLESS: Stop = {
  code: "refused_too_often",
  message: `the calls of ${MOST_ROUNDS} replies in a row were refused`,
};
const STRANGE: Stop = {
  code: "response_unreadable",
  message: "the stream of the provider has a call where no format has one",
};
const UNREADABLE: Stop = {
  code: "response_unreadable",
  message: "the provider's answer is no JSON object that all readers agree on",
};

/** What headers say of a body as it came over the network. */
const OF_BODY = ["content-length", "content-encoding", "transfer-encoding"];

/** Something failed that is the network's or the provider's: it is passed on as it is. */
class Foreign extends Error {
  constructor(override readonly cause: unknown) {
    super("the request failed");
  }
}

/** The headers of a response of the provider whose body was read. */
function headersOf({ headers }: Response): Headers {
  const others = new Headers(headers);
  for (const name of OF_BODY) others.delete(name);
  return others;
}

function isEventStream(response: Response): boolean {
  return response.headers.get("content-type")?.includes("text/event-stream") === true;
}

/** One request of an application: sent, judged, and sent again with the refusals until its reply can be passed on. */
export class Exchange {
  private readonly requests: RequestJudge;
  private readonly replies: ReplyDecider;
  private rounds = 0;
  private last: JsonObject | null = null;
  /** The request as the application has made it. */
  private given: JsonObject | null = null;

  constructor(
    private readonly guard: Guard,
    private readonly dialect: Dialect,
    private readonly conversation: Conversation,
    options: ClientOptions,
    private readonly attempt: Attempt,
  ) {
    this.requests = new RequestJudge(guard, dialect, options);
    this.replies = new ReplyDecider(guard, dialect, conversation, options);
  }

  async run(): Promise<Response> {
    try {
      return await this.answered();
    } catch (cause) {
      if (cause instanceof Foreign) throw cause.cause;
      if (this.attempt.signal.aborted) throw cause;
      return refusedResponse(stopAfter(cause));
    }
  }

  private async answered(): Promise<Response> {
    const { attempt, guard } = this;
    const given = parsedBody(attempt.body);
    if (given === null)
      return refusedResponse({
        code: "request_not_judged",
        message: "the request is no JSON object that all readers agree on",
      });
    this.given = given;
    let request = await this.conversation.completed(this.dialect, given);
    await callsOf(guard).endReply();
    for (;;) {
      const ready = await this.ready(request);
      if ("stop" in ready) return refusedResponse(ready.stop);
      const response = await this.sent(ready.body);
      if (!response.ok) return response;
      if (isEventStream(response)) {
        const reader = this.dialect.stream(given);
        const { status, statusText } = response;
        const stream = streamOf(this.bytes({ request, body: ready.body, response, reader }));
        return new Response(stream, { status, statusText, headers: headersOf(response) });
      }
      const text = await foreign(() => response.text());
      const reply = parsedBody(text);
      if (reply === null) return refusedResponse(UNREADABLE);
      const decision = await this.decided(reply, ready.body);
      if (decision.kind === "stop") return refusedResponse(decision.stop);
      if (decision.kind === "pass") {
        // The application gets the very object that was judged.
        if (decision.reply === reply) return readResponse(response, response.headers, { text, json: reply });
        return readResponse(response, headersOf(response), { text: JSON.stringify(decision.reply) });
      }
      request = this.dialect.answered(request, reply, decision.answers);
    }
  }

  /** Begins a step, and makes what is sent of a request. */
  private async ready(request: JsonObject): Promise<{ readonly body: JsonObject } | { readonly stop: Stop }> {
    this.rounds += 1;
    if (this.rounds > MOST_ROUNDS) return { stop: ENDLESS };
    if (this.rounds > 1 || !this.attempt.isRetry) {
      const begun = await this.guard.beginStep();
      if (begun.kind === "block") return { stop: stopOf(begun) };
    }
    return this.requests.judge(request);
  }

  private decided(reply: JsonObject, request: JsonObject): Promise<Decision> {
    if (this.last !== null) this.conversation.follow(this.last, reply);
    this.last = reply;
    return this.replies.decide({ reply, request, signal: this.attempt.signal });
  }

  private sent(body: JsonObject): Promise<Response> {
    const text = body === this.given ? this.attempt.body : JSON.stringify(body);
    return foreign(() => this.attempt.send(text));
  }

  /** The events of a reply, and of those after it, as the application gets them. */
  private async *bytes(first: Streamed): AsyncGenerator<Uint8Array> {
    try {
      let streamed = first;
      for (;;) {
        const { reader } = streamed;
        for await (const event of eventsOf(streamed.response)) {
          for (const passed of reader.take(event)) yield written(passed);
        }
        const next = await this.after(streamed);
        if (!("reader" in next)) {
          for (const event of next) yield written(event);
          return;
        }
        streamed = next;
      }
    } catch (cause) {
      if (cause instanceof Foreign) throw cause.cause;
      if (this.attempt.signal.aborted) throw cause;
      yield written(refusedEvent(stopAfter(cause)));
    }
  }

  /** What comes after the last event of a reply: the events that were kept, or another reply. */
  private async after({ request, body, reader }: Streamed): Promise<readonly ServerEvent[] | Streamed> {
    if (reader.isStrange) return [refusedEvent(STRANGE)];
    if (reader.isFailed) return [];
    const reply = reader.reply();
    if (reply === null) {
      if (!reader.isHolding) return [];
      throw new Foreign(new Error("the stream ended before the calls in it were complete"));
    }
    const decision = await this.decided(reply, body);
    if (decision.kind === "stop") return [refusedEvent(decision.stop)];
    if (decision.kind === "pass") return reader.release(decision.reply);
    const next = this.dialect.answered(request, reply, decision.answers);
    const ready = await this.ready(next);
    if ("stop" in ready) return [refusedEvent(ready.stop)];
    const response = await this.sent(ready.body);
    if (response.ok && isEventStream(response)) {
      return { request: next, body: ready.body, response, reader: reader.next() };
    }
    await response.body?.cancel();
    const message = `the provider answered with status ${response.status} when it was told of refused calls`;
    return [refusedEvent({ code: "provider_failed", message })];
  }
}

interface Streamed {
  /** What the application asked for, with the rounds since. */
  readonly request: JsonObject;
  /** What was sent of it. */
  readonly body: JsonObject;
  readonly response: Response;
  readonly reader: ReplyStream;
}

async function foreign<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Foreign(cause);
  }
}

async function* eventsOf({ body }: Response): AsyncGenerator<ServerEvent> {
  if (body === null) return;
  const reader = new EventReader();
  const source = body.getReader();
  try {
    for (;;) {
      const { done, value } = await foreign(() => source.read());
      yield* done ? reader.end() : reader.take(value);
      if (done) return;
    }
  } finally {
    // Whoever stops to read wants no more of it.
    await source.cancel().catch(() => undefined);
  }
}

function streamOf(bytes: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await bytes.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await bytes.return(undefined);
    },
  });
}
