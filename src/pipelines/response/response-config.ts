import { DecodeFailure, object, oneOf } from "../../base/decoder.js";

/** The only response contract of the platform: every reply has a transcript that a judge can grade. */
export interface ResponseContract {
  readonly response_mode: "rich";
  readonly strictness: "strict";
}

/** The value that turns the contract on in the config of an agent. */
export const RESPONSE_CONTRACT: ResponseContract = Object.freeze({ response_mode: "rich", strictness: "strict" });

/** The part of an agent's config that turns the contract on. */
export interface ResponseContractConfig {
  readonly response_contract?: ResponseContract;
}

/** The body of an update that turns the contract on or off. */
export interface ResponseContractUpdate {
  readonly config: { readonly response_contract: ResponseContract | null };
}

const decode = object({ response_mode: oneOf("rich"), strictness: oneOf("strict") });

/** Accepts only the known contract: a misspelt one would silently enforce nothing. */
export function demandResponseContract(contract: unknown): ResponseContract | null {
  if (contract === undefined || contract === null) return null;
  try {
    return decode(contract, "responseContract");
  } catch (cause) {
    if (!(cause instanceof DecodeFailure)) throw cause;
    const known = 'the response contract is { response_mode: "rich", strictness: "strict" } or null';
    throw new TypeError(`${known}; ${cause.message}`);
  }
}

/** The part of the config of a new agent; empty without a contract. */
export function responseContractConfig(contract: ResponseContract | null): ResponseContractConfig {
  const known = demandResponseContract(contract);
  return known === null ? {} : { response_contract: known };
}

/** The body of an update of an agent; null turns the contract off. */
export function responseContractUpdate(contract: ResponseContract | null): ResponseContractUpdate {
  return { config: { response_contract: demandResponseContract(contract) } };
}
