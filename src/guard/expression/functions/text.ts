import { listingCost, ownKeys, spend } from "../../../base/cost.js";
import { decimalOfText } from "../../../base/decimal.js";
import { exactNumber } from "../../../base/exact-number.js";
import { includesText } from "../../../base/includes-text.js";
import { lengthOf } from "../../../base/length.js";
import { numberText } from "../number-text.js";
import { durationText, timeText } from "../time/time-text.js";
import { Duration, isList, isNumber, isPlainObject, Timestamp, type Value, ValueMap } from "../value.js";
import { type Call, tooLong, wrong, wrongKind } from "./operand.js";

/** `size`: code points of a text, items of a list, members of a map. */
export const size: Call = ([value = null], node) => {
  if (isList(value)) return value.length;
  if (typeof value === "string") return lengthOf(value) ?? 0;
  if (value instanceof ValueMap) return value.entries.size;
  if (!isPlainObject(value)) return wrongKind(node, 0, value);
  return memberCount(value);
};

function memberCount(value: object): number {
  const count = ownKeys(value).length;
  spend(listingCost(count));
  return count;
}

function ofTexts(test: (text: string, part: string) => boolean): Call {
  return ([text = null, part = null], node) => {
    if (typeof text !== "string") return wrongKind(node, 0, text);
    if (typeof part !== "string") return wrongKind(node, 1, part);
    spend((text.length + part.length) >> 3);
    return test(text, part);
  };
}

export const startsWith = ofTexts((text, part) => text.startsWith(part));
export const endsWith = ofTexts((text, part) => text.endsWith(part));

export const contains = ofTexts(includesText);

/** `string`. */
export const string: Call = ([value = null], node) => {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  if (isNumber(value)) return numberText(value);
  if (value instanceof Timestamp) return timeText(value.ms);
  return value instanceof Duration ? durationText(value.ms) : wrongKind(node, 0, value);
};

/** `double`: a text in JSON's grammar of numbers. */
export const double: Call = ([value = null], node) => {
  if (isNumber(value)) return value;
  if (typeof value !== "string") return wrongKind(node, 0, value);
  const decimal = decimalOfText(value);
  if (decimal === null) return wrong(node, "number");
  return exactNumber(decimal) ?? tooLong(node);
};

const ASCII = /^[\0-\x7f]*$/;

function changed(change: (text: string) => string): Call {
  return ([text = null], node) => {
    if (typeof text !== "string") return wrongKind(node, 0, text);
    spend(text.length >> 1);
    return change(text);
  };
}

export const lowerAscii = changed((text) => {
  if (ASCII.test(text)) return text.toLowerCase();
  // A letter of its own costs a call, and every other character may be one.
  spend(12 * text.length);
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
});

/** White space of Unicode, as in CEL; the platform's own `trim` takes a byte order mark too, and leaves U+0085. */
const WHITE_SPACE: ReadonlySet<number> = new Set([
  ...[0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000],
  ...Array.from({ length: 11 }, (_, index) => 0x2000 + index),
]);

/** `trim`. */
export const trim = changed((text) => {
  let [start, end] = [0, text.length];
  while (start < end && WHITE_SPACE.has(text.charCodeAt(start))) start += 1;
  while (end > start && WHITE_SPACE.has(text.charCodeAt(end - 1))) end -= 1;
  spend(2 * (text.length - (end - start)));
  return text.slice(start, end);
});

/** `split`: at every separator; an empty one separates the code points. */
export const split: Call = ([text = null, separator = null], node): readonly Value[] | ReturnType<Call> => {
  if (typeof text !== "string") return wrongKind(node, 0, text);
  if (typeof separator !== "string") return wrongKind(node, 1, separator);
  // The engine may compare a long separator again at every character.
  spend(text.length * (4 + (separator.length >> 3)));
  // A text of its own for each character.
  if (separator === "") spend(8 * text.length);
  return separator === "" ? [...text] : text.split(separator);
};
