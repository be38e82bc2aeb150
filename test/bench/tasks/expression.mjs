import { parse } from "@marcbachmann/cel-js";
import { prepareExpression } from "../../../dist/guard/expression/evaluate.js";
import { judgeWorlds } from "../../../dist/guard/expression/worlds/judge-worlds.js";
import { medians } from "../measure.mjs";

/** A fee by a table: what airlines charge for a change. */
const TEXT = "args.fee == constants.fees[args.cabin] * size(args.passengers) - slots.paid";

const argument = (name) => ({ kind: "member", of: { kind: "variable", name: "args" }, name });
const binary = (op, left, right) => ({ kind: "binary", op, left, right });

/** The same as data, as the compiler writes it. */
const TREE = binary(
  "==",
  argument("fee"),
  binary(
    "-",
    binary(
      "*",
      { kind: "index", of: { kind: "constant", name: "fees" }, index: argument("cabin") },
      { kind: "call", fn: "size", operands: [argument("passengers")] },
    ),
    { kind: "slot", name: "paid" },
  ),
);

const FEES = { economy: 30, business: 50 };
const PAID = 20;
const CALLS = 20_000;

/** Calls with the right fee. */
const allowed = Array.from({ length: 64 }, (_, at) => {
  const cabin = at % 2 === 0 ? "economy" : "business";
  const passengers = Array.from({ length: 1 + (at % 3) }, (_passenger, n) => ({ name: `passenger ${n}` }));
  return { fee: FEES[cabin] * passengers.length - PAID, cabin, passengers };
});

function guardTask() {
  const prepared = prepareExpression(
    { text: TEXT, tree: TREE },
    { constants: { fees: FEES }, timezone: null, slots: new Map() },
  );
  const session = { open: null, slots: new Map([["paid", { last: { value: PAID } }]]), collections: new Map() };
  return (args) =>
    judgeWorlds(prepared, session, { args, principal: null, labels: [], tool: "t", now: 0, output: null });
}

/** The library computes integers with big integers only; converting the arguments is not counted. */
function libraryTask() {
  const evaluate = parse(TEXT);
  const constants = { fees: Object.fromEntries(Object.entries(FEES).map(([cabin, fee]) => [cabin, BigInt(fee)])) };
  const slots = { paid: BigInt(PAID) };
  return (args) => evaluate({ args, constants, slots });
}

/** Nanoseconds for one judgement of calls that the rule allows. */
export function measure() {
  const [guard, library] = [guardTask(), libraryTask()];
  const converted = allowed.map((args) => ({ ...args, fee: BigInt(args.fee) }));
  for (const [at, args] of allowed.entries()) {
    if (guard(args).kind !== "true" || library(converted[at]) !== true) throw new Error("they do not agree");
  }
  const repeat = (judge, inputs) => () => {
    for (let at = 0; at < CALLS; at++) judge(inputs[at % inputs.length]);
  };
  const times = medians(
    { guard: repeat(guard, allowed), library: repeat(library, converted) },
    { warmUps: 20, repetitions: 60 },
  );
  return { guard: (times.guard / CALLS) * 1e6, library: (times.library / CALLS) * 1e6 };
}
