import { invariant } from "../base/invariant.js";
import { isJsonObject, type Json, TYPE_NAMES, type TypeName, typeOf } from "../base/json.js";
import { suggest } from "../base/suggest.js";
import { fileSpan, type SourceFile, type Span } from "../diagnostics/source.js";
import type { Schema } from "./contract-schemas.js";
import { type Draft, lostDraft, markDamaged, prune, type Trail, valueAt } from "./draft.js";
import { FORMATS, formatTests } from "./formats.js";
import { laterKeys, laterNames } from "./later-keys.js";
import { placesIn, spanOf } from "./located.js";
import type { Problem } from "./problem.js";
import { type SchemaError, schemaErrors } from "./schema-errors.js";

/** The result of checking a file against its schema: the well-shaped parts, and the problems. */
export interface Shaped<T> {
  readonly draft: Draft<T>;
  readonly problems: readonly Problem[];
}

function trailOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** `preconditions[0].resource` for people; the file itself has no name. */
function where(trail: Trail): string {
  return trail.reduce(
    (text, key) => (/^[0-9]+$/.test(key) ? `${text}[${key}]` : text === "" ? key : `${text}.${key}`),
    "",
  );
}

function typesOf(value: unknown): readonly TypeName[] {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  return TYPE_NAMES.filter((name) => names.includes(name));
}

function foundType(value: Json): TypeName {
  return Number.isInteger(value) ? "integer" : typeOf(value);
}

/** An error, or what became of one in a union: the types of its branches are what was expected. */
type ShapeError =
  | (SchemaError & { readonly types?: readonly TypeName[] })
  | (Omit<SchemaError, "keyword" | "params"> & { readonly keyword: "union"; readonly types: readonly TypeName[] });

/** A union of which no branch fits a value, with the errors of each branch. */
interface Union {
  readonly error: SchemaError;
  /** `strange` counts the keys of the value that a branch does not know. */
  readonly branches: Map<string, { isMeant: boolean; types: readonly TypeName[]; strange: number }>;
}

/** The pointers of a value and of everything around it, outermost first. */
function enclosing(pointer: string): readonly string[] {
  const parts = pointer.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** The branch of a union that an error belongs to; null where it lies outside. */
function branchOf({ schemaPath }: SchemaError, union: SchemaError): string | null {
  const prefix = `${union.schemaPath}/`;
  return schemaPath.startsWith(prefix) ? (schemaPath.slice(prefix.length).split("/", 1)[0] ?? "") : null;
}

function unionsByPlace(errors: readonly SchemaError[]): ReadonlyMap<string, readonly Union[]> {
  const unions = new Map<string, Union[]>();
  for (const error of errors) {
    if (error.keyword !== "anyOf") continue;
    const known = unions.get(error.instancePath);
    if (known === undefined) unions.set(error.instancePath, [{ error, branches: new Map() }]);
    else known.push({ error, branches: new Map() });
  }
  return unions;
}

/**
 * Replaces the errors of a union's branches by those of the one branch the value was meant for.
 * The type of the value, and its keys, select the branch; if it fits none, the union's own error stays.
 */
function chooseBranches(errors: readonly SchemaError[]): readonly ShapeError[] {
  const unions = unionsByPlace(errors);
  if (unions.size === 0) return errors;
  const around = (error: SchemaError) => enclosing(error.instancePath).flatMap((place) => unions.get(place) ?? []);
  for (const error of errors) {
    for (const union of around(error)) {
      const name = branchOf(error, union.error);
      if (name === null) continue;
      const branch = union.branches.get(name) ?? { isMeant: true, types: [], strange: 0 };
      const isHere = error.instancePath === union.error.instancePath;
      const ofType = error.keyword === "type" && isHere ? typesOf(error.params.type) : [];
      const types = [...branch.types, ...ofType];
      const strange = branch.strange + (error.keyword === "additionalProperties" && isHere ? 1 : 0);
      union.branches.set(name, { isMeant: branch.isMeant && ofType.length === 0, types, strange });
    }
  }
  return errors.flatMap((error): readonly ShapeError[] => {
    const outer = around(error).filter((union) => branchOf(error, union.error) !== null);
    if (outer.some((union) => branchOf(error, union.error) !== meantBranch(union))) return [];
    if (error.keyword === "anyOf") {
      const own = unions.get(error.instancePath)?.find((union) => union.error === error);
      return own === undefined || meantBranch(own) !== null
        ? []
        : [{ ...error, keyword: "union", types: typesIn(own) }];
    }
    const inner = outer.find((union) => union.error.instancePath === error.instancePath);
    // A literal among other forms: another word may have been meant as one of those.
    if (error.keyword !== "const" || inner === undefined) return [error];
    return [{ ...error, types: typesIn(inner) }];
  });
}

/** Of several branches for mappings the one that knows most of the keys. */
function meantBranch({ branches }: Union): string | null {
  let meant: string | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const [name, { isMeant, strange }] of branches) {
    if (!isMeant || strange >= fewest) continue;
    meant = name;
    fewest = strange;
  }
  return meant;
}

function typesIn({ branches }: Union): readonly TypeName[] {
  return [...branches.values()].flatMap(({ types }) => types);
}

interface Finding {
  readonly problem: Problem;
  /** The place of the value that later stages must not see, if there is one. */
  readonly drop: Trail | null;
  readonly damaged: readonly Trail[];
}

/** Turns one error into a problem. */
class Findings {
  constructor(
    private readonly source: SourceFile,
    private readonly root: Json,
  ) {}

