import { nameHelp } from "../../base/suggest.js";

/** The outcome of a call, as the caller saw it. Without `sent: false` a call counts as sent. */
export type Outcome =
  | { readonly kind: "result"; readonly output?: unknown }
  | {
      readonly kind: "error";
      readonly sent?: boolean | undefined;
      /** True if the tool itself answered that it refused the call. */
      readonly answered?: boolean | undefined;
      readonly status?: number | undefined;
      readonly code?: string | undefined;
      readonly message?: string | undefined;
    }
  | { readonly kind: "timeout"; readonly sent?: boolean | undefined }
  | { readonly kind: "happened"; readonly output?: unknown }
  | { readonly kind: "did_not_happen" };

/** The outcome of a call without a result. */
export type Failure = Outcome & { readonly kind: "error" | "timeout" };

/** The outcome of a call that was reserved and never sent. */
export const NOT_SENT: Failure = { kind: "error", sent: false };

/** The class of an HTTP status: `4xx`; null for numbers that are none, such as the close codes of sockets. */
export function statusClass(status: number): string | null {
  return status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : null;
}

const FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map<Outcome["kind"], readonly string[]>([
  ["result", ["kind", "output"]],
  ["error", ["kind", "sent", "answered", "status", "code", "message"]],
  ["timeout", ["kind", "sent"]],
  ["happened", ["kind", "output"]],
  ["did_not_happen", ["kind"]],
]);

type Fields = Readonly<Record<string, unknown>>;

/** A copy of the own properties, so that each is read once. */
function fieldsOf(given: unknown): Fields {
  if (typeof given !== "object" || given === null) throw new TypeError("an outcome must be an object with a `kind`");
  try {
    return { ...given };
  } catch {
    // A getter or a proxy may throw anything.
    throw new TypeError("the outcome cannot be read: give a plain object");
  }
}

function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function checkNames(fields: Fields, known: readonly string[]): void {
  for (const name of Reflect.ownKeys(fields)) {
    if (typeof name !== "string") throw new TypeError("an outcome must not have symbols as keys");
    if (known.includes(name)) continue;
    const help = nameHelp(name, known);
    throw new TypeError(`this kind of outcome has no field ${JSON.stringify(name.slice(0, 40))}; ${help}`);
  }
}

function booleanAt(fields: Fields, name: string): boolean | undefined {
  const value = own(fields, name);
  if (value === undefined || typeof value === "boolean") return value;
  throw new TypeError(`\`${name}\` of an outcome must be true or false`);
}

function textAt(fields: Fields, name: string): string | undefined {
  const value = own(fields, name);
  if (value === undefined || typeof value === "string") return value;
  throw new TypeError(`\`${name}\` of an outcome must be a string`);
}

function statusOf(fields: Fields): number | undefined {
  const value = own(fields, "status");
  if (value === undefined || (typeof value === "number" && Number.isInteger(value))) return value;
  throw new TypeError("`status` of an outcome must be an HTTP status, a whole number");
}

/** Checks an outcome that a caller reports; the error names the field that is wrong. */
export function checkedOutcome(given: unknown): Outcome {
  const fields = fieldsOf(given);
  const kind = own(fields, "kind");
  const known = FIELDS.get(kind);
  if (known === undefined) {
    throw new TypeError("`kind` of an outcome must be result, error, timeout, happened or did_not_happen");
  }
  checkNames(fields, known);
  switch (kind) {
    case "error":
      return {
        kind,
        sent: booleanAt(fields, "sent"),
        answered: booleanAt(fields, "answered"),
        status: statusOf(fields),
        code: textAt(fields, "code"),
        message: textAt(fields, "message"),
      };
    case "timeout":
      return { kind, sent: booleanAt(fields, "sent") };
    case "happened":
      return { kind, output: own(fields, "output") };
    case "did_not_happen":
      return { kind };
    default:
      return { kind: "result", output: own(fields, "output") };
  }
}
