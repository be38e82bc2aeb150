import { basename, resolve } from "node:path";
import type { Artifact } from "../../artifact/compiled.js";
import type { Scenario } from "../../artifact/scenario.js";
import type { Json } from "../../base/json.js";
import { compile } from "../../compiler/compile.js";
import { renderText } from "../../diagnostics/render-text.js";
import { counted } from "../../diagnostics/wording.js";
import { playingsOf } from "../../golden/play-golden-cases.js";
import { playScenario } from "../../golden/play-scenario.js";
import { firstPack, type PackFiles } from "../../init/first-pack.js";
import { type OfferedTool, offeredTools } from "../../init/offered-tools.js";
import { TraceFacts } from "../../init/trace-facts.js";
import type { FileTree } from "../../language/file-tree.js";
import { RESERVED_FILES } from "../../language/read-pack.js";
import { SessionReader } from "../../replay/formats/read-sessions.js";
import { SessionPlayer } from "../../replay/play-session.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import { scenarioYaml } from "../golden/scenario-yaml.js";
import { askMcpServer } from "../init/ask-mcp-server.js";
import { definitionTests } from "../init/definition-tests.js";
import { newFolder } from "../init/new-folder.js";
import { RecordedTests } from "../init/recorded-tests.js";
import { unjudgedPatterns } from "../init/unjudged-patterns.js";
import { packageVersion } from "../package-file.js";
import { readNamedFile } from "../read-named-file.js";
import { atPlace, type FoundSession, readTraces } from "../replay/read-traces.js";
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

/** The tools that can have a contract: some names are those of files with another meaning. */
function contractable(tools: readonly OfferedTool[]): readonly OfferedTool[] {
  if (tools.length === 0) throw new UsageError("there is no tool in the definitions; give a list of them");
  const isReserved = ({ name }: OfferedTool) => RESERVED_FILES.has(`${name}.yaml`);
  const possible = tools.filter((tool) => !isReserved(tool));
  if (possible.length > 0) return possible;
  const names = tools.map(({ name }) => `\`${name}\``).join(", ");
  throw new UsageError(`no tool can have a contract: the file of ${names} has another meaning; rename it`);
}

/** What is known of recorded sessions. */
interface Recorded {
  readonly facts: TraceFacts;
  readonly tests: RecordedTests;
}

async function recordedIn(
  terminal: Terminal,
  traces: string | null,
  { artifact, tools }: { readonly artifact: Artifact; readonly tools: readonly OfferedTool[] },
): Promise<Recorded | null> {
  if (traces === null) return null;
  const facts = new TraceFacts(new Set(tools.map(({ name }) => name)));
  const tests = new RecordedTests();
  const player = new SessionPlayer(artifact, {});
  const take = ({ session, where }: FoundSession) => {
    facts.add(session);
    tests.add(
      session,
      atPlace(where, () => player.play(session)),
    );
  };
  await readTraces(terminal.cwd, traces, { reader: new SessionReader(null), meter: { add: () => {} }, take });
  return { facts, tests };
}

/** The tests that the pack passes, as the texts of their files. */
async function testFiles(artifact: Artifact, recorded: RecordedTests | null): Promise<PackFiles> {
  const files = new Map<string, string>();
  const [playing] = playingsOf(artifact, {});
  const add = async (file: string, scenario: Scenario, remark: string) => {
    if (playing === undefined || (await playScenario(playing, scenario)).failure !== null) return;
    files.set(`tests/${file}.yaml`, `${remark}${scenarioYaml(scenario)}`);
  };
  for (const [tool, scenario] of await definitionTests(artifact)) await add(tool, scenario, "");
  const remark = "# From a recorded session: remove what must not be shown to everybody.\n";
  for (const [at, scenario] of (recorded?.tests() ?? []).entries()) await add(`recorded.${at + 1}`, scenario, remark);
  return files;
}

function inMemory(files: PackFiles): FileTree {
  return {
    list(folder) {
      const below = folder === "" || folder === "." ? "" : `${folder}/`;
      const names = [...files.keys()].filter((name) => name.startsWith(below)).map((name) => name.slice(below.length));
      return names.length === 0 ? null : names.filter((name) => !name.includes("/"));
    },
    read(file) {
      const text = files.get(file);
      return text === undefined ? { kind: "missing" } : { kind: "bytes", bytes: new TextEncoder().encode(text) };
    },
  };
}

/** The pack with those of its tests that are well formed: a recorded session may hold what no contract may. */
function withTests(pack: PackFiles, tests: PackFiles): PackFiles {
  const { diagnostics } = compile(inMemory(new Map([...pack, ...tests])));
  const wrong = new Set(diagnostics.map(({ span }) => span.source.name));
  return new Map([...pack, ...[...tests].filter(([name]) => !wrong.has(name))]);
}

/** Writes a first pack from tool definitions alone; nothing is written unless it compiles. */
export async function initCommand(terminal: Terminal, given: InitArguments): Promise<ExitCode> {
  const target = newFolder(resolve(terminal.cwd, given.folder), given.folder);
  const text = await definitionsText(terminal, given);
  const offered = offeredTools(parsed(text, given.from ?? "tools/list"));
  const possible = contractable(offered);
  const unjudged = unjudgedPatterns(text);
  const tools = possible.map((tool) => ({ ...tool, unjudged: unjudged.get(tool.name) ?? [] }));
  const agent = basename(resolve(terminal.cwd, given.folder));
  const packWith = (facts: TraceFacts | null): PackFiles =>
    new Map([...firstPack(agent, tools, facts), ["tools.json", text]]);
  const { artifact, diagnostics } = compile(inMemory(packWith(null)));
  // A pack without a usable tool has warnings too, which would hide why.
  const shown = artifact === null ? diagnostics.filter(({ severity }) => severity === "error") : diagnostics;
  if (shown.length > 0) terminal.stderr.write(renderText(shown, wantsColor(terminal)));
  if (artifact === null) return EXIT.findings;
  const recorded = await recordedIn(terminal, given.traces, { artifact, tools });
  const tests = await testFiles(artifact, recorded?.tests ?? null);
  const files = withTests(packWith(recorded?.facts ?? null), tests);
  for (const [name, content] of files) target.write(name, content);
  const refused = recorded?.tests.refused() ?? null;
  if (refused !== null) terminal.stderr.write(`note: ${refused}: contracts replay shows them\n`);
  const excluded = tools.reduce((sum, tool) => sum + tool.unjudged.length, 0);
  if (excluded > 0) {
    terminal.stderr.write(
      `note: ${counted(excluded, "pattern")} of the definitions cannot be judged: see \`schema_derived_exclude\` of the contracts\n`,
    );
  }
  terminal.stdout.write(
    `${given.folder}: contracts of ${counted(tools.length, "tool")}; every guess is marked \`# review\`\n` +
      `next: contracts test ${given.folder}\n`,
  );
  // The compiler has said which tools have no contract, and why.
  return tools.length < offered.length ? EXIT.findings : EXIT.clean;
}
