import type { CheckOf, CompiledCheck, CompiledPack } from "../artifact/compiled.js";
import type { CompiledInvariant, CompiledOperator } from "../artifact/compiled-value.js";

export type Asked = Pick<CompiledInvariant, "path" | "operators">;

function text(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(text).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
  const members = Object.entries(value).map(([name, own]) => `${JSON.stringify(name)}:${text(own)}`);
  return `{${members.sort().join()}}`;
}

/** Whether a value satisfies an operator: null where the guard cannot judge, undefined where this code does not know. */
function holds(operator: CompiledOperator, value: unknown): boolean | null | undefined {
  const { op } = operator;
  if (op === "exists") return (value !== undefined && value !== null) === operator.value;
  if (value === undefined) return null;
  if (op === "equals" || op === "not_equals") return (text(value) === text(operator.value)) === (op === "equals");
  if (op === "one_of" || op === "not_one_of")
    return operator.values.some((each) => text(each) === text(value)) === (op === "one_of");
  if (op !== "gte" && op !== "gt" && op !== "lte" && op !== "lt") return undefined;
  if (typeof value !== "number") return null;
  if (value === operator.value) return op === "gte" || op === "lte";
  return value > operator.value === (op === "gte" || op === "gt");
}

function listedIn(operator: CompiledOperator): readonly unknown[] | null {
  if (operator.op === "equals") return [operator.value];
  return operator.op === "one_of" ? operator.values : null;
}

function bounds(operators: readonly CompiledOperator[], ...ops: readonly string[]): readonly number[] {
  return operators.flatMap((each) =>
    "value" in each && typeof each.value === "number" && ops.includes(each.op) ? [each.value] : [],
  );
}

/** Whether neither a value nor its absence satisfies all operators. */
function isImpossible(operators: readonly CompiledOperator[]): boolean {
  const fits = (value: unknown) => operators.every((one) => holds(one, value) ?? holds(one, value) === undefined);
  if (operators.map(listedIn).some((listed) => listed !== null && !listed.some(fits))) return true;
  const [low, high] = [Math.max(...bounds(operators, "gte", "gt")), Math.min(...bounds(operators, "lte", "lt"))];
  const isOpen = bounds(operators, "gt").includes(low) || bounds(operators, "lt").includes(high);
  return low > high || (low === high && isOpen);
}

function askedBy(check: CompiledCheck): readonly Asked[] {
  if (check.kind === "derived_invariant")
    return check.optional || check.passes.length > 0 ? [] : [{ path: check.path, operators: [check.operator] }];
  const isPlain = check.kind === "input_invariant" || check.kind === "execution_constraint";
  return isPlain || check.kind === "argument_invariant" ? [check] : [];
}

/** Whether no arguments satisfy the checks and what is asked besides. */
export function hasNoArguments(checks: readonly CompiledCheck[], asked: readonly Asked[]): boolean {
  return [...operatorsByPath([...checks.flatMap(askedBy), ...asked]).values()].some(isImpossible);
}

function operatorsByPath(all: readonly Asked[]): ReadonlyMap<string, readonly CompiledOperator[]> {
  const byPath = new Map<string, CompiledOperator[]>();
  for (const { path, operators } of all)
    if (path.kind === "definite") byPath.set(path.text, [...(byPath.get(path.text) ?? []), ...operators]);
  return byPath;
}

/** The least number that calls have at a path. */
export function leastAt(checks: readonly CompiledCheck[], path: string, asked: readonly Asked[]): number {
  const all = [...checks.flatMap(askedBy), ...asked];
  const operators = all.flatMap((each) => (each.path.text === path ? each.operators : []));
  const listed = operators.flatMap((each) => listedIn(each) ?? []).filter((value) => typeof value === "number");
  return Math.max(
    ...bounds(operators, "gte", "gt"),
    listed.length === 0 ? Number.NEGATIVE_INFINITY : Math.min(...listed),
  );
}

export const MOST = 512;
const OTHERS: readonly unknown[] = [undefined, null, true, false, "\u0000none", ["\u0000none"], { "\u0000none": 0 }];

/** Values of which one is judged like any value by some operators; none where that is not known. */
function samples(operators: readonly CompiledOperator[]): readonly unknown[] {
  const named = operators.flatMap((one) => ("values" in one ? [...one.values] : "value" in one ? [one.value] : []));
  if (operators.some((one) => holds(one, 0) === undefined)) return [];
  const numbers = [...new Set(named.filter((value) => typeof value === "number"))].sort((a, b) => a - b);
  const [least = 0, most = 0] = [numbers[0], numbers.at(-1)];
  const between = numbers.map((value, at) => (value + (numbers[at - 1] ?? value)) / 2);
  return [...OTHERS, least - Math.abs(least) - 1, most + Math.abs(most) + 1, ...between, ...named];
}

/** For each kind of principal that policies tell apart, the tools that it is surely refused. */
export function refusedTools({ tools }: CompiledPack): readonly (readonly string[])[] {
  const policies = tools.map(({ name, checks }) => ({ name, own: checks.filter((check) => check.kind === "policy") }));
  const entries = policies.flatMap(({ own }) => own).flatMap(({ denies, allows }) => [...denies, ...allows]);
  const known = [...operatorsByPath(entries.flatMap(({ principal }) => principal))]
    .map(([path, operators]) => ({ path, values: samples(operators) }))
    .sort((a, b) => a.values.length - b.values.length);
  let kinds: readonly ReadonlyMap<string, unknown>[] = [new Map()];
  for (const { path, values } of known)
    if (values.length > 0 && kinds.length * values.length <= MOST)
      kinds = kinds.flatMap((kind) => values.map((value) => new Map([...kind, [path, value]])));
  return kinds.map((kind) =>
    policies.filter(({ own }) => own.some((policy) => isRefused(policy, kind))).map(({ name }) => name),
  );
}

function isRefused({ denies, allows, default_deny: fallback }: CheckOf<"policy">, kind: ReadonlyMap<string, unknown>) {
  /** Whether the guard may judge an entry so. */
  const may = ({ path, operators }: CompiledInvariant, wanted: boolean) => {
    if (path.kind !== "definite" || !kind.has(path.text)) return true;
    const judged = operators.map((operator) => holds(operator, kind.get(path.text)));
    return wanted ? judged.every((each) => each === true) : judged.includes(false);
  };
  if (denies.some(({ principal }) => !principal.some((entry) => may(entry, false)))) return true;
  return allows.length === 0
    ? fallback !== null
    : !allows.some(({ principal }) => principal.every((entry) => may(entry, true)));
}
