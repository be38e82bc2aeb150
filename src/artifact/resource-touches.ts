import { domainOf } from "../operators/index.js";
import type { CompiledCheck, CompiledPack, CompiledTool, CompiledWorkflow } from "./compiled.js";
import { mayHaveScalar, SCALARS } from "./schema-places.js";

type Path = CompiledPack["resources"][number]["path"];

/** A tool whose calls may touch a resource. */
export interface Touch {
  readonly tool: CompiledTool;
  /** Whether a call may change the resource: every side effect but `read`. */
  readonly isMutating: boolean;
}

/** The tools of one role that may touch a shared resource, and where their arguments name it. */
export interface RoleTouches {
  readonly role: string;
  /** Null where the role's session does not declare the resource. */
  readonly path: Path | null;
  readonly touches: readonly Touch[];
}

/** Whether a check lets a call pass that has a text, a number or a truth value at the path; false is certain. */
function mayPass(check: CompiledCheck, { text, steps }: Extract<Path, { kind: "definite" }>): boolean {
  switch (check.kind) {
    case "gate":
      return false;
    case "schema":
      return mayHaveScalar(check.schema, steps);
    case "input_invariant":
    case "execution_constraint":
    case "argument_invariant":
      if (check.path.text !== text) return true;
      return check.operators.every((operator) =>
        domainOf(operator).accepts.types.some((type) => SCALARS.includes(type)),
      );
    case "derived_invariant":
      if (check.path.text !== text) return true;
      return [...domainOf(check.operator).accepts.types, ...check.passes].some((type) => SCALARS.includes(type));
    default:
      return true;
  }
}

/** The tools of a pack with a call that may be allowed and that has a key of a resource at the path. */
export function touchesAt({ tools }: CompiledPack, path: Path): readonly Touch[] {
  if (path.kind !== "definite") return [];
  return tools
    .filter(({ checks }) => checks.every((check) => mayPass(check, path)))
    .map((tool) => ({ tool, isMutating: tool.side_effect !== "read" }));
}

type Touched = Pick<RoleTouches, "path" | "touches">;

const known = new WeakMap<CompiledPack, ReadonlyMap<string, Touched>>();

/** The resources of a pack by name, computed once: several roles may have one pack. */
function touchedIn(pack: CompiledPack): ReadonlyMap<string, Touched> {
  const found =
    known.get(pack) ??
    new Map(pack.resources.map(({ name, path }) => [name, { path, touches: touchesAt(pack, path) }]));
  known.set(pack, found);
  return found;
}

const NOTHING: Touched = { path: null, touches: [] };

/** Which tools of which roles may touch a shared resource; roles that do not declare it are listed too. */
export function touchesOf(
  { roles }: { readonly roles: readonly Pick<CompiledWorkflow["roles"][number], "name" | "pack">[] },
  packs: readonly CompiledPack[],
  alias: string,
): readonly RoleTouches[] {
  return roles.map(({ name: role, pack: index }) => {
    const pack = packs[index];
    return { role, ...((pack === undefined ? undefined : touchedIn(pack).get(alias)) ?? NOTHING) };
  });
}
