import type { Artifact, CompiledPack } from "../../artifact/compiled.js";
import type { Place } from "../../artifact/compiled-value.js";
import { roleOfPack } from "../../artifact/roles.js";
import { isJsonObject } from "../../base/json.js";
import type { Guard } from "../../guard/guard-api.js";
import type { BlockVerdict } from "../../guard/public.js";
import { createRoleGuard } from "../../guard/role-guard.js";
import { Actor } from "./act.js";
import type { Plan } from "./plan.js";
import type { Trace, TraceStep } from "./trace.js";

/** A session that was replayed on the shipped guard. */
export interface Replayed {
  readonly trace: Trace;
  /** The places of all rules that refuse the last call. */
  readonly refusals: readonly (Place | null)[];
  /** What these rules ask for, and then those that rejected outputs; rules of one line differ by it. */
  readonly demands: readonly string[];
}

/** Replays sessions of one pack on guards made as users make them. */
export class Player {
  private readonly actor = new Actor();

  constructor(
    private readonly artifact: Artifact,
    private readonly role: string | undefined,
  ) {}

  /** A guard as users make it. */
  guard({ principal, env }: Pick<Plan, "principal" | "env">): Promise<Guard> {
    return createRoleGuard(this.artifact, {
      env,
      approver: "manual",
      clock: { now: () => this.actor.time },
      ...(isJsonObject(principal) ? { principal } : {}),
      ...(this.role === undefined ? {} : { role: this.role }),
    });
  }

  async play({ principal, env, actions }: Plan): Promise<Replayed> {
    this.actor.begin();
    const guard = await this.guard({ principal, env });
    const steps: TraceStep[] = [];
    let refusals: readonly BlockVerdict[] = [];
    for (const action of actions) {
      if (action.kind === "call") refusals = guard.explain(action);
      steps.push(await this.actor.act(guard, action));
    }
    return {
      trace: { principal, env, steps },
      refusals: refusals.map(({ rule }) => rule ?? null),
      demands: [...refusals.map(({ required }) => required ?? ""), ...this.actor.rejections],
    };
  }
}

/** A player for one pack of an artifact: in its role, or without one for the artifact's own pack. */
export function playerOf(artifact: Artifact, pack: CompiledPack): Player {
  return new Player(artifact, roleOfPack(artifact, artifact.packs.indexOf(pack)));
}
