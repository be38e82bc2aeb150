import type { CompiledTool } from "../../artifact/compiled.js";
import type { PackRule, RuleBody } from "../../artifact/pack-rules.js";
import type { Json } from "../../base/json.js";
import { cut, isBeyond, type MetName, recorded } from "../model/caps.js";
import type { PackUnderTest } from "../model/pack-under-test.js";
import { simplificationsFor } from "../model/simplifications.js";
import type { SearchReport } from "../model/workbench.js";
import type { Plan } from "../trace/plan.js";
import { failures, isTooLong } from "./breaker.js";
import { Findings } from "./findings.js";
import { isCumulative, isPersonal } from "./goals.js";
import { type SearchBounds, within } from "./search.js";
import { ToolSearch } from "./tool-search.js";

/** What was found of a pack's tools and rules. */
export interface Exploration {
  readonly findings: Findings;
  /** Tools for which a search ended at a bound, or had no arguments to try. */
  readonly unfinished: ReadonlySet<string>;
  /** Number of states visited. */
  readonly explored: number;
  /** The bounds and simplifications met while searching for calls of these tools, or of tools that they need. */
  metBy(tools: readonly string[]): readonly MetName[];
  /** The bounds and simplifications met while searching for a call that a rule refuses. */
  metFor(rule: PackRule): readonly MetName[];
}

/** Searches a pack for calls that each tool allows and each rule refuses. */
export function explore(under: PackUnderTest, bounds: SearchBounds): Exploration {
  const explorer = new Explorer(under, bounds);
  explorer.run();
  return explorer;
}

class Explorer implements Exploration {
  readonly findings = new Findings();
  readonly unfinished = new Set<string>();
  /** By tool: every bound and simplification met while searching for its calls. */
  private readonly met = new Map<string, Set<MetName>>();
  /** Those met while tripping circuit breakers. */
  private readonly metByBreakers = new Set<MetName>();
  explored = 0;
  /** Number of tools that had sessions of mixed calls. */
  private mixed = 0;

  constructor(
    private readonly under: PackUnderTest,
    private readonly bounds: SearchBounds,
  ) {}

  run(): void {
    const { under } = this;
    // Tools that need the fewest others give the shortest sessions for shared rules.
    const needs = new Map(under.pack.tools.map(({ name }) => [name, under.cone.of([name]).size]));
    for (const [name] of [...needs].sort(([, a], [, b]) => a - b)) this.search(name);
    this.tripBreakers();
  }

  private search(name: string): void {
    const met = new Set<MetName>(simplificationsFor(this.under.pack, this.under.cone.of([name])));
    recorded(met, () => this.searchTool(name));
    for (const bound of this.under.met) met.add(bound);
    this.met.set(name, met);
  }

  metBy(tools: readonly string[]): readonly MetName[] {
    const names = [...this.under.cone.of(tools)];
    return [...new Set(names.flatMap((name) => [...(this.met.get(name) ?? [])]))].sort();
  }

  metFor({ tools, body }: PackRule): readonly MetName[] {
    const own = body.kind === "circuit_breaker" ? this.metByBreakers : [];
    return [...new Set([...this.metBy(tools), ...own])].sort();
  }

  private note({ explored, hit }: SearchReport, tool: string): void {
    this.explored += explored;
    if (hit.size > 0) this.unfinished.add(tool);
  }

