import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { FORMATS, type Format } from "../../src/cli/output-formats.js";
import type { Compiled } from "../../src/compiler/compile.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { RULES } from "../../src/compiler/rules/index.js";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.js";
import { renderGithub } from "../../src/diagnostics/render-github.js";
import { renderJson } from "../../src/diagnostics/render-json.js";
import { renderSarif } from "../../src/diagnostics/render-sarif.js";
import { renderText } from "../../src/diagnostics/render-text.js";
import { misplaced } from "./diagnostic-place.js";
import { timed } from "./processor-time.js";
import { ANALYSIS } from "./rule-fixtures.js";
import { waitForCli } from "./run-cli.js";
import { isFull } from "./size.js";

/** No input may keep the compiler busy for longer, in milliseconds. */
const TIME_LIMIT = 1000;
const ATTEMPTS = 10;
const PIPE_SECONDS = 2;
/** A message is one line that a person reads; user text in it is cut. */
const LONGEST_MESSAGE = 500;

/** File contents by name; folders on the way are made. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A pack on disk, made only when its test runs. */
export interface Pack {
  /** What it holds, as the subject of the test's name. */
  readonly what: string;
  readonly files?: () => Files;
  /** Adds what is no plain file. */
  readonly special?: (folder: string) => void;
}

/** A pack with the code that must be among its findings, or the codes one of which must be. */
export interface RefusedPack extends Pack {
  readonly code: string | readonly string[];
}

/** A pack with the warnings that are all it may give. */
export interface AcceptedPack extends Pack {
  readonly warnings?: readonly string[];
}

const REQUIRED = {
  side_effect: "read",
  evidence_class: "local_transaction",
  commit_requirement: "acknowledged",
  timeouts: "{ total_ms: 5000 }",
  retries: "{ max_attempts: 1, retry_on: [] }",
  rate_limits: "{ on_429: { respect_retry_after: true, max_sleep_seconds: 5 } }",
  assertions: "{ input_invariants: [], output_invariants: [] }",
  golden_cases: "[]",
  allowed_errors: "[]",
};

function mappingText(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join("");
}

/** A valid contract of tool `t`; fields given as YAML text replace or follow the required ones. */
export function toolText(fields: Readonly<Record<string, string>> = {}, name = "t"): string {
  return mappingText({ tool: name, ...REQUIRED, ...fields });
}

/** A valid session.yaml, with further fields as YAML text. */
export function sessionText(fields: Readonly<Record<string, string>> = {}): string {
  return mappingText({ schema_version: '"1.0"', agent: "example", ...fields });
}

/** A tool contract with one golden case that has these arguments, as YAML text. */
export function toolWithArguments(text: string): string {
  return toolText({ golden_cases: `\n  - id: x\n    expect_ok: true\n    arguments: ${text}` });
}

/** `count` lines, each made from its number. */
export function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => `${line(index)}\n`).join("");
}

/** As many copies of the unit as fit into the given number of bytes. */
export function filled(unit: string, bytes: number): string {
  return unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));
}

/** Makes a pipe without a writer. A reader is released in the end, so that a test fails instead of hanging. */
export function makePipe(path: string): void {
  execFileSync("mkfifo", [path]);
  const rescue = `while sleep ${PIPE_SECONDS} && test -p "$1"; do : <> "$1"; done`;
  spawn("sh", ["-c", rescue, "sh", path], { stdio: "ignore" }).unref();
}