  of(error: ShapeError): Finding {
    const trail = trailOf(error.instancePath);
    if (error.keyword === "additionalProperties")
      return this.unknownKey(error.params.additionalProperty, error.parentSchema, trail);
    if (error.keyword === "required") {
      const field = error.params.missingProperty;
      const problem: Problem = { kind: "missing_field", span: this.valueSpan(trail), field, where: where(trail) };
      return { problem, drop: null, damaged: [[...trail, field]] };
    }
    return { problem: this.value(error, trail), drop: trail, damaged: [trail] };
  }

  private unknownKey(key: string, { properties = {} }: Schema, trail: Trail): Finding {
    const known = Object.keys(properties);
    const later = laterNames(properties);
    const container = valueAt(this.root, trail);
    invariant(isJsonObject(container), "an unknown key is in a mapping");
    const span = placesIn(container).keys.get(key) ?? spanOf(container);
    const meant = suggest(key, known);
    return {
      problem: { kind: "unknown_key", span, key, known, later, where: where(trail) },
      drop: [...trail, key],
      damaged: [[...trail, key], ...(meant === undefined ? [] : [[...trail, meant]])],
    };
  }

  private value(error: ShapeError, trail: Trail): Problem {
    const span = this.valueSpan(trail);
    const value = valueAt(this.root, trail) ?? null;
    const at = { span, where: where(trail) };
    switch (error.keyword) {
      case "type":
      case "union":
        if (trail.length === 1 && trail[0] === "schema_version" && typeof value === "number") {
          const found = span.source.text.slice(span.start, span.end);
          return { kind: "unsupported_version", span, found, unquoted: true };
        }
        return {
          kind: "wrong_type",
          ...at,
          expected: typesOf(error.keyword === "union" ? error.types : error.params.type),
          found: foundType(value),
        };
      case "enum":
        return {
          kind: "unknown_value",
          ...at,
          found: shown(value),
          known: error.params.allowedValues.map(String),
          others: [],
        };
      case "const":
        return {
          kind: "unknown_value",
          ...at,
          found: shown(value),
          known: [String(error.params.allowedValue)],
          others: typesOf(error.types),
        };
      case "minItems":
        if (error.params.limit > 1)
          return { kind: "too_few_stages", span, found: Array.isArray(value) ? value.length : 0 };
        return { kind: "empty_value", ...at, what: "list" };
      case "minLength":
        return { kind: "empty_value", ...at, what: "text" };
      case "minProperties":
        return { kind: "empty_value", ...at, what: "mapping" };
      case "format": {
        const problem = FORMATS.get(error.params.format)?.(String(value), span);
        invariant(problem !== undefined && problem !== null, "a format that failed has a problem");
        return problem;
      }
      case "minimum":
      case "maximum":
      case "exclusiveMinimum":
        return { kind: "out_of_range", ...at, found: Number(value), bound: boundWords(error) };
      default:
        throw new Error(`invariant broken: no problem for the schema keyword ${error.keyword}`);
    }
  }

  private valueSpan(trail: Trail): Span {
    const key = trail.at(-1);
    const container = valueAt(this.root, trail.slice(0, -1));
    if (typeof container !== "object" || container === null) return fileSpan(this.source);
    if (key === undefined) return spanOf(container);
    return placesIn(container).values.get(key) ?? spanOf(container);
  }
}

function shown(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function boundWords(error: Extract<SchemaError, { keyword: "minimum" | "maximum" | "exclusiveMinimum" }>): string {
  const { limit } = error.params;
  if (error.keyword === "maximum") return `at most ${limit}`;
  return error.keyword === "exclusiveMinimum" ? `greater than ${limit}` : `at least ${limit}`;
}

/** Drops what follows from another finding: a second one on the same value, a missing field that was only misspelt. */
function withoutEchoes(findings: readonly Finding[]): readonly Finding[] {
  const judged = new Set<string>();
  const misspelt = new Set(
    findings.flatMap(({ problem, damaged }) =>
      problem.kind === "unknown_key" ? damaged.map((trail) => trail.join("/")) : [],
    ),
  );
  return findings.filter(({ problem, damaged: [trail = []] }) => {
    const place = trail.join("/");
    if (problem.kind === "missing_field") return !misspelt.has(place);
    if (judged.has(place)) return false;
    judged.add(place);
    return true;
  });
}

/** Checks a file; the fields that are given elsewhere need not be there. */
export type ShapeChecker<T> = (source: SourceFile, root: Json, given?: ReadonlySet<string>) => Shaped<T>;

function isGiven(error: ShapeError, given: ReadonlySet<string>): boolean {
  return error.keyword === "required" && error.instancePath === "" && given.has(error.params.missingProperty);
}

/** Makes a checker for one file kind from its schema. */
export function shapeChecker<T>(schema: Schema): ShapeChecker<T> {
  const formats = formatTests();
  return (source, root, given) => {
    // Before anything is pruned: a broken value of a later key belongs to a later version too.
    const later = laterKeys(schema, root).map((key): Problem => ({ kind: "later_key", ...key }));
    const broken = chooseBranches(schemaErrors(schema, root, formats));
    const errors = given === undefined ? broken : broken.filter((error) => !isGiven(error, given));
    const findings = new Findings(source, root);
    const found = withoutEchoes(errors.map((error) => findings.of(error)));
    for (const { damaged } of found) for (const trail of damaged) markDamaged(root, trail);
    prune(
      root,
      found.flatMap(({ drop }) => (drop === null ? [] : [drop])),
    );
    const problems = [...found.map(({ problem }) => problem), ...later];
    if (!isJsonObject(root)) return { draft: lostDraft(source), problems };
    return { draft: root as Draft<T>, problems }; // pruned of all that the schema rejects
  };
}
