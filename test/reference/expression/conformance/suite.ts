import { tests } from "@bufbuild/cel-spec/testdata/conformance.js";
import type { SerializedIncrementalTestSuite } from "@bufbuild/cel-spec/testdata/tests.js";
import type { Json } from "../../../../src/base/json.js";

/** A case of the public suite, as far as it is read here. */
export interface ConformanceCase {
  /** File, section and name: unique in the suite. */
  readonly id: string;
  readonly text: string;
  readonly bindings: ReadonlyMap<string, Json>;
  /** The value that is expected, in the suite's form; null where an error is. */
  readonly value: Json;
  /** Whether only the static type is of interest. */
  readonly isCheckOnly: boolean;
}

function isObject(value: unknown): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function member(value: unknown, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function* casesIn(suite: SerializedIncrementalTestSuite, path: readonly string[]): Generator<ConformanceCase> {
  for (const { original } of suite.tests ?? []) {
    const bindings = Object.entries(original.bindings ?? {});
    yield {
      id: [...path, original.name ?? original.expr].join("/"),
      text: original.expr,
      bindings: new Map(bindings.map(([name, bound]) => [name, member(bound, "value") ?? null])),
      value: member(original, "value") ?? member(member(original, "typedResult"), "result") ?? expectation(original),
      isCheckOnly: original.checkOnly === true,
    };
  }
  for (const inner of suite.suites ?? []) yield* casesIn(inner, [...path, inner.name]);
}

/** A case that says nothing of its result expects true. */
function expectation(original: unknown): Json {
  return member(original, "evalError") === undefined ? { boolValue: true } : null;
}

/** Every case, in the order of the suite; where a name occurs twice, the later one is numbered. */
export function conformanceCases(): readonly ConformanceCase[] {
  const counts = new Map<string, number>();
  return [...casesIn(tests, [])].map((one) => {
    const count = (counts.get(one.id) ?? 0) + 1;
    counts.set(one.id, count);
    return count === 1 ? one : { ...one, id: `${one.id}#${count}` };
  });
}
