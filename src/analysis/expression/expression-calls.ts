import { expressionsOf } from "../../artifact/compiled.js";
import type { JudgedExpression } from "../../artifact/expression.js";
import { readsVariable } from "../../artifact/expression-parts.js";
import { canonicalJson } from "../../base/canonical-json.js";
import type { Json, JsonObject } from "../../base/json.js";
import { Frame } from "../../guard/expression/frame.js";
import { preparedOf } from "../../guard/expression/of-pack.js";
import { PresentSlots } from "../../guard/expression/worlds/present-slots.js";
import type { Program, Tool } from "../../guard/program/program.js";
import type { ToolEffects } from "../../guard/program/tool-effects.js";
import type { Session } from "../../guard/session/session.js";
import { judgeEntries } from "../../guard/values/judge-value.js";
import { first, remembered } from "../model/caps.js";
import { slotsRead } from "../model/cone-of-influence.js";
import { timeIn } from "../state/clock.js";
import { slotText } from "../state/session-text.js";
import type { Signal } from "../trace/plan.js";
import { ArgumentSpace } from "../values/argument-space.js";
import { searchValue, type Wish } from "../values/value-search.js";
import { OpenedParts, PossibleValues } from "./possible-values.js";
import { type Projected, projectedCalls } from "./projection.js";
import { Reading } from "./reading.js";
import { Repair } from "./repair.js";
import { type Root, type Scene, sceneOf } from "./scene.js";
import { argumentWishes, askedWishes, type Scenes, wishFor } from "./scenes.js";

const OF_ARGUMENTS: ReadonlySet<Root> = new Set<Root>(["args"]);

/** The expressions of one tool that judge its calls. */
interface Judged {
  readonly required: readonly { readonly that: JudgedExpression; readonly index: number }[];
  readonly asking: readonly { readonly that: JudgedExpression; readonly index: number }[];
  readonly fixed: readonly Wish[];
  /** What checkpoints with conditions on arguments ask about. */
  readonly asked: readonly (readonly Wish[])[];
}

function readsIn({ compiled }: Tool, name: "now" | "labels"): boolean {
  const ensured = (compiled?.ensures ?? []).map(({ that }) => that);
  const all = [...(compiled?.checks ?? []).flatMap(expressionsOf), ...ensured];
  return all.some(({ tree }) => readsVariable(tree, name));
}

/** Calls that the expressions of a pack ask for: earlier ones that bind what they read, and their own in a given session. */
export class ExpressionCalls {
  private readonly judged = new Map<Tool, Judged>();
  private opened: OpenedParts | null = null;

  constructor(
    private readonly program: Program,
    private readonly scenes: Scenes,
    /** The tool whose rules are to be seen refusing; the others need only be called. */
    private readonly focus: string | null,
    /** Further scenes to be tried. */
    private readonly more: readonly Scene[] = [],
  ) {}

  private judgedBy(tool: Tool): Judged {
    const known = this.judged.get(tool);
    if (known !== undefined) return known;
    const entries = [...(tool.compiled?.checks ?? []).entries()];
    const of = (kind: "requires" | "checkpoint") =>
      entries.flatMap(([index, check]) =>
        check.kind === kind ? expressionsOf(check).map((that) => ({ that, index })) : [],
      );
    const [required, asking] = [of("requires"), of("checkpoint")];
    const isAny = required.length + asking.length > 0;
    const space = isAny ? new ArgumentSpace(this.program, tool, { byPath: new Map() }) : null;
    const [fixed, asked] = space === null ? [[], []] : [argumentWishes(space), askedWishes(space)];
    const judged = { required, asking, fixed, asked };
    this.judged.set(tool, judged);
    return judged;
  }

  /** Whether expressions judge calls of the tool. */
  judges(tool: Tool): boolean {
    const { required, asking } = this.judgedBy(tool);
    return required.length + asking.length > 0;
  }

  /** The parts of a session that the tool's expressions read. */
  keyOf(tool: Tool, session: Session): string {
    if (tool.compiled === null || !this.judges(tool)) return "";
    const slots = new Set(slotsRead(tool.compiled, this.program.pack));
    const time = tool.readsNow ? timeIn(session) : 0;
    return canonicalJson([[...slots].map((slot) => slotText(slot)(session)), [...session.labels], time]);
  }

  /** Times and labels of the scenes that a session does not have yet; the clock only moves forward. */
  signals(session: Session): readonly Signal[] {
    const { times, labels } = this.asked();
    const later = times.filter((now) => now > timeIn(session));
    return [
      ...later.map((now) => ({ kind: "clock", now }) as const),
      ...labels.filter((label) => !session.labels.has(label)).map((label) => ({ kind: "label", label }) as const),
    ];
  }

  /** The times and labels of scenes of tools whose expressions read them. */
  private readonly asked = remembered(() => {
    const reads = (name: "now" | "labels") => {
      const tools = [...this.program.tools.values()].filter((tool) => readsIn(tool, name));
      return tools.flatMap((tool) => this.scenes.all(tool.name));
    };
    const further = this.more;
    const times = new Set([...reads("now"), ...further].map(({ now }) => now));
    const labels = new Set([...reads("labels"), ...further].flatMap((scene) => scene.labels));
    return {
      times: first(
        [...times].sort((a, b) => a - b),
        "times_tried",
      ),
      labels: first([...labels], "labels_tried"),
    };
  });

