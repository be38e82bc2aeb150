import type { CompiledPack } from "../../artifact/compiled.js";
import type { PackRule, PackRules } from "../../artifact/pack-rules.js";
import type { CallClaim } from "../claims/claim-searches.js";
import { callableIn } from "./callable.js";
import { ClaimProver } from "./claim-proof.js";
import { type Need, needsOf } from "./control/call-facts.js";
import { goalOf } from "./control/claim-goal.js";
import { type ControlProof, ControlProver } from "./control/control-prover.js";
import { rulesOf, wordsOf } from "./control/control-words.js";
import type { Goal } from "./control/goal.js";
import type { Proof } from "./proof.js";
import { proofNeverFires } from "./rule-proof.js";

/** What follows from the rules of a pack alone, for every session of a guard that enforces them. */
export class Prover {
  private readonly never: ReadonlyMap<string, Proof>;
  private readonly claims: ClaimProver;
  private control: ControlProver | null = null;

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

  /** Why a tool is never allowed, by following all sessions; null if that is not proved. */
  neverByControl(tool: string): Proof | null {
    return this.byControl({ kind: "never", tool, calls: [[]] });
  }

  /** Why a rule never acts, by following all sessions; null if that is not proved. */
  cannotFireByControl({ body, tools }: PackRule): Proof | null {
    if (body.kind !== "phase") return null;
    const proofs = tools.map((tool) => this.byControl({ kind: "phase_refuses", tool }));
    const [first = null] = proofs;
    return proofs.includes(null) ? null : first;
  }

  /** Why a claim holds, by following all sessions; null if that is not proved. */
  holdsByControl(claim: CallClaim): Proof | null {
    return this.byControl(goalOf(claim, this.pack));
  }

  /** The sets of states that prove a goal; null if it is not proved. */
  controlProof(goal: Goal): ControlProof | null {
    this.control ??= new ControlProver(this.pack);
    return this.control.proofOf(goal);
  }

  private needsOf(name: string): readonly Need[] {
    const tool = this.pack.tools.find((candidate) => candidate.name === name);
    return tool === undefined ? [] : needsOf({ tool, further: [] }, this.pack);
  }

  private byControl(goal: Goal): Proof | null {
    const proof = this.controlProof(goal);
    if (proof === null) return null;
    const rules = rulesOf(proof, this.rules, (index) => this.pack.aggregates[index]);
    return { by: "control", rules, because: wordsOf(proof, (tool) => this.needsOf(tool)) };
  }
}
