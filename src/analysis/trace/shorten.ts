import type { PackRule } from "../../artifact/pack-rules.js";
import { canonicalJson } from "../../base/canonical-json.js";
import type { Program } from "../../guard/program/program.js";
import type { PackUnderTest } from "../model/pack-under-test.js";
import { refusingRules } from "../model/rule-parts.js";
import { withinWork } from "../model/work.js";
import { proposalIn } from "../state/clock.js";
import type { Action, Plan } from "./plan.js";
import { retrace } from "./retrace.js";

/** Shorter sessions were found shortest first; longer ones use up a limit and need every call. */
const SHORTEST = 4;
const LONGEST = 40;

/** Removes unnecessary actions from sessions: the first path that was found may have a detour. */
export class Shortener {
  private readonly programs = new Map<string, Program>();

  constructor(private readonly under: PackUnderTest) {}

  /** A session at whose end a rule alone refuses a call, without the actions it does not need for that. */
  shortened(plan: Plan, rule: PackRule): Plan {
    let { actions } = plan;
    if (actions.length < SHORTEST || actions.length > LONGEST) return plan;
    const program = this.programFor(plan);
    for (let at = 0; at < actions.length - 1; ) {
      const fewer = actions.filter((_, index) => index !== at);
      if (this.isRefused(program, fewer, rule)) actions = fewer;
      else at += 1;
    }
    return { ...plan, actions };
  }

  /** A program of the tools that are called. */
  private programFor({ principal, actions }: Plan): Program {
    const names = new Set(actions.flatMap((action) => (action.kind === "call" ? [action.tool] : [])));
    const key = canonicalJson([principal, ...names]);
    const program = this.programs.get(key) ?? this.under.slice(names, principal);
    this.programs.set(key, program);
    return program;
  }

  private isRefused(program: Program, actions: readonly Action[], rule: PackRule): boolean {
    const last = actions.at(-1);
    const tool = last?.kind === "call" ? program.tools.get(last.tool) : undefined;
    const session = tool === undefined ? undefined : retrace(program, actions.slice(0, -1))?.session;
    if (last?.kind !== "call" || tool === undefined || session === undefined || session.isKilled) return false;
    const proposal = proposalIn(session, tool, last.args);
    const compiled = this.under.tool(last.tool);
    const refusing = withinWork(() =>
      tool.checks.flatMap(({ run }, index) => {
        const block = run(proposal, session, program);
        const check = compiled?.checks[index];
        return block === null || check === undefined
          ? []
          : refusingRules(check, this.under.rules, { program, session, proposal });
      }),
    );
    return refusing?.length === 1 && refusing[0] === rule;
  }
}