  private scenesFor(): readonly Scene[] {
    const names = [...this.program.tools.keys()];
    const own = this.focus === null ? null : this.scenes.of(this.focus);
    const good = names.filter((name) => name !== this.focus).flatMap((name) => this.scenes.of(name).good);
    return [...this.more, ...(own?.good ?? []), ...good, ...(own?.bad ?? []), ...(own?.outputs ?? [])];
  }

  private projected(tool: ToolEffects, plain: Projected): readonly Projected[] {
    const compiled = this.program.pack.tools.find(({ name }) => name === tool.name);
    if (compiled === undefined) return [];
    return this.scenesFor().flatMap((scene) => projectedCalls(compiled, scene, plain));
  }

  /** Outputs that bind what expressions read, or that guarantees judge. */
  outputs(tool: ToolEffects, plain: Json): readonly Json[] {
    const invariants = tool.compiled?.output_invariants ?? [];
    const answered = this.scenes.of(tool.name).outputs.map(({ output }) => output);
    const all = [...answered, ...this.projected(tool, { args: {}, output: plain }).map(({ output }) => output)];
    const distinct = [...new Map(all.map((output) => [canonicalJson(output), output])).values()];
    const good = distinct.filter((output) => judgeEntries(invariants, output, this.program.env) === true);
    return first(good, "outputs_projected");
  }

  /** Arguments that bind what expressions read, and those that the tool's own expressions ask for. */
  arguments(tool: Tool, plain: JsonObject): readonly JsonObject[] {
    const further = tool.name === this.focus ? this.more : [];
    const own = [...this.scenes.of(tool.name).good, ...further].map(({ args }) => args);
    const base = own[0] ?? plain;
    return [...own, ...this.projected(tool, { args: base, output: {} }).map(({ args }) => args)];
  }

  private repairIn(tool: Tool, session: Session, of: JudgedExpression): Repair {
    const { context } = preparedOf(of, this.program.pack).scope;
    const slots = new PresentSlots(session);
    const slotsOf = () => slots;
    return new Repair(new Reading({ context, tool: tool.name, editable: OF_ARGUMENTS, slotsOf }), "scenes_in_state");
  }

  /** Whether arguments are conceivable in a session for which an expression of a tool is true. */
  private mayHold(tool: Tool, session: Session, that: JudgedExpression): boolean {
    this.opened ??= new OpenedParts(preparedOf(that, this.program.pack).scope.context);
    const { principal } = this.program;
    const [labels, now] = [[...session.labels], timeIn(session)];
    const input = { args: {}, output: null, principal, labels, now, tool: tool.name };
    return new PossibleValues(this.opened, new Frame(input, new PresentSlots(session))).mayBeTrue(that.tree);
  }

  private sceneIn(session: Session, args: JsonObject): Scene {
    const [labels, now] = [[...session.labels], timeIn(session)];
    return { args, output: null, principal: this.program.principal, labels, now, slots: {} };
  }

  private search(session: Session, starts: readonly JsonObject[], wishes: readonly Wish[]): JsonObject {
    const scenes = starts.map((args) => this.sceneIn(session, args));
    return sceneOf(searchValue(scenes, wishes, "attempts_in_state").value).args;
  }

  /** Arguments changed so that the tool's expressions hold in a session, as far as they can. */
  repaired(tool: Tool, session: Session, all: readonly JsonObject[]): readonly JsonObject[] {
    const { required, asking, fixed, asked } = this.judgedBy(tool);
    const [any] = [...required, ...asking];
    if (any === undefined) return [];
    const repair = this.repairIn(tool, session, any.that);
    const wishes = [...fixed, ...required.map(({ that }) => wishFor(repair, that.tree, true))];
    if (!required.every(({ that }) => this.mayHold(tool, session, that))) return [];
    const silent = asking.map(({ that }) => wishFor(repair, that.tree, false, false));
    const fitted = first(all, "calls_repaired").map((args) => this.search(session, [args], [...wishes, ...silent]));
    const loud = [...asking.map(({ that }) => [wishFor(repair, that.tree, true)]), ...asked];
    return [...fitted, ...loud.map((goals) => this.search(session, fitted.slice(0, 1), [...wishes, ...goals]))];
  }

  /** By the index of the check: arguments that one requirement alone refuses in a session, as far as they can be found. */
  refused(
    tool: Tool,
    session: Session,
    starts: readonly JsonObject[],
    isSought: (index: number) => boolean,
  ): ReadonlyMap<number, readonly JsonObject[]> {
    const { required, fixed } = this.judgedBy(tool);
    const [any] = required;
    if (any === undefined) return new Map();
    const repair = this.repairIn(tool, session, any.that);
    const sought = required.filter(({ index }) => isSought(index));
    const hopeless = required.filter(({ that }) => !this.mayHold(tool, session, that));
    const isAlone = (that: JudgedExpression) => hopeless.every((other) => other.that === that);
    return new Map(
      sought
        .filter(({ that }) => isAlone(that))
        .map(({ that, index }) => {
          const others = required
            .filter((other) => other.that !== that)
            .map((other) => wishFor(repair, other.that.tree, true));
          const wishes = [wishFor(repair, that.tree, false), ...fixed, ...others];
          return [index, [this.search(session, first(starts, "calls_alike").toReversed(), wishes)]];
        }),
    );
  }
}
