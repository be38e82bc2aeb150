import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../../support/run-cli.js";

/** A change of a source file: what is replaced, and by what. */
type Edit = readonly [file: string, from: string, to: string];

interface Mistake {
  /** The function or constant that it stands in. */
  readonly where: string;
  readonly message: string;
}

function edit(root: string, [file, from, to]: Edit): void {
  const path = join(root, file);
  const text = readFileSync(path, "utf8");
  expect(text.split(from), `${file} holds once: ${from}`).toHaveLength(2);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
}

function enclosing(root: string, file: string, line: number): string {
  const lines = readFileSync(join(root, file), "utf8").split("\n").slice(0, line);
  const names = lines.flatMap((text) => /^(?:export )?(?:function|const) (\w+)/.exec(text)?.[1] ?? []);
  return names.at(-1) ?? file;
}

async function compilerOutput(root: string): Promise<string> {
  const compiler = join(REPOSITORY, "node_modules/typescript/bin/tsc");
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, "--noEmit", "--pretty", "false"], {
      cwd: root,
    });
    return stdout;
  } catch (cause) {
    if (cause instanceof Error && "stdout" in cause) return String(cause.stdout);
    throw cause;
  }
}

/** The type errors of the lowering in a copy of the compiler with these changes. */
async function errorsWith(edits: readonly Edit[]): Promise<readonly Mistake[]> {
  const root = mkdtempSync(join(tmpdir(), "types-"));
  try {
    cpSync(join(REPOSITORY, "src"), join(root, "src"), { recursive: true });
    cpSync(join(REPOSITORY, "package.json"), join(root, "package.json"));
    symlinkSync(join(REPOSITORY, "node_modules"), join(root, "node_modules"));
    const { compilerOptions } = JSON.parse(readFileSync(join(REPOSITORY, "tsconfig.json"), "utf8"));
    writeFileSync(join(root, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["src/compiler/compile.ts"] }));
    for (const each of edits) edit(root, each);
    const output = await compilerOutput(root);
    return [...output.matchAll(/^(\S+)\((\d+),\d+\): error TS\d+: ((?:.*\n?)(?: {2}.*\n?)*)/gm)].map(
      ([, file = "", line = "", message = ""]) => ({ where: enclosing(root, file, Number(line)), message }),
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const SHARED = "src/language/schema/shared.ts";
const TOOL = "src/language/schema/tool.ts";
const SESSION = "src/language/schema/session.ts";

/** A new key in each kind of entry, and what then does not compile. */
const NEW_KEYS: readonly (readonly [kind: string, edit: Edit, where: string])[] = [
  [
    "an operator of the full family",
    [SHARED, "const operators = {\n", 'const operators = {\n  new_full: text("x"),\n'],
    "LOWERING",
  ],
  [
    "an operator of argument_value_invariants",
    [SHARED, "    exact_match: Type", '    new_value: Type.Optional(text("x")),\n    exact_match: Type'],
    "LOWERING",
  ],
  [
    "a condition of checkpoints",
    [SHARED, "...optional({ gte: operators.gte", '...optional({ new_condition: text("x"), gte: operators.gte'],
    "checkpointCheck",
  ],
  [
    "a condition on the principal",
    [
      SHARED,
      'path: path("JSONPath into the principal"), ',
      'path: path("JSONPath into the principal"), new_principal: Type.Optional(text("x")), ',
    ],
    "lowerPrincipal",
  ],
  [
    "the condition of an aggregate",
    [SESSION, "    then_gte: Type", '    new_override: Type.Optional(text("x")),\n    then_gte: Type'],
    "lowerAggregate",
  ],
  [
    "an envelope",
    [SESSION, "    band: Type", '    new_envelope: Type.Optional(text("x")),\n    band: Type'],
    "lowerEnvelope",
  ],
  [
    "a stage",
    [
      SESSION,
      '    role: Type.Enum(["ceiling"',
      '    new_stage: Type.Optional(text("x")),\n    role: Type.Enum(["ceiling"',
    ],
    "lowerStage",
  ],
  [
    "a label gate",
    [SESSION, "    when_label: text", '    new_gate: Type.Optional(text("x")),\n    when_label: text'],
    "labelGates",
  ],
  [
    "a checkpoint of the session",
    [
      SHARED,
      '    name: text("Unique name of the checkpoint"),',
      '    name: text("Unique name of the checkpoint"),\n    new_checkpoint: Type.Optional(text("x")),',
    ],
    "namedCheckpoint",
  ],
  [
    "a precondition",
    [
      TOOL,
      "    requires_step_count: Type",
      '    new_precondition: Type.Optional(text("x")),\n    requires_step_count: Type',
    ],
    "preconditionCheck",
  ],
  [
    "an allowed error",
    [TOOL, "    message_regex: Type", '    new_error: Type.Optional(text("x")),\n    message_regex: Type'],
    "lowerAllowedError",
  ],
  [
    "a bind",
    [TOOL, '    name: text("Slot name', '    new_bind: Type.Optional(text("x")),\n    name: text("Slot name'],
    "lowerBind",
  ],
  [
    "the response format",
    [
      TOOL,
      "          finish_reason: Type",
      '          new_format: Type.Optional(text("x")),\n          finish_reason: Type',
    ],
    "lowerResponseFormat",
  ],
];

describe("lowering", () => {
  it("compiles as it is", async () => {
    expect(await errorsWith([])).toEqual([]);
  }, 60_000);

  it("does not compile with a key that it drops, whichever entry has it", async () => {
    const errors = await errorsWith(NEW_KEYS.map(([, change]) => change));
    const missed = NEW_KEYS.filter(([, , where]) => !errors.some((error) => error.where === where));
    expect(missed.map(([kind]) => kind)).toEqual([]);
    const table = errors.filter(({ where }) => where === "LOWERING").map(({ message }) => message);
    expect(table.join("")).toMatch(/new_full[\s\S]*new_value|new_value[\s\S]*new_full/);
  }, 60_000);

  it("does not compile without an operator that the language has", async () => {
    const line = '  length_lte: (value) => ({ op: "length_lte", value }),\n';
    const errors = await errorsWith([["src/compiler/lower/lower-value.ts", line, ""]]);
    expect(errors).toEqual([{ where: "LOWERING", message: expect.stringContaining("length_lte") }]);
  }, 60_000);
});
