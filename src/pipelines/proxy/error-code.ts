import { readProperty } from "../wire/read-property.js";

/** Codes are short words of snake_case; whatever else stands in an error is prose or data, and stays out of ours. */
const CODE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
const LONGEST_CODE = 64;

/** The code in the body of a refusal; its shape is not documented, so the usual places are looked at. */
export function errorCode(body: unknown): string | undefined {
  const error = readProperty(body, "error");
  const places = [readProperty(body, "code"), error, readProperty(error, "code"), readProperty(body, "detail")];
  return places.find(
    (value): value is string => typeof value === "string" && value.length <= LONGEST_CODE && CODE.test(value),
  );
}
