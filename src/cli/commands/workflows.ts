import { clean, jsonText } from "../../base/clean.js";
import { killWorkflow, listedWorkflows, shownWorkflow } from "../../sessions/workflows.js";
import type { KillScope } from "../../workflow/state/workflow-event.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import { type Signed, signature } from "../operating/signed.js";
import { listed, withStore } from "../operating/with-store.js";
import { workflowsText, workflowText } from "../operating/workflow-text.js";
import type { StoreFormat } from "../output-formats.js";
import type { Terminal } from "../terminal.js";

/** What every one of these commands is given. */
interface Given {
  readonly url: string;
  readonly format: StoreFormat;
}

/** The workflows of a store. */
export async function workflowsListCommand(terminal: Terminal, { url, format }: Given): Promise<ExitCode> {
  const { list: workflows, code } = await listed(terminal, url, listedWorkflows);
  terminal.stdout.write(format === "json" ? `${jsonText({ workflows })}\n` : workflowsText(workflows));
  return code;
}

/** One workflow. */
export async function workflowsShowCommand(
  terminal: Terminal,
  { url, format, workflow }: Given & { readonly workflow: string },
): Promise<ExitCode> {
  const shown = await withStore(terminal, url, (access) => shownWorkflow(access, workflow));
  terminal.stdout.write(format === "json" ? `${jsonText(shown)}\n` : workflowText(shown));
  return EXIT.clean;
}

/** Ends sessions of a workflow. */
export async function workflowsKillCommand(
  terminal: Terminal,
  given: Given & Signed & { readonly workflow: string; readonly scope: KillScope; readonly session: string | null },
): Promise<ExitCode> {
  const { url, format, workflow, scope, session } = given;
  const operator = signature(given);
  if (scope === "workflow" && session !== null) {
    throw new UsageError("--session has no meaning with --scope workflow: use --scope session or --scope subtree");
  }
  if (scope !== "workflow" && session === null) throw new UsageError(`--scope ${scope} needs --session`);
  const result = await withStore(terminal, url, (access) =>
    killWorkflow(access, workflow, { scope, session, operator }),
  );
  const shown = result.kind === "killed" ? { ok: true } : { ok: false, reason: result.reason };
  const what = session === null ? workflow : session;
  const text = result.kind === "killed" ? `${what} is killed` : `refused: ${result.reason}`;
  terminal.stdout.write(format === "json" ? `${jsonText(shown)}\n` : `${clean(text)}\n`);
  return result.kind === "killed" ? EXIT.clean : EXIT.findings;
}
