import { authHeaders, type Credential } from "./doctor-auth.js";
import { checked, type DoctorCheck, type DoctorCheckId, type DoctorFinding, PASSED, skipped } from "./doctor-check.js";
import type { CheckedDoctorOptions } from "./doctor-options.js";
import { describeReply, doctorPost, isRefusal, isSuccess, type Reply, statusOf } from "./doctor-post.js";

/** The checks with requests that run no agent. */
export interface InboundReport {
  readonly checks: readonly DoctorCheck[];
  /** Why a dispatch makes no sense; null if it does. */
  readonly obstacle: string | null;
}

/** One request and the judgement of its reply. */
interface Trial {
  readonly id: DoctorCheckId;
  readonly credential: Credential;
  readonly body: object;
  readonly judge: (reply: Reply, options: CheckedDoctorOptions) => DoctorFinding;
}

const PING = { ping: true };
/** A ping needs no work. */
const LONGEST_MS = 10_000;
const AUTH_FIRST = "compare the whole auth header with the expected value before anything else of a request is read";

function judgeUnauthorised(reply: Reply, { token }: CheckedDoctorOptions): DoctorFinding {
  const found = describeReply(reply);
  if (statusOf(reply) === 401) return PASSED;
  if (statusOf(reply) === 403) return { status: "warn", found, help: "answer 401, the documented refusal" };
  if (token === null) {
    const help = "set a token in the endpoint, and give it to this check: anyone who reaches the endpoint can dispatch";
    return { status: "warn", found, help };
  }
  return { status: "fail", found, help: AUTH_FIRST };
}

/** Without a token, a body that is not refused is not judged here. */
function judgeUnauthorisedBody(reply: Reply, options: CheckedDoctorOptions): DoctorFinding {
  return options.token === null && !isRefusal(reply)
    ? skipped("no token was given")
    : judgeUnauthorised(reply, options);
}

function judgePing(reply: Reply, { token, authHeader, scheme }: CheckedDoctorOptions): DoctorFinding {
  const found = describeReply(reply);
  if (isSuccess(reply)) return PASSED;
  if (!isRefusal(reply)) {
    const help = 'answer the body {"ping": true} with 200 after auth and before the envelope is read';
    return { status: "fail", found, help };
  }
  const value = scheme === "" ? "<token>" : `${scheme} <token>`;
  const help = token === null ? "give the token that it expects" : `let it expect \`${authHeader}: ${value}\``;
  return { status: "fail", found, help: `${help}, the same as in its registration` };
}

function judgeExtraKey(reply: Reply): DoctorFinding {
  const found = describeReply(reply);
  if (isSuccess(reply)) return { status: "fail", found, help: 'take nothing but exactly {"ping": true} for a ping' };
  if (statusOf(reply) !== null) return PASSED;
  return { status: "fail", found, help: "answer every body, even one that is not a dispatch" };
}

function judgeEmptyEnvelope(reply: Reply): DoctorFinding {
  const status = statusOf(reply);
  const found = describeReply(reply);
  const help = "answer 400, with JSON that names what is missing, where the proxy URL or the run token is not there";
  if (status === null || status < 400 || status >= 500) return { status: "fail", found, help };
  if (status !== 400) return { status: "warn", found, help };
  const isJson = reply.kind === "answer" && reply.body !== undefined;
  return isJson ? PASSED : { status: "warn", found: `${found}, and not with JSON`, help };
}

const UNAUTHORISED: readonly Trial[] = [
  { id: "body_without_auth", credential: "none", body: {}, judge: judgeUnauthorisedBody },
  { id: "ping_wrong_token", credential: "wrong", body: PING, judge: judgeUnauthorised },
  { id: "ping_bare_token", credential: "bare", body: PING, judge: judgeUnauthorised },
];

const AUTHORISED: readonly Trial[] = [
  { id: "ping_extra_key", credential: "right", body: { ...PING, check: true }, judge: judgeExtraKey },
  { id: "empty_envelope", credential: "right", body: {}, judge: judgeEmptyEnvelope },
];

/** Why a request makes no sense; null if it does. */
function needless({ credential }: Trial, { token, scheme }: CheckedDoctorOptions): string | null {
  if (token === null && (credential === "wrong" || credential === "bare")) return "no token was given";
  return credential === "bare" && scheme === "" ? "the token has no scheme" : null;
}

function send(options: CheckedDoctorOptions, credential: Credential, body: object): Promise<Reply> {
  const timeoutMs = Math.min(options.timeoutMs, LONGEST_MS);
  return doctorPost(options.url, { headers: authHeaders(options, credential), body, timeoutMs });
}

async function tryAll(trials: readonly Trial[], options: CheckedDoctorOptions): Promise<readonly DoctorCheck[]> {
  const checks: DoctorCheck[] = [];
  // One after the other, so that the log of the endpoint has the order of the report.
  for (const one of trials) {
    const reason = needless(one, options);
    const finding =
      reason === null ? one.judge(await send(options, one.credential, one.body), options) : skipped(reason);
    checks.push(checked(one.id, finding));
  }
  return checks;
}

function skipAll(ids: readonly DoctorCheckId[], reason: string): readonly DoctorCheck[] {
  return ids.map((id) => checked(id, skipped(reason)));
}

const idOf = ({ id }: Trial) => id;

/** Checks auth, ping and envelope, in that order, with requests for which a correct endpoint runs no agent. */
export async function examineInbound(options: CheckedDoctorOptions): Promise<InboundReport> {
  const first = await send(options, "none", PING);
  if (statusOf(first) === null) {
    const help = "start the endpoint, and give the address that it listens on";
    const unreachable = checked("reachable", { status: "fail", found: describeReply(first), help });
    const obstacle = "the endpoint does not answer";
    const rest = skipAll(["ping_without_auth", ...UNAUTHORISED.map(idOf), "ping", ...AUTHORISED.map(idOf)], obstacle);
    return { checks: [unreachable, ...rest], obstacle };
  }
  const basics = [checked("reachable", PASSED), checked("ping_without_auth", judgeUnauthorised(first, options))];
  const unauthorised = await tryAll(UNAUTHORISED, options);
  const ping = await send(options, "right", PING);
  const checks = [...basics, ...unauthorised, checked("ping", judgePing(ping, options))];
  if (!isRefusal(ping)) return { checks: [...checks, ...(await tryAll(AUTHORISED, options))], obstacle: null };
  const obstacle = "the endpoint refuses the token";
  return { checks: [...checks, ...skipAll(AUTHORISED.map(idOf), obstacle)], obstacle };
}
