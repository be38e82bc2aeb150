import { expressionsOf } from "../../artifact/compiled.js";
import type { Expression, JudgedExpression } from "../../artifact/expression.js";
import { isJsonList, isJsonObject, type Json } from "../../base/json.js";
import { preparedOf } from "../../guard/expression/of-pack.js";
import type { Program, Tool } from "../../guard/program/program.js";
import { remembered } from "../model/caps.js";
import { checksOf } from "../model/checks-of.js";
import { ArgumentSpace } from "../values/argument-space.js";
import { plainArguments } from "../values/argument-variants.js";
import { searchValue, type Wish } from "../values/value-search.js";
import { Reading } from "./reading.js";
import { Repair } from "./repair.js";
import { EMPTY_SCENE, type Root, type Scene, SceneSlots, sceneOf } from "./scene.js";

const OF_CALLS: ReadonlySet<Root> = new Set<Root>(["args", "principal", "slots"]);
const OF_OUTPUTS: ReadonlySet<Root> = new Set<Root>(["args", "output", "principal", "slots"]);

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

  /** Scenes in which the expressions of a tool hold, but one of another pack does not. */
  against(name: string, { pack, tools }: Program): readonly Scene[] {
    const tool = this.program.tools.get(name);
    const required = checksOf(tool?.compiled?.checks ?? [], "requires").map(({ that }) => that);
    const others = checksOf(tools.get(name)?.compiled?.checks ?? [], "requires").map(({ that }) => that);
    const [from] = this.of(name).good;
    if (tool === undefined || from === undefined) return [];
    const texts = new Set(required.map(({ text }) => text));
    return others
      .filter(({ text }) => !texts.has(text))
      .flatMap((other) => {
        const failing = wishFor(this.repairOf(tool, OF_CALLS, other, pack), other.tree, false);
        const holding = required.map((that) => wishFor(this.repairOf(tool, OF_CALLS, that), that.tree, true));
        const { value, isGood } = searchValue([from], [failing, ...holding], "attempts_scenes");
        return isGood ? [sceneOf(value)] : [];
      });
  }

  private repairOf(
    { name }: Tool,
    editable: ReadonlySet<Root>,
    of: JudgedExpression,
    pack = this.program.pack,
  ): Repair {
    const { context } = preparedOf(of, pack).scope;
    const slotsOf = (scene: Scene) => new SceneSlots(scene, context.slots);
    return new Repair(new Reading({ context, tool: name, now: 0, editable, slotsOf }));
  }

  private find(name: string): ToolScenes {
    const tool = this.program.tools.get(name);
    const checks = tool?.compiled?.checks ?? [];
    const required = checksOf(checks, "requires").map(({ that }) => that);
    const asking = checksOf(checks, "checkpoint").flatMap(expressionsOf);
    const ensured = (tool?.compiled?.ensures ?? []).map(({ that }) => that);
    const [any] = [...required, ...asking, ...ensured];
    if (tool === undefined || any === undefined) return NO_SCENES;
    const repair = this.repairOf(tool, OF_CALLS, any);
    const space = new ArgumentSpace(this.program, tool, { byPath: new Map() });
    const fixed = argumentWishes(space);
    const start: Scene = {
      ...EMPTY_SCENE,
      args: plainArguments(this.program, tool) ?? {},
      principal: this.principal ?? {},
    };
    const search = (from: Json, wishes: readonly Wish[]): readonly Scene[] => {
      const { value, isGood } = searchValue([from], wishes, "attempts_scenes");
      return isGood ? [sceneOf(value)] : [];
    };
    const holding = (except: JudgedExpression | null) =>
      required.filter((that) => that !== except).map((that) => wishFor(repair, that.tree, true));
    const quiet = asking.map(({ tree }) => wishFor(repair, tree, false, false));
    const good = search(start, [...fixed, ...holding(null), ...quiet]);
    const from = good[0] ?? start;
    const filled = good
      .filter(hasEmptyList)
      .flatMap((scene) => search(fill(scene), [FILLED, ...fixed, ...holding(null)]));
    const failing = required.flatMap((that) => {
      const wishes = [wishFor(repair, that.tree, false), ...fixed, ...holding(that)];
      const found = filled.flatMap((one) => search(one, wishes));
      return found.length > 0 ? found : search(from, wishes);
    });
    const loud = [...asking.map(({ tree }) => [wishFor(repair, tree, true)]), ...askedWishes(space)];
    const asked = loud.flatMap((wishes) => search(from, [...wishes, ...fixed, ...holding(null)]));
    const outputs = this.outputScenes(tool, ensured, from);
    return { good: [...good, ...filled], bad: [...failing, ...asked], outputs };
  }

  private outputScenes(tool: Tool, ensured: readonly JudgedExpression[], from: Scene): readonly Scene[] {
    const [any] = ensured;
    if (any === undefined) return [];
    const repair = this.repairOf(tool, OF_OUTPUTS, any);
    const holding = (except: JudgedExpression | null) =>
      ensured.filter((that) => that !== except).map((that) => wishFor(repair, that.tree, true));
    return [null, ...ensured].flatMap((broken) => {
      const goal = broken === null ? [] : [wishFor(repair, broken.tree, false)];
      const { value, isGood } = searchValue([{ ...from }], [...goal, ...holding(broken)], "attempts_scenes");
      return isGood ? [sceneOf(value)] : [];
    });
  }
}

/** A principal whom the expressions of all tools accept, as far as one was found, made from a given one. */
export function acceptedPrincipal(program: Program, from: Json): Json {
  let principal = from;
  for (const { name } of program.pack.tools)
    principal = new Scenes(program, principal).of(name).good[0]?.principal ?? principal;
  return principal;
}
