import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { cleanLine, jsonText } from "../../base/clean.js";
import type { Json } from "../../base/json.js";
import { positionAt } from "../../diagnostics/source.js";
import { counted } from "../../diagnostics/wording.js";
import { readJson } from "../../language/read-json.js";
import { RESPONSE_CONTRACT } from "../../pipelines/response/response-config.js";
import { checkAgentResponse, type ResponseCheck } from "../../pipelines/response/response-contract.js";
import { RESPONSE_WARNINGS, type SoftWarning } from "../../pipelines/response/response-warnings.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import type { ResponseFormat } from "../output-formats.js";
import type { Terminal } from "../terminal.js";

/** What `check-response` was asked to do. */
export interface CheckResponseArguments {
  /** A path, or `-` for standard input. */
  readonly file: string;
  /** Whether the agent is registered with the rich response contract. */
  readonly rich: boolean;
  readonly format: ResponseFormat;
}

/** Bytes as a stream gives them. */
type Input = AsyncIterable<unknown>;

/** No reply is this large; a device or an endless pipe is. */
const MOST_BYTES = 16 * 1024 * 1024;

async function readBytes(input: Input, name: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    const bytes = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > MOST_BYTES) throw new UsageError(`${name} holds more than 16 MiB; give the body of one reply`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

async function readText(input: Input, name: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readBytes(input, name));
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new UsageError(
      code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? `${name} is not UTF-8` : `cannot read ${name}: ${code}`,
    );
  }
}

/** Where JSON is invalid, without the text at that place: it may be private. */
function syntaxMistake(text: string): string {
  const [problem] = readJson({ name: "", text }).problems;
  if (problem?.kind !== "json_syntax") return "";
  const { line, column } = positionAt(problem.span.source, problem.span.start);
  return ` (line ${line}, column ${column}: ${problem.message})`;
}

function parse(text: string, name: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new UsageError(`${name} is not JSON${syntaxMistake(text)}; give the body of a reply`);
  }
}

function severityOf({ code }: SoftWarning): "error" | "warning" {
  return RESPONSE_WARNINGS[code].fails ? "error" : "warning";
}

function renderFinding(finding: SoftWarning): string {
  const { code, path, message } = finding;
  return `${cleanLine(`${path}: ${severityOf(finding)}: ${message}`)} [${code}]\n  help: ${RESPONSE_WARNINGS[code].help}\n\n`;
}

function tally(findings: readonly SoftWarning[]): string {
  const errors = findings.filter((finding) => severityOf(finding) === "error").length;
  const warnings = findings.length - errors;
  return [
    ...(errors > 0 ? [`, ${counted(errors, "error")}`] : []),
    ...(warnings > 0 ? [`, ${counted(warnings, "soft warning")}`] : []),
  ].join("");
}

function renderText({ ok, violation, softWarnings }: ResponseCheck, name: string): string {
  const outcome = ok ? "ok" : (violation ?? "not ok");
  return `${softWarnings.map(renderFinding).join("")}${cleanLine(name)}: ${outcome}${tally(softWarnings)}\n`;
}

/** The body is left out: reports end up in logs, and a reply may contain private data. */
function renderJson({ ok, violation, softWarnings }: ResponseCheck): string {
  const findings = softWarnings.map((finding) => ({
    ...finding,
    severity: severityOf(finding),
    help: RESPONSE_WARNINGS[finding.code].help,
  }));
  return `${jsonText({ ok, violation, softWarnings: findings })}\n`;
}

/** Checks the body of a reply and reports what the platform would find. */
export async function checkResponseCommand(
  terminal: Terminal,
  { file, rich, format }: CheckResponseArguments,
  stdin: () => Input = () => process.stdin,
): Promise<ExitCode> {
  const isStdin = file === "-";
  const name = isStdin ? "standard input" : `\`${file}\``;
  const text = await readText(isStdin ? stdin() : createReadStream(resolve(terminal.cwd, file)), name);
  const checked = checkAgentResponse(parse(text, name), rich ? RESPONSE_CONTRACT : null);
  terminal.stdout.write(
    format === "json" ? renderJson(checked) : renderText(checked, isStdin ? "standard input" : file),
  );
  return checked.ok ? EXIT.clean : EXIT.findings;
}
