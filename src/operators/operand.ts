import type { Json } from "../base/json.js";

/** The JSON Schema of an operand, as plain data; `format` is one of the language's own. Without any demand it is any JSON value. */
export interface OperandSchema {
  readonly description: string;
  readonly type?: "string" | "number" | "integer" | "boolean" | "array";
  readonly enum?: readonly string[];
  readonly items?: OperandSchema;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly format?: "linear-regex";
  /** The version of the language that brought the operator, where that is not the first. */
  readonly since?: string;
}

interface TypeOfName {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
}

/** The type of the operands that a schema describes. */
export type Operand<S> = S extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : S extends { readonly type: "array"; readonly items: infer Item }
    ? readonly Operand<Item>[]
    : S extends { readonly type: infer Name extends keyof TypeOfName }
      ? TypeOfName[Name]
      : Json;
