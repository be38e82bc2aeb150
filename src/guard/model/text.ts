import { isJsonList, type Json } from "../../base/json.js";
import { member, objectAt, textAt, Unreadable } from "./body.js";

function isText(value: Json | undefined): boolean {
  return typeof value === "string" && /\S/u.test(value);
}

/** Whether a content, a text or a list of parts, says anything but white space; a refusal is text too. */
export function saysText(content: Json | undefined, where: string): boolean {
  if (content === undefined || content === null) return false;
  if (typeof content === "string") return isText(content);
  if (!isJsonList(content)) throw new Unreadable(`a text or a list in ${where}`, "something else");
  return content
    .map((part, index) => {
      const object = objectAt(part, `${where}[${index}]`);
      textAt(member(object, "type"), `${where}[${index}].type`);
      return isText(member(object, "text")) || isText(member(object, "refusal"));
    })
    .includes(true);
}
