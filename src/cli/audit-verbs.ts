import { type Command, Option } from "commander";
import { UsageError } from "./exit-code.js";
import { STORE_FORMATS, type StoreFormat } from "./output-formats.js";
import type { Ask } from "./run.js";
import type { Terminal } from "./terminal.js";

const load = () => import("./commands/audit.js");

const STORE = "sqlite:./guard.db or postgres://user@host:5432/database";

function withFormat(command: Command, description = "how it is printed"): Command {
  return command.addOption(new Option("--format <format>", description).choices(STORE_FORMATS).default("text"));
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

interface VerifyFlags {
  readonly checkpoints?: string;
  readonly publicKey?: string;
  readonly format: StoreFormat;
}

function checkpointsIn({ checkpoints, publicKey }: VerifyFlags) {
  if (checkpoints === undefined && publicKey === undefined) return null;
  if (checkpoints !== undefined && publicKey !== undefined) return { file: checkpoints, publicKey };
  throw new UsageError("give both --checkpoints and --public-key, or neither");
}

interface ExportFlags {
  readonly session?: string | null;
  readonly out?: string | null;
  readonly format: StoreFormat;
}

function addExport(audit: Command, terminal: Terminal, ask: Ask): void {
  withFormat(audit.command("export"), "what is printed of a file that was written; lines are JSON in both")
    .description("write the records of a store as lines of JSON")
    .argument("<store>", STORE)
    .option("--session <id>", "only the records of this session")
    .option("-o, --out <file>", "where they are written (default: standard output)")
    .action((url: string, { session = null, out = null, format }: ExportFlags) =>
      ask(async () => (await load()).auditExportCommand(terminal, { url, session, out, format })),
    );
}

interface SignFlags {
  readonly key: string;
  readonly out?: string | null;
  readonly format: StoreFormat;
}

function addChecks(audit: Command, terminal: Terminal, ask: Ask): void {
  withFormat(audit.command("verify").description("check that no record was changed, moved, added or lost"))
    .argument("<source>", `the file of an export, or a store: ${STORE}`)
    .option("--checkpoints <file>", "compare with the signed checkpoints in this file")
    .option("--public-key <file>", "the Ed25519 key (PEM) to check their signatures with")
    .action((source: string, flags: VerifyFlags) =>
      ask(async () => {
        const checkpoints = checkpointsIn(flags);
        return (await load()).auditVerifyCommand(terminal, { source, checkpoints, format: flags.format });
      }),
    );
  withFormat(audit.command("sign"), "what is printed of a file that was written, or of a log that is not signed")
    .description("sign where each session ends now; keep the checkpoints where nobody can change them with the store")
    .argument("<source>", `the file of an export, or a store: ${STORE}`)
    .requiredOption("--key <file>", "the private Ed25519 key (PEM)")
    .option("-o, --out <file>", "the file that the checkpoints are added to (default: standard output)")
    .action((source: string, { key, out = null, format }: SignFlags) =>
      ask(async () => (await load()).auditSignCommand(terminal, { source, key, out, format })),
    );
}

interface ReplayFlags {
  readonly artifact: string;
  readonly principal: readonly string[];
  readonly session?: string;
  readonly format: StoreFormat;
}

/** The verbs for the audit log. */
export function addAuditVerbs(root: Command, terminal: Terminal, ask: Ask): void {
  const audit = root.command("audit").description("export, verify, sign and replay what guards have recorded");
  addExport(audit, terminal, ask);
  addChecks(audit, terminal, ask);
  withFormat(audit.command("replay").description("decide every recorded verdict again, and report those that differ"))
    .argument("<store>", STORE)
    .requiredOption("--artifact <file>", "the artifact, or the folder of its pack")
    .option("--principal <file>", "a principal (JSON) that verdicts were recorded for; may be repeated", collect, [])
    .option("--session <id>", "only this session")
    .action((url: string, { artifact, principal: principals, session, format }: ReplayFlags) =>
      ask(async () =>
        (await load()).auditReplayCommand(terminal, { url, artifact, principals, session: session ?? null, format }),
      ),
    );
}
