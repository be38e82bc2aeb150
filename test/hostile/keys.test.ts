import { describe } from "vitest";
import {
  lines,
  type RefusedPack,
  sessionText,
  testAccepted,
  testRefused,
  toolText,
  toolWithArguments,
} from "../support/hostile-pack.js";

const MANY = 10_000;

function session(what: string, code: string, text: () => string): RefusedPack {
  return { what, code, files: () => ({ "t.yaml": toolText(), "session.yaml": text() }) };
}

function limits(entry: (index: number) => string): string {
  return sessionText({ session_limits: `\n  max_calls_per_tool:\n${lines(MANY, (index) => `    ${entry(index)}`)}` });
}

describe("ten thousand keys", () => {
  testAccepted([
    {
      what: "a call with ten thousand arguments",
      files: () => ({ "t.yaml": toolWithArguments(`\n${lines(MANY, (index) => `      key_${index}: 1`)}`) }),
    },
  ]);

  testRefused([
    {
      what: "a contract with ten thousand unknown keys",
      code: "unknown_key",
      files: () => ({ "t.yaml": toolText() + lines(MANY, (index) => `key_${index}: 1`) }),
    },
    {
      what: "a contract with ten thousand misspelt keys",
      code: "unknown_key",
      files: () => ({ "t.yaml": toolText() + lines(MANY, (index) => `argument_value_invariant_${index}: 1`) }),
    },
    session("a session with ten thousand unknown keys", "unknown_key", () => {
      return sessionText() + lines(MANY, (index) => `key_${index}: 1`);
    }),
    session("a session with limits for ten thousand unknown tools", "unknown_tool", () => {
      return limits((index) => `tool_${index}: 1`);
    }),
    session("a session with ten thousand limits out of range", "out_of_range", () => {
      return limits((index) => `tool_${index}: -1`);
    }),
    session("a session with duplicates among ten thousand limits", "duplicate_key", () => {
      return limits((index) => `tool_${index % 5000}: 1`);
    }),
    session("a session with one limit ten thousand times", "duplicate_key", () => limits(() => "t: 1")),
    session("a session with ten thousand keys that are numbers", "non_string_key", () => {
      return limits((index) => `${index}: 1`);
    }),
    session("a session with ten thousand merge keys", "merge_key", () => limits(() => "<<: 1")),
  ]);
});
