import { type CompiledPack, expressionsOf } from "../../artifact/compiled.js";
import type { Expression, JudgedExpression } from "../../artifact/expression.js";
import { constantsIn } from "../../artifact/expression-parts.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { isJsonList, isJsonObject, type Json } from "../../base/json.js";
import { preparedOf } from "../../guard/expression/of-pack.js";
import type { Program, Tool } from "../../guard/program/program.js";
import { remembered } from "../model/caps.js";
import { checksOf } from "../model/checks-of.js";
import { ArgumentSpace } from "../values/argument-space.js";
import { plainArguments } from "../values/argument-variants.js";
import { type Found, searchValue, type Wish } from "../values/value-search.js";
import { Reading } from "./reading.js";
import { Repair } from "./repair.js";
import { EMPTY_SCENE, type Root, type Scene, SceneSlots, sceneOf } from "./scene.js";

const OF_CALLS: ReadonlySet<Root> = new Set<Root>(["args", "principal", "labels", "slots"]);
const OF_OUTPUTS: ReadonlySet<Root> = new Set<Root>([...OF_CALLS, "output"]);
/** The clock is moved only where nothing else helps: most rules compare it with times that are chosen. */
const OF_TIMED_CALLS: ReadonlySet<Root> = new Set<Root>([...OF_CALLS, "now"]);
const OF_TIMED_OUTPUTS: ReadonlySet<Root> = new Set<Root>([...OF_OUTPUTS, "now"]);

/** The expressions that judge calls of a tool and their results. */
function expressionsOfTool(tool: Tool | undefined) {
  const checks = tool?.compiled?.checks ?? [];
  return {
    required: checksOf(checks, "requires").map(({ that }) => that),
    asking: checksOf(checks, "checkpoint").flatMap(expressionsOf),
    ensured: (tool?.compiled?.ensures ?? []).map(({ that }) => that),
  };
}

/** An expression with what gives its words a meaning: two that are equal in this judge the same. */
function meaningOf({ tree }: JudgedExpression, { constants = {}, timezone = "" }: CompiledPack): string {
  return canonicalJson([tree, [...constantsIn(tree)].map((name) => constants[name] ?? null), timezone]);
}

/** A wish for a condition that is true, or that is not. */
export function wishFor(repair: Repair, node: Expression, wanted: boolean, isMust = true): Wish {
  return {
    isMust,
    holds: (value) => repair.holds(node, sceneOf(value)) === wanted,
    changes: (value) => repair.scenes(node, wanted, sceneOf(value)),
  };
}

/** A wish for arguments, as one for scenes. */
function inScene({ isMust, holds, changes }: Wish): Wish {
  return {
    isMust,
    holds: (value) => holds(sceneOf(value).args),
    *changes(value) {
      const scene = sceneOf(value);
      for (const args of changes(scene.args)) if (isJsonObject(args)) yield { ...scene, args };
    },
  };
}

/** The wishes for arguments that pass the argument checks, for scenes. */
export function argumentWishes(space: ArgumentSpace): readonly Wish[] {
  return space.rules.checks.map((rule) => inScene(space.passing(rule)));
}

/** For each checkpoint with conditions on arguments, the wishes for arguments that it asks about. */
export function askedWishes(space: ArgumentSpace): readonly (readonly Wish[])[] {
  return space.conditionalCheckpoints().map((rule) => space.triggered(rule).map(inScene));
}

function isEmptyList(value: Json): boolean {
  return isJsonList(value) && value.length === 0;
}

function hasEmptyList({ args }: Scene): boolean {
  return Object.values(args).some(isEmptyList);
}

/** The lists in the arguments with an item each: of an empty list everything is true. */
function fill(scene: Scene): Scene {
  const filled = Object.entries(scene.args).map(([name, value], at) => [
    name,
    isEmptyList(value) ? [`item${at}`] : value,
  ]);
  return { ...scene, args: Object.fromEntries(filled) };
}

const FILLED: Wish = { isMust: true, holds: (value) => !hasEmptyList(sceneOf(value)), changes: () => [] };

/** The scene that the first successful search finds, as a list of at most one. */
function firstFound(repairs: readonly Repair[], search: (repair: Repair) => Found): readonly Scene[] {
  for (const repair of repairs) {
    const { value, isGood } = search(repair);
    if (isGood) return [sceneOf(value)];
  }
  return [];
}

/** What a call and the session before it may look like, by the expressions of one tool. */
export interface ToolScenes {
  /** All conditions hold; none if no such scene was found. */
  readonly good: readonly Scene[];
  /** One condition alone does not hold, or a checkpoint asks. */
  readonly bad: readonly Scene[];
  /** An output breaks one guarantee alone, or none of them. */
  readonly outputs: readonly Scene[];
}

const NO_SCENES: ToolScenes = { good: [], bad: [], outputs: [] };

/** Finds what the expressions of a pack's tools ask of arguments, slots, outputs and the principal, before any session is played. */
export class Scenes {
  private readonly kept = new Map<string, () => ToolScenes>();

  constructor(
    private readonly program: Program,
    /** Whom the scenes start with. */
    private readonly principal: Json = program.principal,
  ) {}

  of(name: string): ToolScenes {
    const known = this.kept.get(name) ?? remembered(() => this.find(name));
    this.kept.set(name, known);
    return known();
  }

