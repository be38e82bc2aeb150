import type { Artifact, CompiledPack } from "../../artifact/compiled.js";
import { invariant } from "../../base/invariant.js";
import type { Json } from "../../base/json.js";
import type { Program } from "../../guard/program/program.js";
import type { RoleRules, WorkflowRules } from "../../workflow/rules/workflow-rules.js";
import { Moves } from "../calls/moves.js";
import { isBeyond, type MetName, recorded } from "../model/caps.js";
import { PackUnderTest } from "../model/pack-under-test.js";
import { simplificationsFor } from "../model/simplifications.js";
import type { SearchBounds } from "../search/search.js";
import { RoleSpace } from "./role-space.js";
import { type RoleArguments, SharedKeys } from "./shared-keys.js";

/** One role with all that searches for its sessions share. */
export interface Role {
  readonly rules: RoleRules;
  readonly pack: CompiledPack;
  readonly under: PackUnderTest;
  /** The principal who may call most of its tools. */
  readonly principal: Json | null;
  /** The tools that are called in searches. */
  readonly names: ReadonlySet<string>;
}

/** A workflow with everything that searches in it share. */
export class WorkflowUnderTest {
  /** One environment for all sessions: what the packs of the roles read. */
  readonly env: Readonly<Record<string, string>>;
  private readonly roles = new Map<string, Role>();
  private readonly spaces = new Map<string, { readonly space: RoleSpace; readonly met: ReadonlySet<MetName> }>();
  private keys: SharedKeys | null = null;
  /** Bounds met in preparing. */
  readonly met = new Set<MetName>();

  constructor(
    readonly artifact: Artifact,
    readonly rules: WorkflowRules,
    private readonly bounds: SearchBounds,
  ) {
    let env: Readonly<Record<string, string>> = {};
    const packs = new Map<number, PackUnderTest>();
    for (const role of rules.roles.values()) {
      const pack = artifact.packs[role.pack];
      invariant(pack !== undefined, "every role has a pack");
      const under = packs.get(role.pack) ?? new PackUnderTest(artifact, pack, env);
      packs.set(role.pack, under);
      env = { ...env, ...under.env };
      this.roles.set(role.name, this.prepare(role, pack, under));
    }
    this.env = env;
  }

  get all(): readonly Role[] {
    return [...this.roles.values()];
  }

  role(name: string): Role {
    const role = this.roles.get(name);
    invariant(role !== undefined, "a claim names declared roles");
    return role;
  }

  /** The sessions of a role by themselves. */
  space(name: string): RoleSpace {
    const known = this.spaces.get(name);
    if (known !== undefined) return known.space;
    const met = new Set<MetName>();
    const role = this.role(name);
    const space = recorded(met, () => {
      const { rules, under } = role;
      const program = this.searched(role);
      const given = {
        role: rules,
        program,
        moves: new Moves(program, under.libraryOf("few")),
        keys: this.sharedKeys(),
      };
      return new RoleSpace(given, this.bounds);
    });
    for (const found of [...role.under.met, ...simplificationsFor(role.pack, role.names)]) met.add(found);
    this.spaces.set(name, { space, met });
    return space;
  }

  /** Bounds and simplifications of the spaces of some roles. */
  metBy(names: Iterable<string>): readonly MetName[] {
    return [...names].flatMap((name) => [...(this.spaces.get(name)?.met ?? [])]);
  }

  /** States visited in all spaces. */
  get explored(): number {
    return [...this.spaces.values()].reduce((sum, { space }) => sum + space.explored, 0);
  }

  /** The program that judges the calls of one session, with all its rules. */
  program(name: string, principal: Json | null): Program {
    const { under, pack } = this.role(name);
    return under.slice(new Set(pack.tools.map((tool) => tool.name)), principal);
  }

  /** Other calls end a loop, so loop detection is left out of searches, and comes in again when a run is played. */
  private searched({ under, principal, names }: Role): Program {
    return under.slice(names, principal, "loop_detection");
  }

  private sharedKeys(): SharedKeys {
    this.keys ??= new SharedKeys(
      this.all.map((role): RoleArguments => {
        const program = this.searched(role);
        return { role: role.rules, program, library: role.under.libraryOf("enough") };
      }),
    );
    return this.keys;
  }

  private prepare(rules: RoleRules, pack: CompiledPack, under: PackUnderTest): Role {
    const all = new Set(pack.tools.map(({ name }) => name));
    const isWhole = recorded(this.met, () => !isBeyond(all.size, "tools_whole"));
    const advancing = pack.tools.filter(({ advances_to: next }) => next !== null).map(({ name }) => name);
    const names = isWhole ? all : under.cone.of(advancing);
    const [best, ...others] = under.principalsFor(names);
    if (others.length > 0) this.met.add("principals");
    return { rules, pack, under, principal: best?.principal ?? null, names };
  }
}
