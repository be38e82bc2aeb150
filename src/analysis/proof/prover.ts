import type { CompiledPack } from "../../artifact/compiled.js";
import type { PackRule, PackRules } from "../../artifact/pack-rules.js";
import type { CallClaim } from "../claims/claim-searches.js";
import { callableIn } from "./callable.js";
import { ClaimProver } from "./claim-proof.js";
import type { Proof } from "./proof.js";
import { proofNeverFires } from "./rule-proof.js";

/** What follows from the rules of a pack alone, for every session of a guard that enforces them. */
export class Prover {
  private readonly never: ReadonlyMap<string, Proof>;
  private readonly claims: ClaimProver;

  constructor(
    private readonly pack: CompiledPack,
    private readonly rules: PackRules,
  ) {
    const callable = callableIn(pack);
    this.claims = new ClaimProver(pack, rules, callable);
    this.never = new Map(
      pack.tools.flatMap((tool) => {
        const proof = callable.proofAgainst(tool, rules);
        return proof === null ? [] : [[tool.name, proof]];
      }),
    );
  }

  /** Why no call of a tool is ever allowed; null if that is not proved. */
  neverAllowed(tool: string): Proof | null {
    return this.never.get(tool) ?? null;
  }

  /** Why a rule never acts; null if that is not proved. */
  cannotFire(rule: PackRule): Proof | null {
    const callLimit = this.rules.all.find(({ body }) => body.kind === "max_tool_calls");
    return proofNeverFires(rule, { pack: this.pack, never: new Set(this.never.keys()), callLimit });
  }

  /** Why a claim about calls holds; null if that is not proved. */
  holds(claim: CallClaim): Proof | null {
    return this.claims.proofOf(claim);
  }
}
