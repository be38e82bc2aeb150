import { describe, expect, it } from "vitest";
import { SeedRowError, seedRow } from "../../src/pipelines/registration/seed-row.js";

const USER = "Refund order 4521.";

function refusal(row: Readonly<Record<string, string>>): SeedRowError {
  try {
    seedRow(row);
  } catch (cause) {
    if (cause instanceof SeedRowError && cause instanceof TypeError) return cause;
    throw cause;
  }
  throw new Error("expected a refusal");
}

describe("seedRow", () => {
  it("89: user, state and behavior become user_instruction, initial_state and behavior_instructions", () => {
    const state = { order: { "4521": { status: "shipped", lines: [1, 2] } }, customer: {} };
    const rules = [{ tool: "issue_refund", error: "timeout" }];
    const row = {
      user: USER,
      behavior: "Be impatient.",
      state: JSON.stringify(state),
      failure_rules: JSON.stringify(rules),
      expected_outcome: "refusal",
    };
    expect(seedRow(row)).toStrictEqual({
      user_instruction: USER,
      behavior_instructions: "Be impatient.",
      initial_state: state,
      failure_rules: rules,
      expected_outcome: "refusal",
    });
  });

  it("89: only user is required; what is empty is left out, and completion is expected", () => {
    const bare = { user_instruction: USER, expected_outcome: "completion" };
    expect(seedRow({ user: USER })).toStrictEqual(bare);
    const row = { user: USER, behavior: "", state: " ", failure_rules: "", expected_outcome: "" };
    expect(seedRow(row)).toStrictEqual(bare);
  });

  it("leaves the words of a cell as they are", () => {
    expect(seedRow({ user: ' "Hi",\n there ' }).user_instruction).toBe(' "Hi",\n there ');
    expect(seedRow({ user: USER, behavior: '{"a":1}' }).behavior_instructions).toBe('{"a":1}');
  });

  it("keeps other columns as text", () => {
    expect(seedRow({ user: USER, max_turns: "10", notes: "" })).toStrictEqual({
      max_turns: "10",
      notes: "",
      user_instruction: USER,
      expected_outcome: "completion",
    });
    const hostile = Object.fromEntries([
      ["user", USER],
      ["__proto__", "x"],
    ]);
    expect(Object.entries(seedRow(hostile))).toContainEqual(["__proto__", "x"]);
  });

  it.each([
    ["missing", {}],
    ["empty", { user: "" }],
    ["blank", { user: " \n" }],
  ])("refuses a user that is %s", (_, row) => {
    expect(refusal(row)).toMatchObject({
      column: "user",
      message: "column `user` is missing or empty; it holds what the user asks for",
    });
  });

  it.each([
    ["state", "s3cret"],
    ["state", '{"order": s3cret}'],
    ["state", '"s3cret"'],
    ["state", '["s3cret"]'],
    ["state", '{"order":"s3cret"}'],
    ["state", '{"order":{"s3cret":7}}'],
    ["state", '{"order":{"s3cret":[]}}'],
    ["state", "null"],
    ["failure_rules", "s3cret"],
    ["failure_rules", '{"s3cret":1}'],
    ["failure_rules", '"s3cret"'],
    ["expected_outcome", "s3cret"],
    ["expected_outcome", "Completion"],
  ])("names the column %s and not what stands in it: %s", (column, cell) => {
    const failure = refusal({ user: USER, [column]: cell });
    expect(failure.column).toBe(column);
    expect(failure.message).toContain(`column \`${column}\``);
    expect(`${failure.stack} ${JSON.stringify(failure)} ${failure.cause}`).not.toContain("s3cret");
  });

  it.each([
    ["user_instruction", "user"],
    ["behavior_instructions", "behavior"],
    ["initial_state", "state"],
  ])("refuses the column %s, which would be the field of %s", (field, column) => {
    const failure = refusal({ user: USER, [field]: "s3cret" });
    expect(failure.message).toBe(`column \`${field}\` has the name of a field; call it \`${column}\``);
  });

  it("reports a byte order mark or a blank around the name of a column", () => {
    expect(refusal({ "\ufeffuser": USER }).message).toBe(
      "column `user` has blanks or a byte order mark around its name; remove them",
    );
    expect(refusal({ user: USER, " state": "{}" }).column).toBe("state");
  });

  it("refuses a cell that is no text", () => {
    const row: Record<string, string> = { user: USER };
    Object.assign(row, { state: { s3cret: {} } });
    expect(refusal(row).message).toBe("column `state` holds text, as every cell of a CSV file");
  });
});
