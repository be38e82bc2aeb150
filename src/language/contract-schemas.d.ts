import type { Json } from "../base/json.js";

/** For every `format` of the schemas, whether a text fits it. */
export type FormatTests = Readonly<Record<string, (text: string) => boolean>>;

export type SchemaType = "object" | "array" | "string" | "number" | "integer" | "boolean";

/** The keywords that our schemas use. `since` is ours: the version of the language that brought a key. */
export interface Schema {
  readonly type?: SchemaType;
  readonly since?: string;
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly format?: string;
  readonly minItems?: number;
  readonly items?: Schema;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | false;
}

// The build writes them, from `schema/`: without descriptions, and equal parts once.
export const toolSchema: Schema;
export const sessionSchema: Schema;
export const workflowSchema: Schema;
export const claimsSchema: Schema;
export const scenarioSchema: Schema;
