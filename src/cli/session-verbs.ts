import { type Command, InvalidArgumentError, Option } from "commander";
import { STORE_FORMATS, type StoreFormat } from "./output-formats.js";
import type { Ask } from "./run.js";
import type { Terminal } from "./terminal.js";

interface Formatted {
  readonly format: StoreFormat;
}

interface Signed extends Formatted {
  readonly by: string;
  readonly why: string;
}

type Found = Signed & { readonly as: "happened" | "did_not_happen" };

/** A command on a store. */
function onStore(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .argument("<store>", "sqlite:./guard.db or postgres://user@host:5432/database")
    .addOption(new Option("--format <format>", "how it is printed").choices(STORE_FORMATS).default("text"));
}

/** Whoever changes something says who and why, which is recorded. */
function signed(command: Command): Command {
  return command.requiredOption("--by <name>", "who does it").requiredOption("--why <text>", "why; both are recorded");
}

function finding(command: Command): Command {
  const outcomes = new Option("--as <outcome>", "what became of the call").choices(["happened", "did_not_happen"]);
  return signed(command).addOption(outcomes.makeOptionMandatory());
}

function whole(text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 on.");
}

const commands = () => import("./commands/sessions.js");

function addViews(sessions: Command, terminal: Terminal, ask: Ask): void {
  onStore(sessions, "list", "list the sessions of a store")
    .addOption(new Option("--status <status>", "only such sessions").choices(["active", "killed"]))
    .option("--limit <number>", "at most so many", whole, 100)
    .action((url: string, flags: Formatted & { readonly status?: "active" | "killed"; readonly limit: number }) =>
      ask(async () =>
        (await commands()).sessionsListCommand(terminal, { url, ...flags, status: flags.status ?? null }),
      ),
    );
  onStore(sessions, "show", "show a session and its last records")
    .argument("<session>", "the id of the session")
    .action((url: string, session: string, { format }: Formatted) =>
      ask(async () => (await commands()).sessionsShowCommand(terminal, { url, session, format })),
    );
  onStore(sessions, "unsettled", "list the calls that may have happened")
    .option("--session <id>", "only those of this session")
    .action((url: string, { format, session }: Formatted & { readonly session?: string }) =>
      ask(async () => (await commands()).sessionsUnsettledCommand(terminal, { url, format, session: session ?? null })),
    );
}

function addChanges(sessions: Command, terminal: Terminal, ask: Ask): void {
  finding(onStore(sessions, "settle", "record what became of an unsettled call"))
    .argument("<session>", "the id of the session")
    .argument("<callId>", "the id of the call")
    .option("--output <file>", "a JSON file with what the tool answered")
    .action((url: string, session: string, callId: string, flags: Found & { readonly output?: string }) => {
      const given = { url, session, callId, ...flags, output: flags.output ?? null };
      ask(async () => (await commands()).sessionsSettleCommand(terminal, given));
    });
  finding(onStore(sessions, "acknowledge", "record what became of a call whose result came late"))
    .argument("<session>", "the id of the session")
    .argument("<callId>", "the id of the call")
    .action((url: string, session: string, callId: string, flags: Found) =>
      ask(async () => (await commands()).sessionsAcknowledgeCommand(terminal, { url, session, callId, ...flags })),
    );
  signed(onStore(sessions, "kill", "end a session permanently"))
    .argument("<session>", "the id of the session")
    .action((url: string, session: string, flags: Signed) =>
      ask(async () => (await commands()).sessionsKillCommand(terminal, { url, session, ...flags })),
    );
  signed(onStore(sessions, "label", "add a label to a session"))
    .argument("<session>", "the id of the session")
    .argument("<label>", "the label; labels are never removed")
    .action((url: string, session: string, label: string, flags: Signed) =>
      ask(async () => (await commands()).sessionsLabelCommand(terminal, { url, session, label, ...flags })),
    );
}

/** The verbs for sessions in a store. */
export function addSessionVerbs(root: Command, terminal: Terminal, ask: Ask): void {
  const sessions = root.command("sessions").description("look at sessions in a store, and settle, label or end them");
  addViews(sessions, terminal, ask);
  addChanges(sessions, terminal, ask);
}

type KillFlags = Signed & { readonly scope: "session" | "subtree" | "workflow"; readonly session?: string };

/** The verbs for workflows in a store. */
export function addWorkflowVerbs(root: Command, terminal: Terminal, ask: Ask): void {
  const workflows = root.command("workflows").description("look at workflows in a store, and end their sessions");
  const load = () => import("./commands/workflows.js");
  onStore(workflows, "list", "list the workflows of a store").action((url: string, { format }: Formatted) =>
    ask(async () => (await load()).workflowsListCommand(terminal, { url, format })),
  );
  onStore(workflows, "show", "show a workflow, its sessions and its last records")
    .argument("<workflow>", "the id of the workflow")
    .action((url: string, workflow: string, { format }: Formatted) =>
      ask(async () => (await load()).workflowsShowCommand(terminal, { url, workflow, format })),
    );
  const scopes = new Option("--scope <scope>", "what is ended").choices(["session", "subtree", "workflow"]);
  signed(onStore(workflows, "kill", "end sessions of a workflow permanently"))
    .argument("<workflow>", "the id of the workflow")
    .addOption(scopes.default("workflow"))
    .option("--session <id>", "the session, or the root of the subtree")
    .action((url: string, workflow: string, flags: KillFlags) =>
      ask(async () =>
        (await load()).workflowsKillCommand(terminal, { url, workflow, ...flags, session: flags.session ?? null }),
      ),
    );
}

/** The verbs for approvals in a store. */
export function addApprovalVerbs(root: Command, terminal: Terminal, ask: Ask): void {
  const approvals = root.command("approvals").description("look at requests for approvals in a store, and answer them");
  const load = () => import("./commands/approvals.js");
  onStore(approvals, "list", "list the requests that wait for an answer").action((url: string, { format }: Formatted) =>
    ask(async () => (await load()).approvalsListCommand(terminal, { url, format })),
  );
  onStore(approvals, "show", "show a request and the stored arguments of its call")
    .argument("<approvalId>", "the id of the request")
    .action((url: string, approvalId: string, { format }: Formatted) =>
      ask(async () => (await load()).approvalsShowCommand(terminal, { url, approvalId, format })),
    );
  for (const answer of ["approve", "deny"] as const) {
    signed(onStore(approvals, answer, answer === "approve" ? "approve a call" : "refuse a call"))
      .argument("<approvalId>", "the id of the request")
      .action((url: string, approvalId: string, flags: Signed) =>
        ask(async () => (await load()).approvalsAnswerCommand(terminal, { url, approvalId, answer, ...flags })),
      );
  }
}
