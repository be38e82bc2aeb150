import type { ValidateFunction } from "ajv";

/** For every `format` of the schemas, whether a text fits it. */
export type FormatTests = Readonly<Record<string, (text: string) => boolean>>;

// The build writes the code, from `schema/`. It is long, so only what is called is prepared to be run.
export function toolValidator(formats: FormatTests): ValidateFunction;
export function sessionValidator(formats: FormatTests): ValidateFunction;
export function workflowValidator(formats: FormatTests): ValidateFunction;
export function claimsValidator(formats: FormatTests): ValidateFunction;
export function scenarioValidator(formats: FormatTests): ValidateFunction;
