import { authHeaders, type Credential } from "./doctor-auth.js";
import { checked, type DoctorCheck, type DoctorCheckId, type DoctorFinding, PASSED, skipped } from "./doctor-check.js";
import type { CheckedDoctorOptions } from "./doctor-options.js";
import { describeReply, doctorPost, isRefusal, isSuccess, type Reply, statusOf } from "./doctor-post.js";

/** What the endpoint made of requests that run no agent. */
export interface InboundReport {
  readonly checks: readonly DoctorCheck[];
  /** Why a dispatch makes no sense; null where it does. */
  readonly obstacle: string | null;
}

interface Knock {
  readonly id: DoctorCheckId;
  readonly credential: Credential;
  readonly body: object;
  readonly judge: (reply: Reply, options: CheckedDoctorOptions) => DoctorFinding;
}

const PING = { ping: true };
/** A ping asks for no work. */
const LONGEST_MS = 10_000;
const AUTH_FIRST = "compare the whole auth header with the expected value before anything else of a request is read";

function judgeStranger(reply: Reply, { token }: CheckedDoctorOptions): DoctorFinding {
  const found = describeReply(reply);
  if (statusOf(reply) === 401) return PASSED;
  if (statusOf(reply) === 403) return { status: "warn", found, help: "answer 401, the documented refusal" };
  if (token === null) {
    const help = "set a token in the endpoint, and give it to this check: whoever reaches the endpoint can dispatch";
    return { status: "warn", found, help };
  }
  return { status: "fail", found, help: AUTH_FIRST };
}

/** Without a token to ask for, a body is judged by what it holds. */
function judgeStrangersBody(reply: Reply, options: CheckedDoctorOptions): DoctorFinding {
  return options.token === null && !isRefusal(reply) ? skipped("no token was given") : judgeStranger(reply, options);
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
  return { status: "fail", found, help: "answer every body, also one that is no dispatch" };
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

const STRANGERS: readonly Knock[] = [
  { id: "body_without_auth", credential: "none", body: {}, judge: judgeStrangersBody },
  { id: "ping_wrong_token", credential: "wrong", body: PING, judge: judgeStranger },
  { id: "ping_bare_token", credential: "bare", body: PING, judge: judgeStranger },
];

const FRIENDS: readonly Knock[] = [
  { id: "ping_extra_key", credential: "right", body: { ...PING, check: true }, judge: judgeExtraKey },
  { id: "empty_envelope", credential: "right", body: {}, judge: judgeEmptyEnvelope },
];

/** Why a request would tell nothing; null where it does. */
function needless({ credential }: Knock, { token, scheme }: CheckedDoctorOptions): string | null {
  if (token === null && (credential === "wrong" || credential === "bare")) return "no token was given";
  return credential === "bare" && scheme === "" ? "the token has no scheme" : null;
}

function knock(options: CheckedDoctorOptions, credential: Credential, body: object): Promise<Reply> {
  const timeoutMs = Math.min(options.timeoutMs, LONGEST_MS);
  return doctorPost(options.url, { headers: authHeaders(options, credential), body, timeoutMs });
}

async function knockAll(knocks: readonly Knock[], options: CheckedDoctorOptions): Promise<readonly DoctorCheck[]> {
  const checks: DoctorCheck[] = [];
  // One after the other: an endpoint under development should see them in the order of the report.
  for (const one of knocks) {
    const reason = needless(one, options);
    const finding =
      reason === null ? one.judge(await knock(options, one.credential, one.body), options) : skipped(reason);
    checks.push(checked(one.id, finding));
  }
  return checks;
}

function skipAll(ids: readonly DoctorCheckId[], reason: string): readonly DoctorCheck[] {
  return ids.map((id) => checked(id, skipped(reason)));
}

const idOf = ({ id }: Knock) => id;

/** Checks auth, ping and envelope, in that order, with requests that no sound endpoint runs an agent for. */
export async function examineInbound(options: CheckedDoctorOptions): Promise<InboundReport> {
  const first = await knock(options, "none", PING);
  if (statusOf(first) === null) {
    const help = "start the endpoint, and give the address that it listens on";
    const unreachable = checked("reachable", { status: "fail", found: describeReply(first), help });
    const obstacle = "the endpoint does not answer";
    const rest = skipAll(["ping_without_auth", ...STRANGERS.map(idOf), "ping", ...FRIENDS.map(idOf)], obstacle);
    return { checks: [unreachable, ...rest], obstacle };
  }
  const door = [checked("reachable", PASSED), checked("ping_without_auth", judgeStranger(first, options))];
  const strangers = await knockAll(STRANGERS, options);
  const ping = await knock(options, "right", PING);
  const checks = [...door, ...strangers, checked("ping", judgePing(ping, options))];
  if (!isRefusal(ping)) return { checks: [...checks, ...(await knockAll(FRIENDS, options))], obstacle: null };
  const obstacle = "the endpoint refuses the token";
  return { checks: [...checks, ...skipAll(FRIENDS.map(idOf), obstacle)], obstacle };
}
