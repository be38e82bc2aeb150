import Type, { type Static } from "typebox";
import { anyValue, namedMap, record, text, toolName } from "./shared.js";
import { givenSession } from "./tool.js";

/** How an allowed call ends. */
const ending = {
  output: Type.Optional(anyValue("What the tool answers")),
  error: Type.Optional(anyValue("The error that the tool answers with: a text, or status, code and message")),
};

const expected = {
  expect: Type.Optional(
    Type.Enum(["allow", "block", "approval"], { description: "The verdict that it must get (default: allow)" }),
  ),
  reason: Type.Optional(text("The reason code of the refusal, or of a rejected output")),
  because: Type.Optional(text("The reason that the rule gives in words")),
};

const settlement = record(
  {
    call: Type.Optional(toolName("The tool whose latest unsettled call is meant (default: the latest of all)")),
    as: Type.Optional(Type.Enum(["happened", "did_not_happen", "timeout"], { description: "What became of the call" })),
    ...ending,
  },
  "What became of a call that was left unsettled; exactly one of as, output and error",
);

const step = record(
  {
    call: Type.Optional(toolName("The tool that is called")),
    args: Type.Optional(namedMap(anyValue("An argument"), "Its arguments")),
    ...ending,
    approve: Type.Optional(text("Who approves the pending call")),
    deny: Type.Optional(text("Who denies the pending call")),
    label: Type.Optional(text("A label that the session gets")),
    cost: Type.Optional(Type.Number({ description: "Cost of the session in US dollars", minimum: 0 })),
    step: Type.Optional(Type.Literal(true, { description: "A new step begins, one turn of the model" })),
    advance_clock: Type.Optional(text("How much time passes: 90s, 15m, 24h, 1h30m")),
    settle: Type.Optional(settlement),
    ...expected,
  },
  "One thing that happens: exactly one of call, approve, deny, label, cost, step, advance_clock and settle",
);

/** tests/*.yaml. */
export const scenarioContract = record(
  {
    name: text("Unique name of the scenario"),
    given: Type.Optional(givenSession),
    steps: Type.Array(step, { description: "What happens, in this order", minItems: 1 }),
    state: Type.Optional(
      namedMap(
        anyValue("A part of the state"),
        "The state at the end, as `guard.state()` shows it; parts may be left out",
      ),
    ),
  },
  "A session and the verdict of each of its calls",
);

export type ScenarioContract = Static<typeof scenarioContract>;
export type ScenarioEntry = Static<typeof step>;
