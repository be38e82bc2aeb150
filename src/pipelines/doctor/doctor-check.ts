/** The status of one check; `warn` and `skip` do not fail the report. */
export type DoctorCheckStatus = "ok" | "fail" | "warn" | "skip";

/** The status of a check, what was found and how to fix it. */
export interface DoctorFinding {
  readonly status: DoctorCheckStatus;
  readonly found?: string;
  readonly help?: string;
}

/** One line of the report; a check that finds several things has a line for each. */
export interface DoctorCheck extends DoctorFinding {
  readonly id: DoctorCheckId;
  /** The expected behaviour. */
  readonly what: string;
}

/** Every check, in the order of the report. */
export const CHECKS = {
  reachable: "the endpoint answers",
  ping_without_auth: "a ping without auth is refused with 401",
  body_without_auth: "a body without auth is refused before it is read",
  ping_wrong_token: "a ping with a wrong token is refused with 401",
  ping_bare_token: "a token without its scheme is refused with 401",
  ping: "a ping is answered with 2xx",
  ping_extra_key: "a ping with another key is not a ping",
  empty_envelope: "a body without envelope is refused with 400",
  dispatch: "a dispatch is answered with JSON in time",
  response: "the reply can be graded",
  tool_calls: "tools are called through the proxy",
  tools_schema: "the tools can be imported",
  proxy_probe: "the proxy of the platform can be reached",
} as const;

/** The name of a check; never renamed. */
export type DoctorCheckId = keyof typeof CHECKS;

/** A line of the report. */
export function checked(id: DoctorCheckId, finding: DoctorFinding): DoctorCheck {
  const { status, found, help } = finding;
  const what = CHECKS[id];
  return { id, status, what, ...(found === undefined ? {} : { found }), ...(help === undefined ? {} : { help }) };
}

export const PASSED: DoctorFinding = { status: "ok" };

/** A check that could not run. */
export function skipped(found: string, help?: string): DoctorFinding {
  return { status: "skip", found, ...(help === undefined ? {} : { help }) };
}
