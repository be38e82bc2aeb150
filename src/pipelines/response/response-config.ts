import { DecodeFailure, object, oneOf } from "../../base/decoder.js";

/** The one response contract that the platform knows: every reply holds a transcript that a judge can grade. */
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

/** Lets nothing but the known contract through: a misspelt one would silently guard nothing. */
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

/** What goes into the config of a new agent: without a contract, nothing. */
export function responseContractConfig(contract: ResponseContract | null): ResponseContractConfig {
  const known = demandResponseContract(contract);
  return known === null ? {} : { response_contract: known };
}

/** What is sent to change an agent: null takes the contract away. */
export function responseContractUpdate(contract: ResponseContract | null): ResponseContractUpdate {
  return { config: { response_contract: demandResponseContract(contract) } };
}
