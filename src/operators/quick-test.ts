import type { Json } from "../base/json.js";
import type { Judgement } from "./judgement.js";

/**
 * A fast test whether a value certainly satisfies an operator: plain data of one shape, because a
 * decision runs several of them, and calling one function after the other takes longer than the tests.
 */
export interface QuickTest {
  readonly kind: "text" | "equal" | "listed" | "match" | "from" | "to" | "above" | "below" | "other";
  readonly bound: number;
  readonly value: Json;
  readonly values: ReadonlySet<Json>;
  readonly match: (text: string) => boolean;
  /** For operators that none of the other kinds fits: exact for scalars; of objects and lists it may accept only what satisfies. */
  readonly holds: (value: Json) => boolean;
}

const NONE: ReadonlySet<Json> = new Set();
const NEVER = () => false;

/** Makes a quick test from the fields of its kind. */
export function quickTest(kind: QuickTest["kind"], looksAt: Partial<Omit<QuickTest, "kind">>): QuickTest {
  return {
    kind,
    bound: looksAt.bound ?? 0,
    value: looksAt.value ?? null,
    values: looksAt.values ?? NONE,
    match: looksAt.match ?? NEVER,
    holds: looksAt.holds ?? NEVER,
  };
}

/** A longer text is left to judging, which knows what it costs. */
const MOST_MATCHED = 256;

function passes(test: QuickTest, value: Json | undefined): boolean {
  switch (test.kind) {
    case "text":
      return typeof value === "string";
    case "equal":
      return value === test.value;
    case "listed":
      return value !== undefined && test.values.has(value);
    case "match":
      return typeof value === "string" && test.match(value);
    case "from":
      return typeof value === "number" && value >= test.bound;
    case "to":
      return typeof value === "number" && value <= test.bound;
    case "above":
      return typeof value === "number" && value > test.bound;
    case "below":
      return typeof value === "number" && value < test.bound;
    case "other":
      return value !== undefined && test.holds(value);
  }
}

/** Whether a value satisfies the operator, absent ones included; null where only judging can decide. */
export function judgeQuickly(test: QuickTest, value: Json | undefined): Judgement {
  if (test.kind === "match" && typeof value === "string" && value.length > MOST_MATCHED) return null;
  if (passes(test, value)) return true;
  return typeof value === "object" && value !== null ? null : false;
}
