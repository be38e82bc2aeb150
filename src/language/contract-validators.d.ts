import type { ValidateFunction } from "ajv";

/** Whether a value is as the schema of a file kind says. Their code is written by the build, from `schema/`. */
export interface ContractValidators {
  readonly tool: ValidateFunction;
  readonly session: ValidateFunction;
  readonly workflow: ValidateFunction;
  readonly claims: ValidateFunction;
}

/** `formats` has a test for every `format` of the schemas. */
export function contractValidators(formats: Readonly<Record<string, (text: string) => boolean>>): ContractValidators;
