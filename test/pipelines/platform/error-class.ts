/** The platform's names for a run that failed on the agent's side. */
export type ErrorClass =
  | "auth_failed"
  | "agent_timeout"
  | "agent_5xx"
  | "agent_4xx"
  | "agent_bad_response"
  | "agent_unreachable"
  | "response_contract_violation";

/** The class of a status, or null for a success; a redirect is none, and the documents do not name it. */
export function errorClassOf(status: number): ErrorClass | null {
  if (status >= 200 && status < 300) return null;
  if (status === 401 || status === 403) return "auth_failed";
  if (status === 408 || status === 504) return "agent_timeout";
  if (status >= 500) return "agent_5xx";
  return status >= 400 ? "agent_4xx" : "agent_bad_response";
}
