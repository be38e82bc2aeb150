import { readProperty } from "../wire/read-property.js";

/** Codes are short words in snake_case; any other text of an error may be data and is not shown. */
const CODE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
const LONGEST_CODE = 64;

/** The code in the body of a refusal; its place is not documented, so the usual ones are searched. */
export function errorCode(body: unknown): string | undefined {
  const error = readProperty(body, "error");
  const places = [readProperty(body, "code"), error, readProperty(error, "code"), readProperty(body, "detail")];
  return places.find(
    (value): value is string => typeof value === "string" && value.length <= LONGEST_CODE && CODE.test(value),
  );
}
