import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";

const EXPECTED_OUTCOMES = ["completion", "refusal"] as const;
export type ExpectedOutcome = (typeof EXPECTED_OUTCOMES)[number];

/** One row of a dataset with the field names of the platform; unknown columns are kept as text. */
export interface SeedRow {
  readonly user_instruction: string;
  readonly behavior_instructions?: string;
  /** Objects by type, then by id. */
  readonly initial_state?: JsonObject;
  readonly failure_rules?: readonly Json[];
  readonly expected_outcome: ExpectedOutcome;
  readonly [column: string]: Json | undefined;
}

/** A row that cannot be used; names the column and never holds its content. */
export class SeedRowError extends TypeError {
  override readonly name = "SeedRowError";

  constructor(
    readonly column: string,
    what: string,
  ) {
    super(`column \`${column}\` ${what}`);
  }
}

/** The columns whose field has another name. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ["user", "user_instruction"],
  ["behavior", "behavior_instructions"],
  ["state", "initial_state"],
]);
const KNOWN: ReadonlySet<string> = new Set([...RENAMED.keys(), "failure_rules", "expected_outcome"]);

type Columns = ReadonlyMap<string, string>;

/** A cell of blanks counts as empty: a CSV file cannot leave a value out otherwise. */
function cellOf(columns: Columns, column: string): string | null {
  const cell = columns.get(column) ?? "";
  return cell.trim() === "" ? null : cell;
}

/** The parser's own error would quote the cell. */
function parseCell(cell: string, column: string, expected: string): Json {
  try {
    const value: Json = JSON.parse(cell);
    return value;
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new SeedRowError(column, `is not JSON; it holds ${expected}`);
    throw cause;
  }
}

function stateOf(columns: Columns): JsonObject | null {
  const cell = cellOf(columns, "state");
  if (cell === null) return null;
  const expected = 'a JSON object of types, ids and attributes: { "order": { "4521": { "status": "shipped" } } }';
  const state = parseCell(cell, "state", expected);
  const isState = (value: Json, depth: number): value is JsonObject =>
    isJsonObject(value) && (depth === 1 || Object.values(value).every((member) => isState(member, depth - 1)));
  if (isState(state, 3)) return state;
  throw new SeedRowError("state", `is JSON of another shape; it holds ${expected}`);
}

function failureRulesOf(columns: Columns): readonly Json[] | null {
  const cell = cellOf(columns, "failure_rules");
  if (cell === null) return null;
  const rules = parseCell(cell, "failure_rules", "a JSON list");
  if (isJsonList(rules)) return rules;
  throw new SeedRowError("failure_rules", "is JSON of another shape; it holds a JSON list");
}

function expectedOutcomeOf(columns: Columns): ExpectedOutcome {
  const cell = cellOf(columns, "expected_outcome") ?? "completion";
  const outcome = EXPECTED_OUTCOMES.find((known) => known === cell);
  if (outcome !== undefined) return outcome;
  throw new SeedRowError("expected_outcome", `holds ${EXPECTED_OUTCOMES.join(" or ")}`);
}

function demandColumns(row: Readonly<Record<string, string>>): Columns {
  for (const [column, cell] of Object.entries<unknown>(row)) {
    if (typeof cell !== "string") throw new SeedRowError(column, "holds text, as every cell of a CSV file");
    // Spreadsheets put an invisible byte order mark before the first name; `trim` removes it.
    const meant = column.trim();
    if (meant !== column && KNOWN.has(meant)) {
      throw new SeedRowError(meant, "has blanks or a byte order mark around its name; remove them");
    }
  }
  const columns = new Map(Object.entries(row));
  for (const [column, field] of RENAMED) {
    if (columns.has(field)) throw new SeedRowError(field, `has the name of a field; call it \`${column}\``);
  }
  return columns;
}

/**
 * Turns a row of a CSV dataset into the fields of a seed. Undocumented columns are kept as text. Empty cells of known columns are
 * left out.
 */
export function seedRow(row: Readonly<Record<string, string>>): SeedRow {
  const columns = demandColumns(row);
  const user = cellOf(columns, "user");
  if (user === null) throw new SeedRowError("user", "is missing or empty; it holds what the user asks for");
  const behavior = cellOf(columns, "behavior");
  const state = stateOf(columns);
  const failureRules = failureRulesOf(columns);
  return {
    ...Object.fromEntries([...columns].filter(([column]) => !KNOWN.has(column))),
    user_instruction: user,
    ...(behavior === null ? {} : { behavior_instructions: behavior }),
    ...(state === null ? {} : { initial_state: state }),
    ...(failureRules === null ? {} : { failure_rules: failureRules }),
    expected_outcome: expectedOutcomeOf(columns),
  };
}