/** Writes the pack to a folder of its own, hands it to `use`, and removes it again. */
export async function inFolder<T>(pack: Pack, use: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "hostile-"));
  try {
    for (const [name, content] of Object.entries(pack.files?.() ?? {})) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
    pack.special?.(folder);
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Compiles within the time limit; a noisy machine gets further attempts, a hopeless case does not. */
function compileInTime(folder: string): Compiled {
  let fastest = Number.POSITIVE_INFINITY;
  for (let attempt = 1; ; attempt++) {
    const { result, milliseconds } = timed(() => compileFolder(folder));
    fastest = Math.min(fastest, milliseconds);
    if (fastest < TIME_LIMIT) return result;
    const isLast = attempt === ATTEMPTS || fastest > 3 * TIME_LIMIT;
    if (isLast) expect(fastest, "milliseconds to compile").toBeLessThan(TIME_LIMIT);
  }
}

function compileUnharmed(folder: string): Compiled {
  const before = Object.getOwnPropertyNames(Object.prototype);
  const compiled = compileInTime(folder);
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  expect(misplaced(compiled.diagnostics)).toEqual([]);
  const messages = compiled.diagnostics.map(({ message }) => message);
  const unclear = messages.filter((text) => text === "" || text.length > LONGEST_MESSAGE || text.includes("\n"));
  expect(unclear.map((text) => `${text.slice(0, 80)} (${text.length} characters)`)).toEqual([]);
  return compiled;
}

function codesOf({ diagnostics }: Compiled): readonly string[] {
  return [...new Set(diagnostics.map(({ code }) => code))];
}

function expectReadable(format: Format, text: string): void {
  expect(text).not.toBe("");
  expect(text.includes("\n    at ")).toBe(false);
  if (format === "json" || format === "sarif") expect(() => JSON.parse(text)).not.toThrow();
}

/** What the command line prints. */
async function printed(folder: string, format: Format): Promise<string> {
  const { code, stdout, stderr } = await waitForCli(["check", folder, "--format", format], { cwd: folder });
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  return stdout;
}

/** How the command line words findings, without compiling the pack again. */
const RENDERERS: Readonly<Record<Format, (findings: readonly Diagnostic[]) => string>> = {
  text: (findings) => renderText(findings, false),
  json: (findings) => renderJson(false, null, findings, {}),
  sarif: (findings) => renderSarif(findings, { version: "0.0.0", rules: RULES, fileOf: (file) => file }),
  github: (findings) => renderGithub(findings, (file) => file),
};

/** The first compile of a process also compiles our schemas; that is no input's fault. */
async function warmUp(): Promise<void> {
  const files = () => ({
    "t.yaml": toolText(),
    "session.yaml": sessionText(),
    "tools.json": '[{"name":"t","input_schema":{"type":"object"}}]',
    "workflow.yaml": 'schema_version: "1.0"\nworkflow: w\nroles: [{ name: a, session_contract: session.yaml }]\n',
  });
  await inFolder({ what: "a tiny pack", files }, (folder) => {
    for (let run = 0; run < 5; run++) compileFolder(folder);
  });
}

/** The normal run takes one format after the other, the full run all of them for every pack. */
function formatsOf(index: number): readonly Format[] {
  return isFull() ? FORMATS : FORMATS.filter((_, at) => at === index % FORMATS.length);
}

/** The normal run uses the command line for one pack of so many, and words what was found before for the others. */
const PACKS_PER_COMMAND = 20;

/** Tests that each pack is refused: in time, by name, at a place, and in the formats of the command line. */
export function testRefused(packs: readonly RefusedPack[]): void {
  beforeAll(warmUp);
  const cases = packs.map((pack, index) => [pack.what, { pack, index, formats: formatsOf(index) }] as const);
  describe.each(cases)("%s", (_, { pack, index, formats }) => {
    const expected = [pack.code].flat();
    let findings: readonly Diagnostic[] | undefined;
    it(`is refused with ${expected.join(" or ")} within a second`, async () => {
      const compiled = await inFolder(pack, compileUnharmed);
      findings = compiled.diagnostics;
      expect(codesOf(compiled)).toEqual(expect.arrayContaining([expect.toBeOneOf([...expected])]));
      expect(compiled.artifact).toBeNull();
    });

    it(`has its findings rendered as ${formats.join(", ")}`, async () => {
      if (isFull() || index % PACKS_PER_COMMAND === 0) {
        await inFolder(pack, async (folder) => {
          for (const format of formats) expectReadable(format, await printed(folder, format));
        });
        return;
      }
      const found = findings ?? (await inFolder(pack, compileUnharmed)).diagnostics;
      findings = undefined;
      for (const format of formats) expectReadable(format, RENDERERS[format](found));
    });
  });
}

/** Tests that each pack compiles in time, with no finding but the warnings it names. */
export function testAccepted(packs: readonly AcceptedPack[]): void {
  beforeAll(warmUp);
  it.each(packs.map((pack) => [pack.what, pack] as const))("%s compiles within a second", async (_, pack) => {
    const compiled = await inFolder(pack, compileUnharmed);
    // What the analysis says of a pack that is only large or oddly named is not the point here; its time is.
    expect(codesOf(compiled).filter((code) => !ANALYSIS.has(code))).toEqual(pack.warnings ?? []);
    expect(compiled.artifact).not.toBeNull();
  });
}
