import type { CheckKind } from "../../artifact/check-order.js";
import type { Artifact, CompiledPack, CompiledTool } from "../../artifact/compiled.js";
import { packName } from "../../artifact/pack-name.js";
import { PackRules } from "../../artifact/pack-rules.js";
import { canonicalJson } from "../../base/canonical-json.js";
import type { Json } from "../../base/json.js";
import { prepareProgram } from "../../guard/program/prepare-program.js";
import type { Program } from "../../guard/program/program.js";
import { proposalOf } from "../../guard/program/proposal.js";
import { newSession } from "../../guard/session/session.js";
import type { Environment } from "../../guard/values/judge-value.js";
import { ValueLibrary } from "../calls/value-library.js";
import { acceptedPrincipal } from "../expression/scenes.js";
import { relaxedPack } from "../sequence/relaxed-pack.js";
import type { ValueBudget } from "../state/value-classes.js";
import { environmentValues } from "../values/environment-values.js";
import { combinedPrincipals, principalVariants } from "../values/principal-variants.js";
import { first, type MetName, recorded, remembered } from "./caps.js";
import { ConeOfInfluence } from "./cone-of-influence.js";
import { refusingRules } from "./rule-parts.js";
import { slicePack } from "./slice.js";

/** A principal, and by tool the ids of the policy rules that refuse it. */
export interface PrincipalUnderTest {
  readonly principal: Json | null;
  readonly refusals: ReadonlyMap<string, readonly string[]>;
}

function rightsOf({ refusals }: PrincipalUnderTest): string {
  return canonicalJson([...refusals].map(([tool, rules]) => [tool, ...rules]));
}

/** A pack with everything that searches in it share. */
export class PackUnderTest {
  readonly rules: PackRules;
  readonly cone: ConeOfInfluence;
  private readonly libraries = new Map<ValueBudget, ValueLibrary>();
  readonly env: Readonly<Record<string, string>>;
  private readonly judged: readonly PrincipalUnderTest[];
  /** Bounds met while finding the environment and the principals. */
  readonly met = new Set<MetName>();

  constructor(
    readonly artifact: Artifact,
    readonly pack: CompiledPack,
    /** Environment variables with other values than those that suit the pack best. */
    env: Readonly<Record<string, string>> = {},
  ) {
    this.rules = new PackRules(pack);
    this.cone = new ConeOfInfluence(pack);
    this.env = { ...recorded(this.met, () => environmentValues(pack)), ...env };
    this.judged = recorded(this.met, () => this.judgeAll(new Map(Object.entries(this.env))));
  }

  /** The sample values within a budget. */
  libraryOf(budget: ValueBudget): ValueLibrary {
    // Scenes start with the principal of most searches.
    const principal = this.judged[0]?.principal ?? null;
    const program = () => prepareProgram(this.artifact, this.pack, { env: this.env, principal });
    const library = this.libraries.get(budget) ?? new ValueLibrary(program(), budget);
    this.libraries.set(budget, library);
    return library;
  }

  /** The pack without what numbers refuse. */
  readonly relaxed = remembered(() => {
    const pack = relaxedPack(this.pack);
    return new PackUnderTest({ ...this.artifact, packs: [pack], workflow: null }, pack, this.env);
  });

  /** The sample values of most searches. */
  get library(): ValueLibrary {
    return this.libraryOf("enough");
  }

  get name(): string {
    return packName(this.pack);
  }

  tool(name: string): CompiledTool | undefined {
    return this.pack.tools.find((tool) => tool.name === name);
  }

  /** The pack reduced to some of its tools, for one principal, optionally without one kind of check. */
  slice(names: ReadonlySet<string>, principal: Json | null, without: CheckKind | null = null): Program {
    const sliced = slicePack(this.pack, names);
    const tools = sliced.tools.map((tool) => ({ ...tool, checks: tool.checks.filter(({ kind }) => kind !== without) }));
    const pack = without === null ? sliced : { ...sliced, tools };
    return prepareProgram({ ...this.artifact, packs: [pack], workflow: null }, pack, { env: this.env, principal });
  }

  /** The principals that the policies distinguish; those that may call more of the tools come first. */
  principalsFor(names: ReadonlySet<string>): readonly PrincipalUnderTest[] {
    const refused = ({ refusals }: PrincipalUnderTest) => [...names].filter((name) => refusals.has(name)).length;
    return [...this.judged].sort((a, b) => refused(a) - refused(b));
  }

  /**
   * The principals to try a tool with: those who may call it, unless another one may also call all the same tools. If none
   * may call it, the one who may call most of the others.
   */
  mostPermitted(tool: string, names: ReadonlySet<string>): readonly PrincipalUnderTest[] {
    const all = this.principalsFor(names);
    const kept: PrincipalUnderTest[] = [];
    for (const one of all.filter(({ refusals }) => !refusals.has(tool))) {
      // Principals earlier in the list are refused no more tools than later ones.
      const isLess = kept.some((other) =>
        [...names].every((name) => one.refusals.has(name) || !other.refusals.has(name)),
      );
      if (!isLess) kept.push(one);
    }
    return kept.length > 0 ? first(kept, "principals") : all.slice(0, 1);
  }

  /** The plain principals, and those of the combined ones that have new rights. */
  private judgeAll(env: Environment): readonly PrincipalUnderTest[] {
    const accepted = this.accepted(principalVariants(this.pack, env));
    const plain = accepted.map((principal) => this.judgePolicies(principal));
    const rights = new Set(plain.map(rightsOf));
    const others = combinedPrincipals(this.pack, env).map((principal) => this.judgePolicies(principal));
    return [...plain, ...others.filter((other) => rights.size < rights.add(rightsOf(other)).size)];
  }

  /** Principals whom the expressions of the pack accept too; those of its policies alone come after them. */
  private accepted(principals: readonly Json[]): readonly Json[] {
    const [best] = principals;
    if (best === undefined || best === null || !this.pack.needs_principal) return principals;
    const program = prepareProgram(this.artifact, this.pack, { env: this.env, principal: best });
    const accepted = acceptedPrincipal(program, best);
    return canonicalJson(accepted) === canonicalJson(best) ? principals : [accepted, ...principals];
  }

  private judgePolicies(principal: Json | null): PrincipalUnderTest {
    const program = prepareProgram(this.artifact, this.pack, { env: this.env, principal });
    const session = newSession(program);
    const refusals = new Map<string, readonly string[]>();
    for (const tool of program.tools.values()) {
      const at = tool.checks.findIndex(({ kind }) => kind === "policy");
      const check = tool.compiled?.checks[at];
      const proposal = proposalOf(tool, {});
      if (check === undefined || tool.checks[at]?.run(proposal, session, program) === null) continue;
      const refusing = refusingRules(check, this.rules, { program, session, proposal });
      refusals.set(
        tool.name,
        refusing.map(({ id }) => id),
      );
    }
    return { principal, refusals };
  }
}
