import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * A pack as one text. Each file starts with a line `#== name`, optionally followed by a directive in parentheses:
 *   (with the required fields)   required fields that the text leaves out are added below it
 *   (then 101 times "- *a\n")    the JSON string is appended that often
 *   (bytes: ff fe 00)            the file holds these bytes
 *   (size: 1048577)              the file holds that many spaces
 *   (symlink: target)            the file is a symbolic link
 *   (folder)                     it is a folder
 */
export interface PackFile {
  readonly name: string;
  readonly directive: string;
  readonly text: string;
}

const HEADER = /^#== (\S+)(?: \((.*)\))?$/;

const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  tool: [
    "side_effect: read",
    "evidence_class: local_transaction",
    "commit_requirement: acknowledged",
    "timeouts: { total_ms: 5000 }",
    "retries: { max_attempts: 1, retry_on: [] }",
    "rate_limits: { on_429: { respect_retry_after: true, max_sleep_seconds: 5 } }",
    "assertions: { input_invariants: [], output_invariants: [] }",
    "golden_cases: []",
    "allowed_errors: []",
  ],
  session: ['schema_version: "1.0"', "agent: example"],
  workflow: ['schema_version: "1.0"', "workflow: example"],
  claims: ['schema_version: "1.0"'],
};

export function parsePackText(text: string): readonly PackFile[] {
  const files: { name: string; directive: string; lines: string[] }[] = [];
  for (const line of text.split("\n")) {
    const header = HEADER.exec(line);
    if (header !== null) files.push({ name: header[1] ?? "", directive: header[2] ?? "", lines: [] });
    else if (files.length > 0) files.at(-1)?.lines.push(line);
    else if (line.trim() !== "") throw new Error(`a pack text starts with a line "#== name", found: ${line}`);
  }
  return files.map(({ name, directive, lines }) => ({ name, directive, text: `${lines.join("\n").trimEnd()}\n` }));
}

function withRequired(name: string, text: string): string {
  const stem = name.replace(/^.*\//, "").replace(/\.yaml$/, "");
  const kind = ["session", "workflow", "claims"].includes(stem) ? stem : "tool";
  const fields = [...(kind === "tool" ? [`tool: ${stem}`] : []), ...(REQUIRED[kind] ?? [])];
  const missing = fields.filter((field) => !new RegExp(`^${field.split(":")[0]}:`, "m").test(text));
  return `${text}${missing.map((field) => `${field}\n`).join("")}`;
}

function writeFile(path: string, { name, directive, text }: PackFile): void {
  const [, repeat, unit] = /^then (\d+) times (".*")$/.exec(directive) ?? [];
  if (directive === "folder") mkdirSync(path);
  else if (directive.startsWith("symlink: ")) symlinkSync(directive.slice("symlink: ".length), path);
  else if (directive.startsWith("bytes: "))
    writeFileSync(path, Buffer.from(directive.slice(7).replaceAll(" ", ""), "hex"));
  else if (directive.startsWith("size: ")) writeFileSync(path, " ".repeat(Number(directive.slice(6))));
  else if (directive === "with the required fields") writeFileSync(path, withRequired(name, text));
  else if (unit !== undefined) writeFileSync(path, text + String(JSON.parse(unit)).repeat(Number(repeat)));
  else if (directive === "") writeFileSync(path, text);
  else throw new Error(`unknown directive (${directive}) of ${name}`);
}

function writePack(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "pack-"));
  for (const file of parsePackText(text)) {
    const path = join(folder, file.name);
    mkdirSync(dirname(path), { recursive: true });
    writeFile(path, file);
  }
  return folder;
}

/** Writes a pack text to a folder of its own, hands it to `use`, and removes it again. */
export function withPack<T>(text: string, use: (folder: string) => T): T {
  const folder = writePack(text);
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same for a `use` that waits. */
export async function inPack<T>(text: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = writePack(text);
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
