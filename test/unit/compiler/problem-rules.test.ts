import { expect, expectTypeOf, it } from "vitest";
import { RULES } from "../../../src/compiler/rules/index.js";
import { FILE_PROBLEMS } from "../../../src/compiler/rules/problems/file-problems.js";
import { SHAPE_PROBLEMS } from "../../../src/compiler/rules/problems/shape-problems.js";
import { TEXT_PROBLEMS } from "../../../src/compiler/rules/problems/text-problems.js";
import { WORD_PROBLEMS } from "../../../src/compiler/rules/problems/word-problems.js";
import type { ProblemKind } from "../../../src/language/problem.js";

const PROBLEMS = [...FILE_PROBLEMS, ...TEXT_PROBLEMS, ...SHAPE_PROBLEMS, ...WORD_PROBLEMS];

it("words every problem that reading can find", () => {
  // Unknown keys are worded by two rules of their own: a misplaced operator is not a misspelt key. Later keys are wrong only in
  // packs of version 1.0.
  expectTypeOf<(typeof PROBLEMS)[number]["code"] | "unknown_key" | "later_key">().toEqualTypeOf<ProblemKind>();
  expect(PROBLEMS.filter((rule) => !RULES.includes(rule))).toEqual([]);
});
