import { createHash, timingSafeEqual } from "node:crypto";

/** How the platform authenticates; "none" accepts every request that reaches the endpoint, and must be explicit. */
export type InboundAuth = { readonly token: string | undefined; readonly scheme?: string } | "none";

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Whether a header value is the expected one, in constant time. */
function matches(value: string, expected: Buffer): boolean {
  return timingSafeEqual(digest(value), expected);
}

/**
 * A test of requests: the whole value of the header is compared with `<scheme> <token>`, or with the token alone if the scheme is
 * empty. A missing token is rejected at once: it would refuse the platform, or accept everybody.
 */
export function inboundAuth(auth: InboundAuth, headerName: string): (headers: Headers) => boolean {
  if (auth === "none") return () => true;
  if (typeof auth !== "object" || auth === null) {
    throw new TypeError('`auth` is `{ token, scheme? }`, or "none" for no inbound auth');
  }
  const { token, scheme = "Bearer" } = auth;
  if (typeof token !== "string" || token.trim() === "") {
    throw new TypeError('`auth.token` is missing or blank; `auth: "none"` runs without inbound auth');
  }
  // HTTP trims the value of a header and allows only these characters: any other token would never match.
  if (token !== token.trim() || !/^[\t -~\u0080-\u00ff]*$/.test(token)) {
    throw new TypeError(
      "`auth.token` has white space, a line break or another character where a header cannot carry it",
    );
  }
  if (typeof scheme !== "string" || !/^[!-~]*$/.test(scheme))
    throw new TypeError("`auth.scheme` must be one word, or empty");
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(headerName))
    throw new TypeError("`authHeader` must be the name of a header");
  const expected = digest(scheme === "" ? token : `${scheme} ${token}`);
  return (headers) => matches(headers.get(headerName) ?? "", expected);
}
