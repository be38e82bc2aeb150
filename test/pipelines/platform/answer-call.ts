import type { ServerResponse } from "node:http";
import { actorRefusal, bodyRefusal, doorRefusal, rateRefusal } from "./admission.js";
import { play } from "./play.js";
import { type ProxyBooks, refuse } from "./proxy-books.js";
import { type Refusal, refusal } from "./refusal.js";
import type { Ended, OpenRun, ReplyKind, ToolRequest } from "./run.js";

interface CallEntry extends ToolRequest {
  reply: ReplyKind;
  readonly ended: Promise<Ended>;
}

function endOf(response: ServerResponse): Promise<Ended> {
  const { socket } = response;
  const before = socket?.bytesWritten ?? 0;
  return new Promise((resolve) => {
    response.once("close", () => {
      resolve({ isWhole: response.writableFinished, bytes: (socket?.bytesWritten ?? before) - before });
    });
  });
}

function refusalOf(books: ProxyBooks, run: OpenRun, request: ToolRequest): Refusal | null {
  return (
    doorRefusal(run, request) ??
    rateRefusal(books.rateLimit, books.retryAfter, run) ??
    actorRefusal(request) ??
    bodyRefusal(request)
  );
}

/** Answers a call of a tool, and has it in the books before the answer leaves. */
export async function answerCall(
  books: ProxyBooks,
  run: OpenRun,
  { request, response }: { readonly request: ToolRequest; readonly response: ServerResponse },
): Promise<void> {
  const call: CallEntry = { ...request, reply: "pending", ended: endOf(response) };
  run.calls.push(call);
  const refused = refusalOf(books, run, request);
  const player = run.tools.get(request.tool);
  if (refused !== null || request.body === null || player === undefined) {
    const reason = refused ?? refusal("tool_unknown");
    call.reply = reason.code;
    return refuse(books, response, reason);
  }
  const behaviour = await player(request.body, request);
  call.reply = behaviour.kind;
  return play(behaviour, request.tool, response);
}
