import type { ValidateFunction } from "ajv";

// The build writes the code, from the platform's schema.
export function messageValidator(): ValidateFunction;
export function metadataValidator(): ValidateFunction;
