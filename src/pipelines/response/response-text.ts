import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";

/** Whether there is anything to read: blanks alone are not. */
export function hasText(text: string): boolean {
  return /\S/.test(text);
}

function partText(part: Json): string {
  return isJsonObject(part) && part.type === "text" && typeof part.text === "string" ? part.text : "";
}

function contentText(content: Json | undefined): string {
  if (typeof content === "string") return content;
  return isJsonList(content) ? content.map(partText).join("") : "";
}

/** What the assistant says in each message that a judge can grade. */
export function assistantTexts(messages: readonly JsonObject[]): readonly string[] {
  return messages
    .filter(({ role }) => role === "assistant")
    .map(({ content }) => contentText(content))
    .filter(hasText);
}
