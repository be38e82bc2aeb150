import type { Scenario, ScenarioEnding, ScenarioStep } from "../../artifact/scenario.js";
import { jsonLine } from "../../base/clean.js";
import type { Json } from "../../base/json.js";

/** Words that YAML reads as the text they are. */
const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;
const NOT_TEXT = new Set(["true", "false", "null", "yes", "no", "on", "off", "y", "n"]);

/** A value in one line: JSON is YAML. */
function value(json: Json): string {
  return typeof json === "string" && PLAIN.test(json) && !NOT_TEXT.has(json.toLowerCase()) ? json : jsonLine(json);
}

type Field = readonly [name: string, json: Json];

function endingFields(ending: ScenarioEnding | null): readonly Field[] {
  if (ending === null) return [];
  if (ending.kind === "output") return [["output", ending.output]];
  return ending.kind === "error" ? [["error", ending.error]] : [["as", ending.kind]];
}

function durationText(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  return seconds % 3600 === 0 ? `${seconds / 3600}h` : `${seconds}s`;
}

function bodyFields(step: ScenarioStep): readonly Field[] {
  switch (step.kind) {
    case "call": {
      const args: readonly Field[] = Object.keys(step.args).length === 0 ? [] : [["args", step.args]];
      return [["call", step.tool], ...args, ...endingFields(step.ending)];
    }
    case "answer":
      return [[step.answer, step.by]];
    case "label":
      return [["label", step.label]];
    case "cost":
      return [["cost", step.usd]];
    case "step":
      return [["step", true]];
    case "time":
      return [["advance_clock", durationText(step.milliseconds)]];
    case "settle": {
      const tool: readonly Field[] = step.tool === null ? [] : [["call", step.tool]];
      return [["settle", Object.fromEntries([...tool, ...endingFields(step.ending)])]];
    }
  }
}

function stepText(step: ScenarioStep): string {
  const { verdict, reason, because } = step.expected;
  const fields: readonly Field[] = [
    ...bodyFields(step),
    ...(verdict === "allow" ? [] : [["expect", verdict] as const]),
    ...(reason === null ? [] : [["reason", reason] as const]),
    ...(because === null ? [] : [["because", because] as const]),
  ];
  return fields.map(([name, json], at) => `${at === 0 ? "  - " : "    "}${name}: ${value(json)}\n`).join("");
}

/** A scenario as the text of a file in `tests/`. Of what is given it writes the principal, which is all that a found one has. */
export function scenarioYaml({ name, given: { principal }, steps }: Scenario): string {
  const given = principal === null ? "" : `given:\n  principal: ${value(principal)}\n`;
  return `name: ${jsonLine(name)}\n${given}steps:\n${steps.map(stepText).join("")}`;
}
