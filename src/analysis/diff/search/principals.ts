import { canonicalJson } from "../../../base/canonical-json.js";
import { isJsonObject, type Json } from "../../../base/json.js";
import { prepareProgram } from "../../../guard/program/prepare-program.js";
import type { Tool } from "../../../guard/program/program.js";
import { proposalOf } from "../../../guard/program/proposal.js";
import { newSession } from "../../../guard/session/session.js";
import type { PackUnderTest } from "../../model/pack-under-test.js";
import { crossed, type Edit } from "./edits.js";

/** Principals that are varied where policies changed. */
const MOST_VARIED = 6;

/** Two packs that are compared, in one environment. */
export interface Packs {
  readonly old: PackUnderTest;
  readonly new: PackUnderTest;
}

/** A principal, and for each pack the tools that its policies refuse to it. */
export interface JudgedPrincipal {
  readonly principal: Json | null;
  readonly old: ReadonlySet<string>;
  readonly new: ReadonlySet<string>;
}

function refusedTools({ artifact, pack, env }: PackUnderTest, principal: Json | null) {
  const program = prepareProgram(artifact, pack, { env, principal });
  const session = newSession(program);
  const isRefused = (tool: Tool) =>
    tool.checks.some(({ kind, run }) => kind === "policy" && run(proposalOf(tool, {}), session, program) !== null);
  return new Set([...program.tools.values()].filter(isRefused).map(({ name }) => name));
}

/** The principals that the policies of either pack distinguish, and variants with values of changed rules. */
export function judgedPrincipals(packs: Packs, edits: readonly Edit[]): readonly JudgedPrincipal[] {
  const known = [packs.old, packs.new].flatMap((under) =>
    under.principalsFor(new Set()).map(({ principal }) => principal),
  );
  const variants = [...known, ...crossed(known.slice(0, MOST_VARIED), edits)];
  const byText = new Map(variants.map((principal) => [canonicalJson(principal), principal]));
  const isNeeded = packs.old.pack.needs_principal || packs.new.pack.needs_principal;
  // A guard that needs a principal does not start without one, and a principal must be an object.
  const principals = [...byText.values()].filter(
    (principal) => isJsonObject(principal) || (principal === null && !isNeeded),
  );
  return principals.map((principal) => ({
    principal,
    old: refusedTools(packs.old, principal),
    new: refusedTools(packs.new, principal),
  }));
}

/** All principals; those first that may call the tool, and more of the other tools. */
export function mostPermitted(
  all: readonly JudgedPrincipal[],
  tool: string,
  names: ReadonlySet<string>,
): readonly JudgedPrincipal[] {
  const refused = (tools: ReadonlySet<string>) =>
    [...names].filter((name) => tools.has(name)).length + (tools.has(tool) ? names.size : 0);
  const rank = ({ old, new: current }: JudgedPrincipal) => refused(old) + refused(current);
  return [...all].sort((a, b) => rank(a) - rank(b));
}
