import type { ValidateFunction } from "ajv";

/** Whether a part of a reply is as the platform's schema says. Their code is written by the build. */
export interface ResponseValidators {
  readonly message: ValidateFunction;
  readonly metadata: ValidateFunction;
}

export function responseValidators(): ResponseValidators;
