import { isJsonList, type Json } from "../../base/json.js";
import { member, objectAt, textAt, Unreadable } from "./body.js";

function isText(value: Json | undefined, where: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== "string") throw new Unreadable(`a text in ${where}`, "something else");
  return /\S/u.test(value);
}

/** Whether a content, a text or a list of parts, says anything but white space; a refusal is text too. */
export function hasText(content: Json | undefined, where: string): boolean {
  if (content === undefined || content === null || typeof content === "string") return isText(content, where);
  if (!isJsonList(content)) throw new Unreadable(`a text or a list in ${where}`, "something else");
  return content
    .map((part, index) => {
      const object = objectAt(part, `${where}[${index}]`);
      textAt(member(object, "type"), `${where}[${index}].type`);
      const [text, refusal] = ["text", "refusal"].map((name) =>
        isText(member(object, name), `${where}[${index}].${name}`),
      );
      return text === true || refusal === true;
    })
    .includes(true);
}
