/** Answers of the proxy that the tool, or the transport to it, failed. */
export type FailedSource = "error" | "transport_error";

/** What is known of a proxied call that failed. */
export interface ProxyErrorFacts {
  /** The HTTP status, if the proxy refused the call or its reply could not be used. */
  readonly status?: number;
  /** A code of the proxy, of the network, or one of ours (`ERR_…`). */
  readonly code?: string;
  readonly source?: FailedSource;
  /** Which attempt this was, from 1. */
  readonly attempt: number;
  /** False only if surely nothing reached the tool. */
  readonly sent: boolean;
  /** True if the tool itself answered that it did not act. */
  readonly answered?: boolean;
  /** The text of the `Retry-After` header. */
  readonly retryAfter?: string;
}

/** A proxied call without a response. It holds neither the run token, nor arguments, nor texts of the proxy. */
export class ProxyError extends Error implements ProxyErrorFacts {
  declare readonly status?: number;
  declare readonly code?: string;
  declare readonly source?: FailedSource;
  declare readonly attempt: number;
  declare readonly sent: boolean;
  declare readonly answered?: boolean;
  declare readonly retryAfter?: string;

  constructor(message: string, facts: ProxyErrorFacts, options?: ErrorOptions) {
    super(message, options);
    this.name = "ProxyError";
    Object.assign(this, facts);
  }
}

/** Which call of which tool an error is about. */
export interface Attempt {
  readonly tool: string;
  readonly number: number;
}

/** An error of one attempt; `sent` unless the facts say otherwise. */
export function attemptError(
  { tool, number }: Attempt,
  what: string,
  facts: Partial<ProxyErrorFacts>,
  options?: ErrorOptions,
): ProxyError {
  return new ProxyError(`call of \`${tool}\`: ${what}`, { attempt: number, sent: true, ...facts }, options);
}
