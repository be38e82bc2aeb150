/** The address of the proxy of one run, and its secret token. */
export interface ProxyEndpoint {
  readonly proxyUrl: string;
  readonly runToken: string;
}

/** The endpoint, checked, in the form requests need. */
export interface CheckedEndpoint {
  /** Without a slash at its end. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
}

function baseOf(proxyUrl: unknown): string {
  const url = typeof proxyUrl === "string" && URL.canParse(proxyUrl) ? new URL(proxyUrl) : null;
  if (url === null || typeof proxyUrl !== "string" || !/^https?:$/.test(url.protocol)) {
    throw new TypeError("`proxyUrl` must be an absolute http or https URL");
  }
  if (url.username !== "" || url.password !== "")
    throw new TypeError("`proxyUrl` must not hold a user name or password");
  // A path appended to a query would not be part of the path.
  if (/[?#]/.test(proxyUrl)) throw new TypeError("`proxyUrl` must not have a query or a fragment");
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** Checks the address and the token; errors name the option and never the token. */
export function checkEndpoint({ proxyUrl, runToken }: ProxyEndpoint): CheckedEndpoint {
  const base = baseOf(proxyUrl);
  if (typeof runToken !== "string" || !/^[!-~]+$/.test(runToken)) {
    throw new TypeError("`runToken` must be a string of visible ASCII characters without spaces");
  }
  return { base, headers: { authorization: `Bearer ${runToken}`, "content-type": "application/json" } };
}
