import type { StreamPart } from "./reply-parts.js";

type FinishPart = Extract<StreamPart, { type: "finish" }>;

/** Text flows on; errors and the start of the stream are nothing of a call. */
function flows({ type }: StreamPart): boolean {
  return type.startsWith("text-") || type === "error" || type === "stream-start" || type === "response-metadata";
}

/** Raw chunks of the provider may hold calls too. */
function isOfCall({ type }: StreamPart): boolean {
  return type.startsWith("tool-") || type === "raw";
}

/**
 * Keeps the parts of a stream from the first of a call on, until the reply is complete and judged. The calls of a stream that is cut
 * before its end, or whose reply is not used, are never passed on.
 */
export function heldStream(
  seen: (part: StreamPart) => void,
  judge: (finish: FinishPart) => Promise<void>,
): TransformStream<StreamPart, StreamPart> {
  const held: StreamPart[] = [];
  return new TransformStream({
    async transform(part, controller) {
      seen(part);
      if (part.type !== "finish") {
        if (!flows(part) && (held.length > 0 || isOfCall(part))) held.push(part);
        else controller.enqueue(part);
        return;
      }
      try {
        await judge(part);
      } catch (error) {
        controller.enqueue({ type: "error", error });
        controller.enqueue({ ...part, finishReason: { unified: "error", raw: part.finishReason.raw } });
        return;
      }
      for (const each of held.splice(0)) controller.enqueue(each);
      controller.enqueue(part);
    },
  });
}
