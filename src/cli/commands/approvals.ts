import { clean, jsonText } from "../../base/clean.js";
import { openApprovals, waitingApprovals } from "../../sessions/approvals.js";
import type { StoredAnswer } from "../../sessions/operations.js";
import { EXIT, type ExitCode } from "../exit-code.js";
import { approvalsText, approvalText } from "../operating/approval-text.js";
import { type Signed, signature } from "../operating/signed.js";
import { listed, withStore } from "../operating/with-store.js";
import type { StoreFormat } from "../output-formats.js";
import type { Terminal } from "../terminal.js";

/** What every one of these commands is given. */
interface Given {
  readonly url: string;
  readonly format: StoreFormat;
}

/** The requests for approvals that wait for an answer. */
export async function approvalsListCommand(terminal: Terminal, { url, format }: Given): Promise<ExitCode> {
  const { list: approvals, code } = await listed(terminal, url, waitingApprovals);
  terminal.stdout.write(format === "json" ? `${jsonText({ approvals })}\n` : approvalsText(approvals));
  return code;
}

/** One of them, with what is stored of its arguments. */
export async function approvalsShowCommand(
  terminal: Terminal,
  { url, format, approvalId }: Given & { readonly approvalId: string },
): Promise<ExitCode> {
  const shown = await withStore(terminal, url, ({ store }) =>
    openApprovals(store, { env: terminal.env }).show(approvalId),
  );
  terminal.stdout.write(format === "json" ? `${jsonText(shown)}\n` : approvalText(shown));
  return EXIT.clean;
}

/** A denial ends the request, whatever approvals it had: how many is not said. */
function answerText(approvalId: string, answer: "approve" | "deny", result: StoredAnswer): string {
  if (result.kind === "refused") return `refused: ${result.reason}`;
  const { approvals, needed } = result;
  return `recorded for ${approvalId}: ${answer === "deny" ? "denied" : `${approvals} of ${needed} approvals`}`;
}

/** Answers one of them. */
export async function approvalsAnswerCommand(
  terminal: Terminal,
  given: Given & Signed & { readonly approvalId: string; readonly answer: "approve" | "deny" },
): Promise<ExitCode> {
  const { url, format, approvalId, answer } = given;
  const operator = signature(given);
  const result = await withStore(terminal, url, ({ store }) =>
    openApprovals(store, { env: terminal.env })[answer](approvalId, operator),
  );
  const shown = result.kind === "refused" ? result : { kind: result.kind };
  terminal.stdout.write(
    format === "json" ? `${jsonText(shown)}\n` : `${clean(answerText(approvalId, answer, result))}\n`,
  );
  return result.kind === "recorded" ? EXIT.clean : EXIT.findings;
}
