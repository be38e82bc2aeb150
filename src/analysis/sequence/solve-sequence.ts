import type { Program } from "../../guard/program/program.js";
import { all, type Formula, not } from "../linear/formula.js";
import { exactly, numberOf } from "../linear/fraction.js";
import { plainValues, Solver } from "../linear/solver.js";
import { cut, most } from "../model/caps.js";
import { withinWork } from "../model/work.js";
import type { Action } from "../trace/plan.js";
import { CallConditions } from "./call-conditions.js";
import { filledActions, markedCalls } from "./calls.js";
import { Conditions } from "./conditions.js";
import { Numbers } from "./numbers.js";

/** What is wanted of the last call: that it is allowed, that one check alone refuses it, or that one checkpoint alone asks about it. */
export interface Goal {
  readonly kind: "allowed" | "refused" | "asked";
  /** The index of the check. */
  readonly index: number;
}

function lastCall(conditions: CallConditions, at: number, checks: number, goal: Goal): Formula {
  const indices = Array.from({ length: checks }, (_, index) => index);
  const others = indices.filter((index) => goal.kind !== "refused" || index !== goal.index);
  const met = others.map((index) => conditions.check(at, index));
  if (goal.kind === "refused") return all([not(conditions.check(at, goal.index)), ...met]);
  if (goal.kind === "allowed") return all(met);
  const silent = others.filter((index) => index !== goal.index).map((index) => not(conditions.asked(at, index)));
  return all([conditions.asked(at, goal.index), ...silent, ...met]);
}

/** The actions with such numbers that every call before the last is allowed, and the last as wanted; null if none were found. */
export function solveSequence(program: Program, actions: readonly Action[], goal: Goal): readonly Action[] | null {
  const marks = new Numbers();
  const calls = markedCalls(program, actions, marks);
  if (calls === null || calls.length === 0) return null;
  const conditions = new CallConditions(program, calls, new Conditions(marks, program.env));
  const formula = withinWork(() =>
    all(
      calls.map(({ tool }, at) => {
        const checks = tool.checks.length;
        if (at === calls.length - 1) return lastCall(conditions, at, checks, goal);
        return all([
          ...Array.from({ length: checks }, (_, index) => conditions.check(at, index)),
          conditions.answer(at),
        ]);
      }),
    ),
  );
  if (formula === null) return null;
  const values = solved(formula, marks.starts);
  return values === null ? null : filledActions(actions, calls, { marks, values });
}

/** Numbers that meet a condition: those of before where they can stay, else plain ones. */
function solved(formula: Formula, starts: readonly number[]): readonly number[] | null {
  const solver = new Solver(starts.length, most("sides_tried"));
  const answer = solver.add(formula);
  if (answer === "cut") cut("sides_tried");
  if (answer !== "found") return null;
  const read = variablesOf(formula);
  for (const at of read) solver.prefer(at, [exactly(starts[at] ?? 0)]);
  for (const at of read) {
    const value = solver.values(starts.length)[at];
    if (value !== undefined) solver.prefer(at, plainValues(value));
  }
  const found = solver.values(starts.length);
  return starts.map((start, at) => {
    const value = found[at];
    return value === undefined || !read.has(at) ? start : numberOf(value);
  });
}

function variablesOf(formula: Formula): ReadonlySet<number> {
  if (typeof formula === "boolean") return new Set();
  if (formula.kind === "atom") return new Set(formula.sum.terms.keys());
  return new Set(formula.of.flatMap((part) => [...variablesOf(part)]));
}
