import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import type { Program, Tool } from "../../guard/program/program.js";
import { proposalOf } from "../../guard/program/proposal.js";
import { newSession } from "../../guard/session/session.js";
import { readAll } from "../../guard/values/read-path.js";
import type { RoleRules } from "../../workflow/rules/workflow-rules.js";
import { othersLike } from "../calls/other-values.js";
import type { ValueLibrary } from "../calls/value-library.js";
import { withValue } from "../calls/variations.js";
import { first } from "../model/caps.js";
import { checksOf, OF_ARGUMENTS } from "../model/checks-of.js";
import { entryOf } from "../values/argument-rules.js";
import { setValue } from "../values/edit-value.js";
import { satisfyingValues } from "../values/operator-values.js";
import { stepsOf } from "../values/path-values.js";
import { schemaValuesAt } from "../values/schema-values.js";

/** One role as far as its arguments matter. */
export interface RoleArguments {
  readonly role: RoleRules;
  readonly program: Program;
  readonly library: ValueLibrary;
}

type Key = string | number | boolean;

function isKey(value: Json): value is Key {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** Whether no rule on arguments refuses a call. */
function isFit(program: Program, tool: Tool, args: JsonObject): boolean {
  const proposal = proposalOf(tool, args);
  const beginning = newSession(program);
  return tool.checks.every(({ kind, run }) => !OF_ARGUMENTS.has(kind) || run(proposal, beginning, program) === null);
}

/** Whether the rules or the schema of a tool know of a path. */
function knows(tool: Tool, path: JsonPath, good: readonly JsonObject[]): boolean {
  const isRuled = (tool.compiled?.checks ?? []).some((check) => "path" in check && check.path.text === path.text);
  return isRuled || good.some((args) => readAll(path, args).length > 0);
}

/** The keys that the rules and the schema of a tool suggest at a path. */
function suggested({ env }: Program, { compiled }: Tool, path: JsonPath): readonly Key[] {
  const checks = compiled?.checks ?? [];
  const entries = checks.flatMap((check) => entryOf(check) ?? []).filter((entry) => entry.path.text === path.text);
  const values = [
    ...entries.flatMap(({ operators }) => first(satisfyingValues(operators, env), "values_accepted")),
    ...checksOf(checks, "schema").flatMap(({ schema }) => schemaValuesAt(schema, stepsOf(path))),
  ];
  return values.filter(isKey);
}

/**
 * The keys of shared resources to be tried. Sessions meet at a resource only if they name it equally, so the same few keys are tried
 * in all roles: those that fit most tools.
 */
export class SharedKeys {
  private readonly byAlias = new Map<string, readonly Key[]>();
  /** By role and tool, the paths of shared resources that its calls may have. */
  private readonly carried = new Map<string, readonly { readonly alias: string; readonly path: JsonPath }[]>();

  constructor(roles: readonly RoleArguments[]) {
    for (const each of roles) this.carry(each);
    const aliases = new Set(roles.flatMap(({ role }) => role.resources.map(({ alias }) => alias)));
    for (const alias of aliases) this.byAlias.set(alias, this.choose(alias, roles));
  }

  /** Arguments of a call with each of the keys at the places that name shared resources, and without them where that fits. */
  variants(role: string, tool: Tool, args: JsonObject): readonly JsonObject[] {
    let variants: readonly JsonObject[] = [args];
    for (const { alias, path } of this.carried.get(nameOf(role, tool.name)) ?? []) {
      const keys = this.byAlias.get(alias) ?? [];
      variants = variants.flatMap((each) => [
        each,
        ...keys.map((key) => withValue(each, path, key)),
        ...[setValue(each, path, undefined)].filter(isJsonObject),
      ]);
    }
    const byText = new Map(variants.map((each) => [JSON.stringify(each), each]));
    return [...byText.values()];
  }

  /** A path that no tool of the role knows may be in the arguments of each of them. */
  private carry({ role, program, library }: RoleArguments): void {
    const tools = [...program.tools.values()];
    for (const { alias, path } of role.resources) {
      const knowing = tools.filter((tool) => knows(tool, path, library.argumentsOf(tool.name).good));
      for (const tool of knowing.length > 0 ? knowing : tools) {
        const name = nameOf(role.name, tool.name);
        this.carried.set(name, [...(this.carried.get(name) ?? []), { alias, path }]);
      }
    }
  }

  private choose(alias: string, roles: readonly RoleArguments[]): readonly Key[] {
    const uses = roles.flatMap(({ role, program, library }) =>
      [...program.tools.values()].flatMap((tool) => {
        const path = this.carried.get(nameOf(role.name, tool.name))?.find((each) => each.alias === alias)?.path;
        const [plain] = library.argumentsOf(tool.name).good;
        return path === undefined || plain === undefined ? [] : [{ program, tool, path, plain, library }];
      }),
    );
    const found = uses.flatMap(({ program, tool, path, library }) => [
      ...library.argumentsOf(tool.name).good.flatMap((args) => readAll(path, args).filter(isKey)),
      ...suggested(program, tool, path),
    ]);
    const plain = found.length === 0 ? [alias] : found;
    const candidates = [...plain, ...plain.flatMap((key) => [1, 2].flatMap((at) => othersLike(key, at))).filter(isKey)];
    const byText = new Map(candidates.map((key) => [String(key), key]));
    const scored = [...byText.values()].map((key) => ({
      key,
      fits: uses.filter(({ program, tool, path, plain: args }) => isFit(program, tool, withValue(args, path, key)))
        .length,
    }));
    const best = scored.filter(({ fits }) => fits > 0).sort((a, b) => b.fits - a.fits);
    return first(best, "keys_shared").map(({ key }) => key);
  }
}

function nameOf(role: string, tool: string): string {
  return JSON.stringify([role, tool]);
}
