import { type Command, Option } from "commander";
import { boundOptions } from "./bound-options.js";
import { rejectIdleDiffOptions, rejectIdleGraphOptions } from "./idle-options.js";
import { DIFF_FORMATS, type DiffFormat, GRAPH_FORMATS, type GraphFormat } from "./output-formats.js";
import { rootOf, rootOption } from "./root-option.js";
import type { Ask } from "./run.js";
import type { Terminal } from "./terminal.js";

interface GraphFlags {
  readonly format: GraphFormat;
  readonly out?: string;
  readonly diff?: string;
  readonly traces?: string;
  readonly verify: boolean;
  readonly root?: string;
  readonly depth: number;
  readonly states: number;
}

interface DiffFlags {
  readonly format: DiffFormat;
  readonly failOn?: "loosened";
  readonly root?: string;
  readonly search: boolean;
  readonly depth: number;
  readonly states: number;
}

/** The verbs that show packs to people. */
export function addReviewVerbs(root: Command, terminal: Terminal, ask: Ask): void {
  rootOption(
    boundOptions(
      root.command("graph").description("draw a pack: its phases and tools, or all of it as a page to read"),
    ),
  )
    .argument("<pack>", "the folder that holds the contracts, or an artifact")
    .addOption(new Option("--format <format>", "what is drawn").choices(GRAPH_FORMATS).default("mermaid"))
    .option("-o, --out <file>", "where it is written (default: standard output)")
    .option("--diff <old>", "html: an earlier pack or artifact; what changed is highlighted")
    .option("--traces <file>", "html: recorded events of a guard; what was exercised is shown")
    .option("--no-verify", "html: do not explore the pack by itself; --diff still compares")
    .action((source: string, flags: GraphFlags, command: Command) => {
      rejectIdleGraphOptions(command, flags);
      const { format, out = null, diff = null, traces = null, verify: explores, depth, states } = flags;
      const bounds = { depth, states };
      const given = { source, format, out, diff, traces, explores, bounds, ...rootOf(flags.root) };
      ask(async () => (await import("./commands/graph.js")).graphCommand(terminal, given));
    });
  rootOption(boundOptions(root.command("diff").description("show what a change of a pack means")))
    .argument("<old>", "the folder of the earlier pack, or its artifact")
    .argument("<new>", "the folder of the later pack, or its artifact")
    .addOption(new Option("--format <format>", "how it is printed").choices(DIFF_FORMATS).default("text"))
    .addOption(new Option("--fail-on <change>", "fail on such a change").choices(["loosened"]))
    .option("--no-search", "only compare the rules, without searching for calls that are judged differently")
    .action((before: string, after: string, flags: DiffFlags, command: Command) => {
      rejectIdleDiffOptions(command, flags);
      const { format, failOn, search, root: within, depth, states } = flags;
      const given = {
        before,
        after,
        format,
        failsOnLoosened: failOn === "loosened",
        bounds: search ? { depth, states } : null,
        ...rootOf(within),
      };
      ask(async () => (await import("./commands/diff.js")).diffCommand(terminal, given));
    });
}
