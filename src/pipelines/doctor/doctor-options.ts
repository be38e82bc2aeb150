/** The options of the doctor. */
export interface DoctorOptions {
  /** The address of the endpoint. */
  readonly url: string;
  /** The token that the endpoint expects; null if it expects none. */
  readonly token?: string | null;
  /** `Authorization` by default. */
  readonly authHeader?: string;
  /** The word before the token: `Bearer` by default, none if empty. */
  readonly scheme?: string;
  /** The tool definitions of the agent: a list, or an object that holds one as `tools` or `tools_schema`. */
  readonly tools?: unknown;
  /** The base address of a proxy to probe; without it only the endpoint is contacted. */
  readonly probeUrl?: string;
  /** Whether the agent is registered with the rich response contract. */
  readonly rich?: boolean;
  /** How long a dispatch may take; 300 s by default, at most 1800 s. */
  readonly timeoutMs?: number;
}

/** Options with their defaults. */
export interface CheckedDoctorOptions {
  readonly url: string;
  readonly token: string | null;
  readonly authHeader: string;
  readonly scheme: string;
  readonly tools: unknown;
  readonly probeUrl: string | null;
  readonly rich: boolean;
  readonly timeoutMs: number;
}

/** An invalid option; names it and what is expected, never the given value. */
export class DoctorOptionError extends TypeError {
  constructor(
    readonly option: keyof DoctorOptions,
    readonly expected: string,
  ) {
    super(`\`${option}\` ${expected}`);
  }
}

const DEFAULT_MS = 300_000;
const LONGEST_MS = 1_800_000;

function demandUrl(option: "url" | "probeUrl", text: string): string {
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new DoctorOptionError(option, "must be an absolute http or https URL");
  }
  if (url.username !== "" || url.password !== "")
    throw new DoctorOptionError(option, "must not hold a user name or password");
  if (option === "probeUrl" && /[?#]/.test(text))
    throw new DoctorOptionError(option, "must not have a query or a fragment");
  return text.trim();
}

/** Checks the options before anything is sent. */
export function checkDoctorOptions(options: DoctorOptions): CheckedDoctorOptions {
  const { url, token = null, authHeader = "Authorization", scheme = "Bearer" } = options;
  const { tools, probeUrl, rich = false, timeoutMs = DEFAULT_MS } = options;
  if (token !== null && !/^[!-~]+$/.test(token)) {
    throw new DoctorOptionError("token", "must be a string of visible ASCII characters without spaces");
  }
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(authHeader)) {
    throw new DoctorOptionError("authHeader", "must be the name of a header");
  }
  if (!/^[!-~]*$/.test(scheme)) throw new DoctorOptionError("scheme", "must be one word, or empty");
  if (!(timeoutMs > 0 && timeoutMs <= LONGEST_MS)) {
    throw new DoctorOptionError("timeoutMs", `must be above 0 and at most ${LONGEST_MS / 1000} seconds`);
  }
  return {
    url: demandUrl("url", url),
    token,
    authHeader,
    scheme,
    tools,
    probeUrl: probeUrl === undefined ? null : demandUrl("probeUrl", probeUrl).replace(/\/+$/, ""),
    rich,
    timeoutMs,
  };
}