  private searchTool(name: string): void {
    const { under, bounds, findings } = this;
    const compiled = under.tool(name);
    if (compiled === undefined) return;
    if (under.library.argumentsOf(name).good.length === 0) this.unfinished.add(name);
    const names = under.cone.of([name]);
    const able = under.mostPermitted(name, names);
    for (const [at, { principal }] of able.entries()) {
      // Further principals are tried once, after the last of these.
      const isLast = at === able.length - 1;
      const search = new ToolSearch(under, compiled, { findings, bounds, principal, keepsPrincipal: !isLast });
      this.note(search.run(), name);
      this.note(search.runCumulative(), name);
      if (search.isDone) break;
    }
    this.searchAgain(compiled, able[0]?.principal ?? null);
    this.mix(compiled, able[0]?.principal ?? null);
    // The second search and the mixed sessions used only the first of these principals.
    if (able.length > 1) cut("principals");
    const principals = under.principalsFor(names);
    for (const rule of under.rules.ofTool(name)) {
      if (!isPersonal(rule)) continue;
      for (const { principal, refusals } of principals) {
        const isHit = refusals.get(name)?.includes(rule.id) === true;
        if (!isHit || findings.rule(rule.id).alone !== null) continue;
        this.note(new ToolSearch(under, compiled, { findings, bounds, principal }).runFor(rule), name);
      }
    }
  }

  /** Searches with more values if the tool was never allowed, or if one of its own rules never refused. */
  private searchAgain(compiled: CompiledTool, principal: Json | null): void {
    const { under, findings } = this;
    const { name } = compiled;
    const unseen = (isSought: (rule: PackRule) => boolean) =>
      under.rules.ofTool(name).some((rule) => {
        const { alone, together } = findings.rule(rule.id);
        return rule.tools.length === 1 && alone === null && together === null && isSought(rule);
      });
    const isPlain = (rule: PackRule) => !isPersonal(rule) && !isCumulative(rule);
    if (findings.allowedCall(name) !== null && !unseen(isPlain) && !unseen(isCumulative)) return;
    const bounds = within(this.bounds, "states_again");
    const search = new ToolSearch(under, compiled, { findings, bounds, principal, isRich: true, keepsPrincipal: true });
    this.explored += search.run().explored;
    if (unseen(isCumulative)) this.explored += search.runCumulative().explored;
  }

  /** Failures, unsettled calls and steps of several calls, for rules that were not seen to refuse alone. */
  private mix(compiled: CompiledTool, principal: Json | null): void {
    const { under, findings, bounds } = this;
    const isSought = (rule: PackRule) => {
      const { alone, together } = findings.rule(rule.id);
      return isCumulative(rule) ? alone === null : alone === null && together === null && !isPersonal(rule);
    };
    if (!under.rules.ofTool(compiled.name).some(isSought) || isBeyond(this.mixed + 1, "mixed_tools")) return;
    this.mixed += 1;
    const search = new ToolSearch(under, compiled, { findings, bounds, principal, keepsPrincipal: true });
    this.explored += search.runMixed(isSought).explored;
  }

  /** Repeated refusals, or failures, until a circuit breaker ends the session. */
  private tripBreakers(): void {
    for (const { id, body } of this.under.rules.all) {
      if (body.kind !== "circuit_breaker") continue;
      const plan = recorded(this.metByBreakers, () => this.tripping(body));
      if (plan !== null) this.findings.addAlone(id, { length: plan.actions.length, plan: () => plan });
    }
  }

  private tripping({ of, most }: RuleBody & { readonly kind: "circuit_breaker" }): Plan | null {
    const start = of === "blocks" ? this.shortestRefusal() : this.shortestCall();
    const last = start?.actions.at(-1);
    if (start === null || last === undefined || isTooLong(start, most, this.bounds)) return null;
    if (of === "errors") return failures(this.under, start, most);
    return { ...start, actions: [...start.actions, ...Array.from({ length: most }, () => last)] };
  }

  private shortest(plans: readonly (Plan | null)[]): Plan | null {
    const found = plans.filter((plan) => plan !== null);
    return found.sort((a, b) => a.actions.length - b.actions.length)[0] ?? null;
  }

  private shortestRefusal(): Plan | null {
    const rules = this.under.rules.all.filter(
      ({ body }) => !body.kind.startsWith("output") && body.kind !== "ensures" && body.kind !== "checkpoint",
    );
    return this.shortest(rules.map(({ id }) => this.findings.rule(id).alone));
  }

  private shortestCall(): Plan | null {
    return this.shortest(this.under.pack.tools.map(({ name }) => this.findings.allowedCall(name)));
  }
}
