import type { JsonObject } from "../../base/json.js";
import type { Guard } from "../../guard/guard-api.js";
import { offerOf } from "../core/narrowing.js";
import { hasContract } from "../core/provider-tools.js";
import { hasPrice } from "../core/usage-cost.js";
import { textAt } from "./body.js";
import type { ClientOptions } from "./client-options.js";
import type { Dialect, OfferedTool } from "./dialect.js";
import { type Stop, stopOf, unlisted } from "./refused-request.js";

/** Judges requests before they are sent, and narrows them to the tools that can be called. */
export class RequestJudge {
  constructor(
    private readonly guard: Guard,
    private readonly dialect: Dialect,
    private readonly options: ClientOptions,
  ) {}

  judge(request: JsonObject): { readonly body: JsonObject } | { readonly stop: Stop } {
    const { guard, dialect, options } = this;
    const tools = dialect.tools(request);
    const stray = tools.find((tool) => tool.isOfProvider && !this.isKnown(tool));
    if (stray !== undefined) return { stop: unlisted(stray.name) };
    const contracts = tools.map((tool) => this.contract(tool));
    const { isOffered, note } = offerOf(guard, contracts, options.narrowing ?? "silent");
    const isWhole = contracts.every(isOffered);
    const narrowed = isWhole ? request : dialect.narrowed(request, (tool) => isOffered(this.contract(tool)), note);
    const model = textAt(request, "model") ?? "";
    if (options.prices !== undefined && !hasPrice(options.prices, model)) {
      const message = `no price is given for the model \`${model}\``;
      return { stop: { code: "cost_unknown", message, hint: "add it to `prices`" } };
    }
    const verdict = guard.checkRequest({ provider: dialect.provider, request: narrowed, parsed: true });
    if (verdict.kind === "block") return { stop: stopOf(verdict) };
    for (const warning of verdict.warnings) options.onWarning?.(warning);
    return { body: options.prices === undefined ? narrowed : dialect.withUsage(narrowed) };
  }

  /** The name that the guard knows a tool by. */
  private contract({ name, isOfProvider }: OfferedTool): string {
    return isOfProvider ? (this.options.providerTools?.[name] ?? name) : name;
  }

  /** A tool that the provider runs needs a contract: nobody could judge its calls before they are made. */
  private isKnown({ name }: OfferedTool): boolean {
    const contract = this.options.providerTools?.[name];
    return contract !== undefined && hasContract(this.guard, contract);
  }
}
