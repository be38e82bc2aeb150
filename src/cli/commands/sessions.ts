import { resolve } from "node:path";
import { clean, jsonText } from "../../base/clean.js";
import type { SettleResult } from "../../guard/public.js";
import { type OperatedSession, operate } from "../../sessions/operated-session.js";
import { acknowledgeResult, killSession, labelSession, settleCall } from "../../sessions/operations.js";
import { listedSessions, type SessionFilter, sessionView, unsettledIn } from "../../sessions/session-view.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import { sessionsText, sessionText, unsettledText } from "../operating/session-text.js";
import { type Signed, signature } from "../operating/signed.js";
import { listed, withStore } from "../operating/with-store.js";
import type { StoreFormat } from "../output-formats.js";
import { readNamedFile } from "../read-named-file.js";
import type { Terminal } from "../terminal.js";

/** What every one of these commands is given. */
interface Given {
  readonly url: string;
  readonly format: StoreFormat;
}

/** A change of one session, with who and why. */
interface Change extends Given, Signed {
  readonly session: string;
}

/** What somebody found out about a call. */
interface CallChange extends Change {
  readonly callId: string;
  readonly as: "happened" | "did_not_happen";
}

/** The sessions of a store. */
export async function sessionsListCommand(terminal: Terminal, given: Given & SessionFilter): Promise<ExitCode> {
  const { url, format, status, limit } = given;
  const { list: sessions, code } = await listed(terminal, url, (access, skipped) =>
    listedSessions(access, { status, limit }, skipped),
  );
  terminal.stdout.write(format === "json" ? `${jsonText({ sessions })}\n` : sessionsText(sessions));
  return code;
}

/** One session. */
export async function sessionsShowCommand(
  terminal: Terminal,
  { url, format, session }: Given & { readonly session: string },
): Promise<ExitCode> {
  const view = await withStore(terminal, url, (access) => sessionView(access, session));
  terminal.stdout.write(format === "json" ? `${jsonText(view)}\n` : sessionText(view));
  return EXIT.clean;
}

/** The calls that were reserved and not settled. */
export async function sessionsUnsettledCommand(
  terminal: Terminal,
  { url, format, session }: Given & { readonly session: string | null },
): Promise<ExitCode> {
  const { list, code } = await listed(terminal, url, (access, skipped) => unsettledIn(access, session, skipped));
  // The key is for resolvers.
  const calls = list.map(({ key, ...call }) => call);
  terminal.stdout.write(format === "json" ? `${jsonText({ calls })}\n` : unsettledText(list));
  return code;
}

function outputIn(file: string | null, cwd: string): { readonly output?: unknown } {
  if (file === null) return {};
  try {
    return { output: JSON.parse(readNamedFile(resolve(cwd, file), file)) };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new UsageError(`\`${file}\` holds no JSON`);
  }
}

function changed<T>(terminal: Terminal, { url, session }: Change, work: (session: OperatedSession) => Promise<T>) {
  return withStore(terminal, url, (access) => operate(access, session, work));
}

function settled({ stdout }: Terminal, { format, callId, as }: CallChange, result: SettleResult): ExitCode {
  const { accepted, reason } = result;
  const shown = reason === undefined ? { accepted } : { accepted, reason };
  const text = accepted
    ? `${callId} is recorded as ${as}${reason === undefined ? "" : `; its output was rejected: ${reason}`}`
    : `refused: ${reason}`;
  stdout.write(format === "json" ? `${jsonText(shown)}\n` : `${clean(text)}\n`);
  return accepted ? EXIT.clean : EXIT.findings;
}

/** Settles a call. */
export async function sessionsSettleCommand(
  terminal: Terminal,
  given: CallChange & { readonly output: string | null },
): Promise<ExitCode> {
  const operator = signature(given);
  const { callId, as } = given;
  if (as === "did_not_happen" && given.output !== null) {
    throw new UsageError("a call that did not happen has no output: leave out --output, or use --as happened");
  }
  const finding = { as, ...outputIn(given.output, terminal.cwd) };
  const result = await changed(terminal, given, (session) => settleCall(session, callId, finding, operator));
  return settled(terminal, given, result);
}

/** Records whether a call happened whose result came late. */
export async function sessionsAcknowledgeCommand(terminal: Terminal, given: CallChange): Promise<ExitCode> {
  const found = { ...signature(given), happened: given.as === "happened" };
  return settled(
    terminal,
    given,
    await changed(terminal, given, (session) => acknowledgeResult(session, given.callId, found)),
  );
}

function done({ stdout }: Terminal, format: StoreFormat, text: string): ExitCode {
  stdout.write(format === "json" ? `${jsonText({ ok: true })}\n` : `${clean(text)}\n`);
  return EXIT.clean;
}

/** Ends a session. */
export async function sessionsKillCommand(terminal: Terminal, given: Change): Promise<ExitCode> {
  const operator = signature(given);
  await changed(terminal, given, (session) => killSession(session, operator));
  return done(terminal, given.format, `${given.session} is killed`);
}

/** Adds a label to a session. */
export async function sessionsLabelCommand(
  terminal: Terminal,
  given: Change & { readonly label: string },
): Promise<ExitCode> {
  const operator = signature(given);
  const { label } = given;
  if (label === "") throw new UsageError("a label is a text that is not empty");
  await changed(terminal, given, (session) => labelSession(session, label, operator));
  return done(terminal, given.format, `${given.session} has the label ${label}`);
}
