import type { CompiledTool } from "../../artifact/compiled.js";
import { canonicalJson } from "../../base/canonical-json.js";
import type { Json, JsonObject } from "../../base/json.js";
import type { PackUnderTest } from "../model/pack-under-test.js";
import type { Exploration } from "../search/exploration.js";
import type { Action, Plan } from "../trace/plan.js";

type Call = Action & { readonly kind: "call" };

/** The last call of a session, if it ends with one. */
function lastCall({ actions }: Plan): Call | null {
  const last = actions.at(-1);
  return last?.kind === "call" ? last : null;
}

function endingWith(plan: Plan, call: Call): Plan {
  return { ...plan, actions: [...plan.actions.slice(0, -1), call] };
}

/** Arguments with one of them missing, or of another type. */
function spoiled(args: JsonObject): readonly JsonObject[] {
  return Object.keys(args).flatMap((name) => {
    const { [name]: value, ...others } = args;
    const another: Json = typeof value === "string" ? 1 : "text";
    return [others, { ...args, [name]: another }];
  });
}

/** Sessions that the exploration of a pack found, and variations of them, by the tool of their last call. */
export class SessionPool {
  private readonly known: readonly Plan[];
  /** The shortest session that ends with an allowed call of the tool. */
  private readonly allowed: (tool: string) => Plan | null;

  constructor(
    private readonly under: PackUnderTest,
    { findings }: Exploration,
  ) {
    const { tools } = under.pack;
    this.known = [
      ...under.rules.all.flatMap(({ id }) => {
        const { alone, together } = findings.rule(id);
        return [alone, together?.plan ?? null];
      }),
      ...tools.map(({ name }) => findings.allowedCall(name)),
      ...tools.flatMap(({ name }) => [...findings.reasons(name).values()]),
    ].filter((plan) => plan !== null);
    this.allowed = (tool) => findings.allowedCall(tool);
  }

  /** Sessions that end with a call of the tool or, for a rule of no tool, of any; the shortest first. */
  plansFor(tools: readonly string[]): readonly Plan[] {
    const known = this.known.filter((plan) => tools.includes(lastCall(plan)?.tool ?? ""));
    const varied = this.under.pack.tools
      .filter(({ name }) => tools.includes(name))
      .flatMap((tool) => this.variationsOf(tool));
    const byText = new Map([...known, ...varied].map((plan) => [canonicalJson(plan as unknown as Json), plan])); // plans are JSON
    return [...byText.values()].sort((a, b) => a.actions.length - b.actions.length);
  }

  /** Other arguments and outputs of a call that is allowed, and the same call at other moments. */
  private variationsOf({ name }: CompiledTool): readonly Plan[] {
    const plan = this.allowed(name);
    const call = plan === null ? null : lastCall(plan);
    if (plan === null || call === null) return [];
    const { library } = this.under;
    const bad = [...spoiled(call.args), ...[...library.argumentsOf(name).bad.values()].flat()];
    const outputs = [...library.outputsOf(name).bad.values()].flat();
    return [
      ...bad.map((args) => endingWith(plan, { ...call, args })),
      ...outputs.map((output) => endingWith(plan, { ...call, outcome: { kind: "result", output } })),
      ...this.moments().map((moment) => ({ ...moment, actions: [...moment.actions, call] })),
    ];
  }

  /** Sessions in which a tool was called with success, for each. */
  private moments(): readonly Plan[] {
    return this.under.pack.tools.flatMap(({ name }) => {
      const plan = this.allowed(name);
      const call = plan === null ? null : lastCall(plan);
      const [output] = this.under.library.outputsOf(name).good;
      if (plan === null || call === null || output === undefined) return [];
      return [endingWith(plan, { ...call, outcome: { kind: "result", output } })];
    });
  }
}
