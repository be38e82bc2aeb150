import type { Artifact } from "../../artifact/compiled.js";
import { type PackRule, PackRules, type RuleBody } from "../../artifact/pack-rules.js";
import { acceptsAbsence, domainOf } from "../../operators/index.js";
import { diffPacks } from "../diff/diff-packs.js";
import { atomsOf, isSamePath } from "../diff/static/entry-strength.js";
import { isCovered } from "../diff/static/rule-strength.js";
import { Prover } from "../proof/prover.js";
import { argumentPath } from "./argument-path.js";
import type { Mutant } from "./mutants.js";

/** A precondition for the same entity refuses a call that does not name one; whatever is there may be its name. */
function isNamedForPrior({ body: lost }: PackRule, rules: readonly PackRule[]): boolean {
  if (lost.kind !== "capture" || lost.as !== undefined || lost.decode !== undefined) return false;
  return rules.some(({ body }) => body.kind === "precondition" && body.prior?.resource?.text === lost.path.text);
}

/** What a definition demands of arguments that it requires, as rules of their own. */
function demandsOf({ body, ...rule }: PackRule): readonly PackRule[] {
  if (body.kind !== "schema" || typeof body.schema.root === "boolean") return [];
  const tests = body.schema.root;
  const properties = tests.flatMap((test) => (test.kind === "properties" ? test.entries : []));
  const required = tests.flatMap((test) => (test.kind === "required" ? test.names : []));
  return required.map((name): PackRule => {
    const node = properties.find((property) => property.name === name)?.node ?? true;
    const types = (typeof node === "boolean" ? [] : node).flatMap((test) => (test.kind === "type" ? [test.types] : []));
    const common = { at: body.at, path: argumentPath(name) };
    // A required argument may be null unless a type rules that out, and a rule that it exists refuses null.
    if (types.every((each) => each.includes("null"))) return { ...rule, body: { kind: "capture", ...common } };
    const [type] = types.find((each) => each.length === 1) ?? [];
    const operators = [
      { op: "exists", value: true } as const,
      ...(type === undefined ? [] : [{ op: "type", value: type } as const]),
    ];
    return { ...rule, body: { kind: "argument_invariant", ...common, operators } };
  });
}

/** Whether some rule lets no object pass at a path. */
function isNoObject(path: ArgumentEntry["path"], rules: readonly PackRule[]): boolean {
  return rules
    .filter(({ body }) => body.kind !== "output_invariant")
    .flatMap(({ body }) => atomsOf(body))
    .some(
      ({ operator, passes, ...atom }) =>
        isSamePath(atom.path, path) && ![...domainOf(operator).accepts.types, ...passes].includes("object"),
    );
}

/** A rule about each item of a list refuses a list without any. It lets an object pass, whose members are items too. */
function isNeededForItems({ body: lost }: PackRule, rules: readonly PackRule[]): boolean {
  if (!isOfArguments(lost) || lost.path.kind !== "definite") return false;
  if (!lost.operators.every((operator) => operator.op === "length_gte" && operator.value <= 1)) return false;
  if (!isNoObject(lost.path, rules)) return false;
  const { steps } = lost.path;
  return rules.some(({ body }) => {
    if (!isOfArguments(body) || body.path.kind !== "multi" || body.operators.every(acceptsAbsence)) return false;
    const [last, ...others] = [...body.path.segments].reverse().map(onlySelector);
    const isItems = last?.kind === "wildcard" && others.length === steps.length;
    return (
      isItems && others.reverse().every((selector, at) => selector?.kind === "name" && selector.name === steps[at])
    );
  });
}

type Segment = Extract<ArgumentEntry["path"], { readonly kind: "multi" }>["segments"][number];
type ArgumentEntry = Extract<
  RuleBody,
  { readonly kind: "input_invariant" | "execution_constraint" | "argument_invariant" }
>;

function isOfArguments(body: RuleBody): body is ArgumentEntry {
  return ["input_invariant", "execution_constraint", "argument_invariant"].includes(body.kind);
}

/** The selector of a segment that goes one step with one. */
function onlySelector({ descend, selectors }: Segment): Segment["selectors"][number] | undefined {
  return descend || selectors.length !== 1 ? undefined : selectors[0];
}

/** Whether the rules of a mutant refuse, for each tool, what it seems to allow in addition. */
function isRefusedStill({ artifact, pack: index, rule, lost }: Mutant, { packs }: Artifact): boolean {
  const [before, after] = [packs[index], artifact.packs[index]];
  if (before === undefined || after === undefined || rule.body.kind === "circuit_breaker") return false;
  const rules = new PackRules(after);
  const gone = { ...rule, body: lost };
  return rule.tools.every((tool) => {
    const own = rules.ofTool(tool).flatMap((each) => [each, ...demandsOf(each)]);
    if (isCovered(gone, own, { before, after, tool, isAwaited: false, shared: null })) return true;
    return isNamedForPrior(gone, own) || isNeededForItems(gone, own);
  });
}

/** Says of a mutant that no session can show the difference, where that is proved. */
export class MeaningKept {
  private readonly provers = new Map<number, Prover>();

  constructor(private readonly artifact: Artifact) {}

  /** Why no test can notice the mutant; null if that is not proved. */
  async proofFor(mutant: Mutant): Promise<"redundant" | "same" | null> {
    const { artifact, pack: index, rule, body } = mutant;
    const isRedundant = (this.proverOf(index)?.cannotFire(rule) ?? null) !== null;
    if (isRedundant || isRefusedStill(mutant, this.artifact))
      return isRedundant || body === null ? "redundant" : "same";
    const read = await diffPacks(this.artifact, artifact, { bounds: null, wording: ({ id }) => id });
    return read.every(({ changes }) => changes.every(({ direction }) => direction === "same")) ? "same" : null;
  }

  private proverOf(index: number): Prover | undefined {
    const pack = this.artifact.packs[index];
    const known = this.provers.get(index);
    if (known !== undefined || pack === undefined) return known;
    const prover = new Prover(pack, new PackRules(pack));
    this.provers.set(index, prover);
    return prover;
  }
}
