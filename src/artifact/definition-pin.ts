import { canonicalJson, contentHash } from "../base/canonical-json.js";
import type { Json } from "../base/json.js";

/** What a tool says of itself: to the model, and about its arguments and output. */
export interface StatedDefinition {
  readonly description: string | null;
  readonly inputSchema: Json;
  /** Null if it states none, undefined if its format has no place for one. */
  readonly outputSchema: Json | undefined;
}

/** The definition that a contract was written for, as a hash: a tool that says something else later is another tool. */
export interface DefinitionPin {
  readonly hash: string;
  /** Whether the output schema is part of the hash. */
  readonly output: boolean;
}

function hashOf({ description, inputSchema, outputSchema }: StatedDefinition): string {
  const output = outputSchema === undefined ? {} : { output: outputSchema };
  return contentHash(canonicalJson({ description, input: inputSchema, ...output }));
}

/** The pin of a definition. */
export function pinOf(definition: StatedDefinition): DefinitionPin {
  return { hash: hashOf(definition), output: definition.outputSchema !== undefined };
}

/** Whether a tool still says what its contract was written for. */
export function fitsPin(pin: DefinitionPin, { outputSchema, ...said }: StatedDefinition): boolean {
  return hashOf({ ...said, outputSchema: pin.output ? (outputSchema ?? null) : undefined }) === pin.hash;
}
