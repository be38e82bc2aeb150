import type { CompiledCheck } from "../../../artifact/compiled.js";
import { isSamePlace, type Place } from "../../../artifact/compiled-value.js";
import { type PackRule, rulesOfCheck } from "../../../artifact/pack-rules.js";
import type { JsonObject } from "../../../base/json.js";
import { isTriggered } from "../../../guard/checks/checkpoint.js";
import { judge } from "../../../guard/decide/decide.js";
import { prepareProgram } from "../../../guard/program/prepare-program.js";
import type { Program, Proposal } from "../../../guard/program/program.js";
import { proposalOf } from "../../../guard/program/proposal.js";
import type { Session } from "../../../guard/session/session.js";
import { Moves } from "../../calls/moves.js";
import type { Scene } from "../../expression/scene.js";
import type { PackUnderTest } from "../../model/pack-under-test.js";
import { slicePack } from "../../model/slice.js";
import type { Performed } from "../../search/search.js";
import { timedIn } from "../../state/clock.js";
import type { Circumstances } from "../../trace/plan.js";

/** The verdict of a pack on a call, from strict to permissive. */
export type Freedom = "refused" | "approval" | "allowed";

/** One of two compared packs, ready to judge. */
export class PackSide {
  readonly program: Program;
  readonly moves: Moves;
  /** What the expressions of this pack and of the other one judge differently. */
  readonly scenes: readonly Scene[];

  constructor(
    readonly under: PackUnderTest,
    names: ReadonlySet<string>,
    { principal, env }: Circumstances,
    /** The tool whose rules changed, and the pack that it is compared with. */
    { focus, other }: { readonly focus: string | null; readonly other: PackUnderTest },
  ) {
    const pack = slicePack(under.pack, names);
    this.program = prepareProgram({ ...under.artifact, packs: [pack], workflow: null }, pack, { env, principal });
    const compared = () => prepareProgram(other.artifact, other.pack, { env, principal });
    this.scenes = focus === null ? [] : under.library.scenes.against(focus, compared());
    this.moves = new Moves(this.program, under.library, focus, this.scenes);
  }

  proposal(tool: string, args: JsonObject): Proposal | null {
    const known = this.program.tools.get(tool);
    return known === undefined ? null : proposalOf(known, args);
  }

  freedom(session: Session, proposed: Proposal | null): Freedom {
    if (proposed === null || session.isKilled) return "refused";
    const proposal = timedIn(session, proposed);
    if (judge(this.program, session, proposal) !== null) return "refused";
    const judging = { program: this.program, session };
    return proposal.tool.checkpoints.some((check) => isTriggered(check, proposal, judging)) ? "approval" : "allowed";
  }

  /** The first rule that refuses a call or requires an approval; null if none does. */
  obstacle(session: Session, proposed: Proposal | null): PackRule | null {
    if (proposed === null) return null;
    const proposal = timedIn(session, proposed);
    const { rules } = this.under;
    const compiled = this.under.tool(proposal.tool.name)?.checks ?? [];
    for (const [index, { run }] of proposal.tool.checks.entries()) {
      const block = run(proposal, session, this.program);
      const check = compiled[index];
      if (block !== null && check !== undefined) return this.ruleOf(check, block.at);
    }
    const judging = { program: this.program, session };
    const checkpoint = proposal.tool.checkpoints.find((check) => isTriggered(check, proposal, judging));
    return checkpoint === undefined ? null : (rules.ofCheck(checkpoint, checkpoint.at) ?? null);
  }

  /** Several rules of a check may be on one line, so a rule is found by the identity of its place object. */
  private ruleOf(check: CompiledCheck, at: Place | null): PackRule | null {
    const { rules, pack } = this.under;
    const index = rulesOfCheck(check, pack).findIndex((found) => found.at === at);
    return rules.inCheck(check)[index] ?? rules.ofCheck(check, at) ?? null;
  }

  /** The rule at the place that an output broke. */
  broken(tool: string, { violation }: Performed): PackRule | null {
    const at = violation?.rule ?? null;
    const isOfOutput = ({ body: { kind } }: PackRule) => kind.startsWith("output_") || kind === "ensures";
    const rules = this.under.rules.ofTool(tool).filter(isOfOutput);
    return rules.find((rule) => rule.at === at) ?? rules.find((rule) => isSamePlace(rule.at, at)) ?? null;
  }
}