  /** Every scene of a tool. */
  all(name: string): readonly Scene[] {
    const { good, bad, outputs } = this.of(name);
    return [...good, ...bad, ...outputs];
  }

  /**
   * Scenes that the expressions of a tool accept and one of another pack does not: a call, its result, or a call that only
   * the other pack asks about.
   */
  against(name: string, other: Program): readonly Scene[] {
    const tool = this.program.tools.get(name);
    const [from] = this.of(name).good;
    if (tool === undefined || from === undefined) return [];
    const [own, theirs] = [expressionsOfTool(tool), expressionsOfTool(other.tools.get(name))];
    const known = new Set(Object.values(own).flatMap((all) => all.map((that) => meaningOf(that, this.program.pack))));
    const broken = (all: readonly JudgedExpression[], wanted: boolean, kept: readonly Wish[]) =>
      all
        .filter((that) => !known.has(meaningOf(that, other.pack)))
        .flatMap((that) => {
          const repairs = [OF_OUTPUTS, OF_TIMED_OUTPUTS].map((each) => this.repairOf(tool, each, that, other.pack));
          return firstFound(repairs, (repair) =>
            searchValue([from], [wishFor(repair, that.tree, wanted), ...kept], "attempts_scenes"),
          );
        });
    const keeping = (all: readonly JudgedExpression[], wanted: boolean) =>
      all.map((that) => wishFor(this.repairOf(tool, OF_OUTPUTS, that), that.tree, wanted));
    const required = keeping(own.required, true);
    return [
      ...broken(theirs.required, false, required),
      ...broken(theirs.asking, true, [...keeping(own.asking, false), ...required]),
      ...broken(theirs.ensured, false, [...keeping(own.ensured, true), ...required]),
    ];
  }

  private repairOf(
    { name }: Tool,
    editable: ReadonlySet<Root>,
    of: JudgedExpression,
    pack = this.program.pack,
  ): Repair {
    const { context } = preparedOf(of, pack).scope;
    const slotsOf = (scene: Scene) => new SceneSlots(scene, context.slots);
    return new Repair(new Reading({ context, tool: name, editable, slotsOf }));
  }

  private find(name: string): ToolScenes {
    const tool = this.program.tools.get(name);
    const { required, asking, ensured } = expressionsOfTool(tool);
    const [any] = [...required, ...asking, ...ensured];
    if (tool === undefined || any === undefined) return NO_SCENES;
    const repairs = [OF_CALLS, OF_TIMED_CALLS].map((editable) => this.repairOf(tool, editable, any));
    const space = new ArgumentSpace(this.program, tool, { byPath: new Map() });
    const fixed = argumentWishes(space);
    const start: Scene = {
      ...EMPTY_SCENE,
      args: plainArguments(this.program, tool) ?? {},
      principal: this.principal ?? {},
    };
    const search = (from: Json, wishes: (repair: Repair) => readonly Wish[]): readonly Scene[] =>
      firstFound(repairs, (repair) => searchValue([from], wishes(repair), "attempts_scenes"));
    const holding = (repair: Repair, except: JudgedExpression | null) =>
      required.filter((that) => that !== except).map((that) => wishFor(repair, that.tree, true));
    const good = search(start, (repair) => {
      const quiet = asking.map(({ tree }) => wishFor(repair, tree, false, false));
      return [...fixed, ...holding(repair, null), ...quiet];
    });
    const from = good[0] ?? start;
    const filled = good
      .filter(hasEmptyList)
      .flatMap((scene) => search(fill(scene), (repair) => [FILLED, ...fixed, ...holding(repair, null)]));
    const failing = required.flatMap((that) => {
      const wishes = (repair: Repair) => [wishFor(repair, that.tree, false), ...fixed, ...holding(repair, that)];
      const found = filled.flatMap((one) => search(one, wishes));
      return found.length > 0 ? found : search(from, wishes);
    });
    const loud: readonly ((repair: Repair) => readonly Wish[])[] = [
      ...asking.map(({ tree }) => (repair: Repair) => [wishFor(repair, tree, true)]),
      ...askedWishes(space).map((wishes) => () => wishes),
    ];
    const asked = loud.flatMap((wishes) =>
      search(from, (repair) => [...wishes(repair), ...fixed, ...holding(repair, null)]),
    );
    const outputs = this.outputScenes(tool, ensured, from);
    return { good: [...good, ...filled], bad: [...failing, ...asked], outputs };
  }

  private outputScenes(tool: Tool, ensured: readonly JudgedExpression[], from: Scene): readonly Scene[] {
    const [any] = ensured;
    if (any === undefined) return [];
    const repairs = [OF_OUTPUTS, OF_TIMED_OUTPUTS].map((editable) => this.repairOf(tool, editable, any));
    return [null, ...ensured].flatMap((broken) =>
      firstFound(repairs, (repair) => {
        const goal = broken === null ? [] : [wishFor(repair, broken.tree, false)];
        const others = ensured.filter((that) => that !== broken).map((that) => wishFor(repair, that.tree, true));
        return searchValue([{ ...from }], [...goal, ...others], "attempts_scenes");
      }),
    );
  }
}

/** A principal whom the expressions of all tools accept, as far as one was found, made from a given one. */
export function acceptedPrincipal(program: Program, from: Json): Json {
  let principal = from;
  for (const { name } of program.pack.tools)
    principal = new Scenes(program, principal).of(name).good[0]?.principal ?? principal;
  return principal;
}
