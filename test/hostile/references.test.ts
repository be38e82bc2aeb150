import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";
import {
  type AcceptedPack,
  type Files,
  lines,
  makePipe,
  type RefusedPack,
  sessionText,
  testAccepted,
  testRefused,
  toolText,
} from "../support/hostile-pack.js";

function inputCases(references: readonly string[]): string {
  const entries = references.map(
    (file, index) => `  - { id: c${index}, expect_ok: true, input_ref: ${JSON.stringify(file)} }`,
  );
  return toolText({ golden_cases: `\n${entries.join("\n")}` });
}

function input(what: string, file: string, files: Files = {}): RefusedPack {
  return { what, code: "unknown_input_ref", files: () => ({ "t.yaml": inputCases([file]), ...files }) };
}

describe("files that golden cases refer to", () => {
  testRefused([
    input("a file that does not exist", "missing.json"),
    input("a file outside the pack", "../../../../../../etc/passwd"),
    input("a file by its absolute path", "/etc/passwd"),
    input("a device", "../../../../../../dev/zero"),
    input("a path with NUL", "a\0b"),
    input("the pack itself", "."),
    input("a path of four hundred thousand folders", "a/".repeat(400_000)),
    input("a path that goes up sixty thousand times", `${"../".repeat(60_000)}a`),
    input("a path with half a surrogate", "\ud800"),
    input("a file that is a list", "a.json", { "a.json": "[]" }),
    input("a file that is broken", "a.json", { "a.json": "{" }),
    input("a file that is too deep", "a.json", { "a.json": "[".repeat(500_000) }),
    input("a file that is too large", "a.json", { "a.json": " ".repeat(2 * 1024 * 1024) }),
    input("a file that is binary", "a.json", { "a.json": new Uint8Array(1000) }),
    {
      ...input("a pipe without a writer", "pipe"),
      special: (folder) => makePipe(join(folder, "pipe")),
    },
    { ...input("a symbolic link to itself", "loop"), special: (folder) => symlinkSync("loop", join(folder, "loop")) },
  ]);

  testAccepted([
    {
      what: "twenty cases that refer to one file of 1 MB",
      files: () => ({
        "t.yaml": inputCases(Array.from({ length: 20 }, () => "a.json")),
        "a.json": `{ "a": [${"1,".repeat(500_000)}1] }`,
      }),
    },
  ]);
});

function workflow(contracts: readonly string[]): string {
  const roles = contracts.map((file, index) => `  - { name: r${index}, session_contract: ${JSON.stringify(file)} }`);
  return `schema_version: "1.0"\nworkflow: w\nroles:\n${roles.join("\n")}\n`;
}

function rolePack(contracts: readonly string[]): Files {
  return { "workflow.yaml": workflow(contracts), "p/session.yaml": sessionText(), "p/t.yaml": toolText() };
}

function role(what: string, contract: string): RefusedPack {
  return { what, code: ["unknown_session_contract", "unreadable_file"], files: () => rolePack([contract]) };
}

function roles(what: string, contracts: () => readonly string[]): AcceptedPack {
  return { what, files: () => rolePack(contracts()) };
}

describe("packs that roles refer to", () => {
  testRefused([
    role("a pack that does not exist", "q/session.yaml"),
    role("a pack by its absolute path", "/etc/session.yaml"),
    role("a pack outside", "../../../../../../etc/session.yaml"),
    role("a tool instead of a session", "p/t.yaml"),
    role("a folder instead of a session", "p"),
    role("a file as a folder", "p/session.yaml/session.yaml"),
    role("a path with NUL", "p\0/session.yaml"),
    role("a path of a hundred thousand folders", `${"a/".repeat(100_000)}session.yaml`),
    role("a path that goes up sixty thousand times", `${"../".repeat(60_000)}session.yaml`),
    role("a name of five thousand characters", `${"x".repeat(5000)}/session.yaml`),
    {
      what: "three thousand packs that do not exist",
      code: "unknown_session_contract",
      files: () => rolePack(Array.from({ length: 3000 }, (_, index) => `q${index}/session.yaml`)),
    },
    {
      what: "a workflow that is its own role",
      code: "unknown_key",
      files: () => ({ "workflow.yaml": workflow(["session.yaml"]), "session.yaml": sessionText({ unknown: "1" }) }),
    },
    {
      what: "a workflow inside the pack of a role",
      code: "nested_workflow",
      files: () => ({ ...rolePack(["p/session.yaml"]), "p/workflow.yaml": workflow(["../p/session.yaml"]) }),
    },
  ]);

  testAccepted([
    roles("three thousand roles with one pack", () => Array.from({ length: 3000 }, () => "p/session.yaml")),
    roles("one pack in many spellings", () => [
      "p/session.yaml",
      "./p/session.yaml",
      "p//session.yaml",
      "p/../p/session.yaml",
    ]),
    {
      ...roles("one pack below thirty links to its own folder", () => {
        return Array.from({ length: 30 }, (_, index) => `p/${"loop/".repeat(index)}session.yaml`);
      }),
      special: (folder) => symlinkSync(".", join(folder, "p", "loop")),
    },
  ]);
});

describe("names that lead nowhere, among many that are near", () => {
  const many = 1000;
  const bound = () => `\n${lines(many, (index) => `  - { name: slot_number_${index}, path: $.a }`)}`;
  const referring = () => `\n${lines(many, (index) => `  - { path: $.a${index}, ref: solt_nubmer_${index}x }`)}`;
  const phases = () =>
    `\n  - { name: first, initial: true, terminal: true }\n${lines(many, (index) => `  - { name: phase_number_${index} }`)}`;
  const unknownPhases = () => `\n  valid_in_phases:\n${lines(many, (index) => `    - pahse_nubmer_${index}x`)}`;
  const tools = () => Array.from({ length: many }, (_, index) => `tool_number_${index}`);

  testRefused([
    {
      what: "a thousand misspelt slots",
      code: "unknown_binding",
      files: () => ({ "t.yaml": toolText({ binds: bound(), argument_value_invariants: referring() }) }),
    },
    {
      what: "a thousand misspelt phases",
      code: "unknown_phase",
      files: () => ({
        "t.yaml": toolText({ transitions: unknownPhases() }),
        "session.yaml": sessionText({ phases: phases() }),
      }),
    },
    {
      what: "a thousand misspelt tools",
      code: "unknown_tool",
      files: () => ({
        ...Object.fromEntries(tools().map((name) => [`${name}.yaml`, `tool: ${name}\n`])),
        "t.yaml": toolText({
          forbids_after: `[${tools()
            .map((name) => `${name.replace("tool", "tolo")}x`)
            .join(", ")}]`,
        }),
      }),
    },
  ]);
});
