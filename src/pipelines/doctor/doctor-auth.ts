import { randomBytes } from "node:crypto";
import { unreachable } from "../../base/invariant.js";
import type { CheckedDoctorOptions } from "./doctor-options.js";

/** The credential of a request. */
export type Credential = "none" | "wrong" | "bare" | "right";

type Auth = Pick<CheckedDoctorOptions, "token" | "authHeader" | "scheme">;

function withScheme(scheme: string, token: string): string {
  return scheme === "" ? token : `${scheme} ${token}`;
}

/** The header with a credential; none if there is no credential. */
export function authHeaders(
  { token, authHeader, scheme }: Auth,
  credential: Credential,
): Readonly<Record<string, string>> {
  if (token === null) return {};
  switch (credential) {
    case "none":
      return {};
    case "wrong":
      return { [authHeader]: withScheme(scheme, `wrong-${randomBytes(16).toString("hex")}`) };
    case "bare":
      return { [authHeader]: token };
    case "right":
      return { [authHeader]: withScheme(scheme, token) };
    default:
      return unreachable(credential);
  }
}
