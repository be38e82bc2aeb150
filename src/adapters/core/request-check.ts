import { clean } from "../../base/clean.js";
import type { Guard } from "../../guard/guard-api.js";
import type { ModelProvider } from "../../guard/model/public.js";
import { ContractViolation } from "../../guard/wrap/contract-violation.js";

/** Judges the body of a request; a refused one is an error. Each warning is given once. */
export class RequestCheck {
  private readonly given = new Set<string>();

  constructor(private readonly guard: Guard) {}

  check(provider: ModelProvider, request: unknown): void {
    const verdict = this.guard.checkRequest({ provider, request });
    if (verdict.kind === "block") throw new ContractViolation("a request to the model", verdict);
    for (const { code, message } of verdict.warnings) {
      const text = clean(`${code}: ${message}`);
      if (this.given.has(text)) continue;
      this.given.add(text);
      process.emitWarning(text);
    }
  }
}
