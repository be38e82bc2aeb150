import { basename, dirname, join, resolve } from "node:path";
import { clean, jsonText } from "../../base/clean.js";
import type { Json } from "../../base/json.js";
import { positionAt } from "../../diagnostics/source.js";
import { counted } from "../../diagnostics/wording.js";
import { diskTree, type ReadLimits } from "../../language/file-tree.js";
import type { Problem } from "../../language/problem.js";
import { readJson } from "../../language/read-json.js";
import { readText } from "../../language/read-pack.js";
import { type DoctorReport, runDoctor } from "../../pipelines/doctor/doctor.js";
import type { DoctorCheck, DoctorCheckStatus } from "../../pipelines/doctor/doctor-check.js";
import { checkDoctorOptions, DoctorOptionError, type DoctorOptions } from "../../pipelines/doctor/doctor-options.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import type { DoctorFormat } from "../output-formats.js";
import type { Terminal } from "../terminal.js";

/** What `doctor` was asked to do. */
export interface DoctorArguments {
  readonly url: string;
  readonly token?: string;
  /** The name of an environment variable that holds the token. */
  readonly tokenEnv?: string;
  readonly authHeader?: string;
  readonly scheme?: string;
  /** A folder whose tools.json is checked. */
  readonly pack?: string;
  /** A file of tool definitions. */
  readonly tools?: string;
  readonly proxyProbe?: string;
  /** False where contacting a proxy was ruled out. */
  readonly probe?: boolean;
  readonly rich: boolean;
  /** Seconds. */
  readonly timeout?: string;
  readonly format: DoctorFormat;
}

/** Read when no option gives the token; an endpoint may need none. */
const TOKEN_VARIABLE = "AGENT_TOKEN";

const FLAGS: Readonly<Record<keyof DoctorOptions, string>> = {
  url: "--url",
  token: "the token",
  authHeader: "--auth-header",
  scheme: "--scheme",
  tools: "--tools",
  probeUrl: "--proxy-probe",
  rich: "--rich",
  timeoutMs: "--timeout",
};

function tokenOf({ token, tokenEnv }: DoctorArguments, env: Terminal["env"]): string | null {
  if (token !== undefined && tokenEnv !== undefined) {
    throw new UsageError("give the token with either --token or --token-env, not both");
  }
  if (token !== undefined) return token;
  const found = env[tokenEnv ?? TOKEN_VARIABLE];
  if (tokenEnv !== undefined && (found === undefined || found === "")) {
    throw new UsageError(`the environment variable \`${tokenEnv}\` is not set; set it to the token`);
  }
  return found === undefined || found === "" ? null : found;
}

function readingMistake(problem: Problem): string {
  switch (problem.kind) {
    case "unreadable_file":
      return problem.cause;
    case "file_too_large":
      return "it is larger than 1 MiB";
    case "not_utf8":
      return "it is not UTF-8";
    case "json_syntax": {
      const { line, column } = positionAt(problem.span.source, problem.span.start);
      return `line ${line}, column ${column}: ${problem.message}`;
    }
    case "duplicate_key":
      return `it has the key \`${problem.key}\` twice in one object`;
    default:
      return "it is nested too deeply";
  }
}

/** `limits` is what may be read: a file named on the command line may be a link to anywhere, one of a pack may not. */
function readTools(file: string, path: string, limits: ReadLimits): Json {
  const source = readText(diskTree(dirname(path), limits), basename(path));
  const read = "kind" in source ? { problems: [source] } : readJson(source);
  const [problem] = read.problems;
  if (problem === undefined && "root" in read && read.root !== undefined) return read.root;
  const why = problem === undefined ? "it is empty" : readingMistake(problem);
  throw new UsageError(`cannot read the tool definitions in \`${file}\`: ${why}`);
}

function toolsOf({ pack, tools }: DoctorArguments, cwd: string): Json | undefined {
  if (pack !== undefined && tools !== undefined) throw new UsageError("give either --pack or --tools, not both");
  const file = pack === undefined ? tools : join(pack, "tools.json");
  if (file === undefined) return undefined;
  const path = resolve(cwd, file);
  return readTools(file, path, pack === undefined ? { alsoFile: path } : {});
}

function optionsOf(given: DoctorArguments, { cwd, env }: Terminal): DoctorOptions {
  const { url, authHeader, scheme, proxyProbe, rich, timeout } = given;
  return {
    url,
    token: tokenOf(given, env),
    ...(authHeader === undefined ? {} : { authHeader }),
    ...(scheme === undefined ? {} : { scheme }),
    tools: toolsOf(given, cwd),
    ...(proxyProbe === undefined ? {} : { probeUrl: proxyProbe }),
    rich,
    ...(timeout === undefined ? {} : { timeoutMs: Number(timeout) * 1000 }),
  };
}

const LABELS: Readonly<Record<DoctorCheckStatus, string>> = { ok: "ok", fail: "FAIL", warn: "warn", skip: "skip" };

function renderCheck({ status, what, found, help }: DoctorCheck, width: number): string {
  const line =
    `${LABELS[status].padEnd(6)}${what.padEnd(width + 2)}${found === undefined ? "" : clean(found)}`.trimEnd();
  return `${line}\n${help === undefined ? "" : `      help: ${clean(help)}\n`}`;
}

function renderText({ checks }: DoctorReport): string {
  const width = Math.max(...checks.map(({ what }) => what.length));
  const count = (status: DoctorCheckStatus) => checks.filter((check) => check.status === status).length;
  const summary = `${count("ok")} ok, ${count("fail")} failed, ${counted(count("warn"), "warning")}, ${count("skip")} skipped`;
  return `${checks.map((check) => renderCheck(check, width)).join("")}\n${summary}\n`;
}

/** Options on how a token is sent have no effect without a token. */
function requireToken({ token, authHeader, scheme }: DoctorOptions): void {
  if (token !== null || (authHeader === undefined && scheme === undefined)) return;
  const option = authHeader === undefined ? FLAGS.scheme : FLAGS.authHeader;
  throw new UsageError(`${option} sets how the token is sent, but there is none; give it with --token-env NAME`);
}

async function examine(options: DoctorOptions): Promise<DoctorReport> {
  try {
    // An invalid value is reported before one without effect.
    checkDoctorOptions(options);
    requireToken(options);
    return await runDoctor(options);
  } catch (cause) {
    if (cause instanceof DoctorOptionError) throw new UsageError(`${FLAGS[cause.option]} ${cause.expected}`);
    throw cause;
  }
}

/** Checks a running endpoint and reports what the platform would reject. */
export async function doctorCommand(terminal: Terminal, given: DoctorArguments): Promise<ExitCode> {
  if (given.probe === false && given.proxyProbe !== undefined) {
    throw new UsageError("--no-probe and --proxy-probe exclude each other");
  }
  const report = await examine(optionsOf(given, terminal));
  terminal.stdout.write(given.format === "json" ? `${jsonText(report)}\n` : renderText(report));
  return report.ok ? EXIT.clean : EXIT.findings;
}
