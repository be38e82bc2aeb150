import { basename, resolve } from "node:path";
import type { Json } from "../../base/json.js";
import { compile } from "../../compiler/compile.js";
import { hasErrors } from "../../diagnostics/diagnostic.js";
import { renderText } from "../../diagnostics/render-text.js";
import { counted } from "../../diagnostics/wording.js";
import { firstPack } from "../../init/first-pack.js";
import { offeredTools } from "../../init/offered-tools.js";
import { TraceFacts } from "../../init/trace-facts.js";
import type { FileTree } from "../../language/file-tree.js";
import { SessionReader } from "../../replay/formats/read-sessions.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import { askMcpServer } from "../init/ask-mcp-server.js";
import { newFolder } from "../init/new-folder.js";
import { packageVersion } from "../package-file.js";
import { readNamedFile } from "../read-named-file.js";
import { type FoundSession, readTraces } from "../replay/read-traces.js";
import { type Terminal, wantsColor } from "../terminal.js";

/** What `init` was asked to do. */
export interface InitArguments {
  readonly folder: string;
  /** A file of tool definitions, or null for an MCP server. */
  readonly from: string | null;
  /** The command of an MCP server. */
  readonly mcp: readonly string[];
  readonly traces: string | null;
}

/** The text of tools.json. */
async function definitionsText(terminal: Terminal, { from, mcp }: InitArguments): Promise<string> {
  if (from !== null) return readNamedFile(resolve(terminal.cwd, from), from);
  const { cwd, env } = terminal;
  const tools = await askMcpServer(mcp, { cwd, env, version: packageVersion() });
  return `${JSON.stringify(tools, null, 2)}\n`;
}

function parsed(text: string, name: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new UsageError(`\`${name}\` is not JSON; give a list of tool definitions`);
  }
}

async function factsOf(terminal: Terminal, traces: string | null): Promise<TraceFacts | null> {
  if (traces === null) return null;
  const facts = new TraceFacts();
  const meter = { add: () => {} };
  const take = ({ session }: FoundSession) => facts.add(session);
  await readTraces(terminal.cwd, traces, { reader: new SessionReader(null), meter, take });
  return facts;
}

function inMemory(files: ReadonlyMap<string, string>): FileTree {
  return {
    list: (folder) => (folder === "" || folder === "." ? [...files.keys()] : null),
    read(file) {
      const text = files.get(file);
      return text === undefined ? { kind: "missing" } : { kind: "bytes", bytes: new TextEncoder().encode(text) };
    },
  };
}

/** Writes a first pack from tool definitions alone; nothing is written unless it compiles. */
export async function initCommand(terminal: Terminal, given: InitArguments): Promise<ExitCode> {
  const target = newFolder(resolve(terminal.cwd, given.folder), given.folder);
  const text = await definitionsText(terminal, given);
  const tools = offeredTools(parsed(text, given.from ?? "tools/list"));
  const facts = await factsOf(terminal, given.traces);
  const agent = basename(resolve(terminal.cwd, given.folder));
  const files = new Map([...firstPack(agent, tools, facts), ["tools.json", text]]);
  const { diagnostics } = compile(inMemory(files));
  if (diagnostics.length > 0) terminal.stderr.write(renderText(diagnostics, wantsColor(terminal)));
  if (hasErrors(diagnostics)) return EXIT.findings;
  for (const [name, content] of files) target.write(name, content);
  terminal.stdout.write(
    `${given.folder}: contracts of ${counted(tools.length, "tool")}; every guess is marked \`# review\`\n` +
      `next: contracts check ${given.folder}\n`,
  );
  return EXIT.clean;
}
