import { describe } from "vitest";
import { MAX_FILE_BYTES } from "../../src/language/file-tree.js";
import { filled, type RefusedPack, testRefused } from "../support/hostile-pack.js";

/** What a whole file of one unit is refused for. */
const WHOLE_FILE: readonly (readonly [unit: string, code: RefusedPack["code"]])[] = [
  ["[", "too_deep"],
  ["{", "too_deep"],
  ["-", "wrong_type"],
  ["?", "wrong_type"],
  [":", "yaml_syntax"],
  [",", "yaml_syntax"],
  ["&", "wrong_type"],
  ["*", "unknown_alias"],
  ["!", ["wrong_type", "custom_tag", "yaml_syntax"]],
  ["|", "yaml_syntax"],
  [">", "yaml_syntax"],
  ["'", "wrong_type"],
  ['"', "too_many_tokens"],
  ["%", "yaml_syntax"],
  ["#", "wrong_type"],
  ["@", "yaml_syntax"],
  ["`", "yaml_syntax"],
  ["]", "too_many_tokens"],
  ["}", "too_many_tokens"],
  ["- ", "too_deep"],
  ["? ", "too_deep"],
  [": ", "too_deep"],
  ["a: ", "too_deep"],
  ["<<: ", "too_deep"],
  ["[a, ", "too_deep"],
  ["{a: ", "too_deep"],
  ["[]", "too_many_tokens"],
  ["{}", "too_many_tokens"],
  ["&a ", "too_many_tokens"],
  ["*a ", "too_many_tokens"],
  ["!a ", "too_many_tokens"],
  ["!!str ", "too_many_tokens"],
  ["- \n", "too_many_tokens"],
  ["? \n", "too_many_tokens"],
  ["a:\n", "too_many_tokens"],
  ["? a\n: b\n", "too_many_tokens"],
  ["x: |\n a\n", "too_many_tokens"],
  ["#\n", "too_many_tokens"],
  ["\n", "too_many_tokens"],
  ["\r\n", "too_many_tokens"],
  ["---\n", "too_many_tokens"],
  ["...\n", "too_many_tokens"],
  ["%YAML 1.2\n", "too_many_tokens"],
  ["|\n", "wrong_type"],
  [" ", "wrong_type"],
  ["\t", "wrong_type"],
  ["\r", "wrong_type"],
  ["a", "wrong_type"],
  ["a b\n", "wrong_type"],
  ["\\", "wrong_type"],
  ['"\\', "yaml_syntax"],
  ["\ufeff", "wrong_type"],
  ["\u2028", "wrong_type"],
  ["😀", "wrong_type"],
];

/** Units whose repetition just below the token limit costs the most, with the number of tokens of each. */
const NEAR_TOKEN_LIMIT: readonly (readonly [unit: string, tokens: number, code: string])[] = [
  ["[]", 2, "yaml_syntax"],
  ['"a"', 1, "yaml_syntax"],
  ["&a\n", 2, "yaml_syntax"],
  ["---\n", 3, "several_documents"],
  ["- {}\n", 5, "wrong_type"],
  ["- &a a\n", 7, "wrong_type"],
  ["- !foo a\n", 7, "custom_tag"],
  ["- |\n  a\n", 6, "wrong_type"],
  ["? - a\n", 7, "non_string_key"],
  ["<<: {}\n", 7, "merge_key"],
  ["-\t- a\n", 7, "yaml_syntax"],
];

function wholeFile([unit, code]: readonly [string, RefusedPack["code"]]): RefusedPack {
  return {
    what: `1 MiB of ${JSON.stringify(unit)}`,
    code,
    files: () => ({ "t.yaml": filled(unit, MAX_FILE_BYTES) }),
  };
}

function nearTokenLimit([unit, tokens, code]: readonly [string, number, string]): RefusedPack {
  const count = Math.floor(97_000 / tokens);
  return { what: `${count} times ${JSON.stringify(unit)}`, code, files: () => ({ "t.yaml": unit.repeat(count) }) };
}

describe("a file of one thing over and over", () => {
  testRefused([...WHOLE_FILE.map(wholeFile), ...NEAR_TOKEN_LIMIT.map(nearTokenLimit)]);
});
