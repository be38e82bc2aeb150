import type { RoleClaim } from "../../../src/artifact/claim.js";
import type { Artifact } from "../../../src/artifact/compiled.js";
import { isTouch, touchesOf } from "../../../src/workflow/rules/touched-resources.js";
import { holders, resourceName } from "../../../src/workflow/state/shared-resource.js";
import type { SmallWorkflow } from "./small-workflow.js";
import { type World, type WorldCall, Worlds } from "./world.js";

/** What every order of events in a small workflow shows. */
export interface Enumerated {
  isBroken(claim: RoleClaim): boolean;
  readonly hasDeadlock: boolean;
}

interface Place {
  readonly world: World;
  /** By what no session does that ends unfinished. */
  readonly next: number[];
}

/** Enumerates the worlds that a workflow can come to. */
class Enumeration {
  readonly places: Place[] = [];
  private readonly indices = new Map<string, number>();
  readonly called = new Set<string>();

  constructor(
    readonly worlds: Worlds,
    private readonly limit: number,
    private readonly mayEnd: (world: World, id: string) => boolean,
  ) {
    this.enter(worlds.beginning());
    for (let at = 0; at < this.places.length; at++) this.expand(at);
  }

  private enter(world: World): number {
    const key = this.worlds.keyOf(world);
    const known = this.indices.get(key);
    if (known !== undefined) return known;
    if (this.places.length >= this.limit) throw new Error("the workflow is too large to be enumerated");
    this.indices.set(key, this.places.length);
    return this.places.push({ world, next: [] }) - 1;
  }

  private expand(at: number): void {
    const place = this.places[at];
    if (place === undefined) return;
    const { world, next } = place;
    for (const member of world.workflow.sessions.values())
      for (const call of this.worlds.calls(world, member)) this.record(world, call);
    for (const { kind, session, to } of this.worlds.moves(world)) {
      const index = this.enter(to);
      const isEnd = kind === "close" || kind === "kill";
      if (!isEnd || (kind === "close" && this.mayEnd(world, session))) next.push(index);
    }
  }

  /** The statements that a call breaks. */
  private record({ workflow }: World, { member, tool, args }: WorldCall): void {
    const { rules } = this.worlds;
    this.called.add(JSON.stringify([member.role, tool.name]));
    const role = rules.roles.get(member.role);
    const touched = role === undefined ? [] : touchesOf(role, args).filter(isTouch);
    for (const resource of workflow.resources.values()) {
      const mode = rules.modes.get(resource.alias);
      const own = touched.find((touch) => touch.resource.alias === resource.alias);
      const isMeant =
        own === undefined || resourceName({ alias: resource.alias, key: own.key }) === resourceName(resource);
      if (mode === undefined || !isMeant) continue;
      for (const id of holders(mode, resource)) {
        const holder = workflow.sessions.get(id)?.role;
        if (id !== member.id) this.called.add(JSON.stringify([member.role, tool.name, holder, resource.alias]));
      }
    }
  }
}

const MOST_WORLDS = 60_000;

/** The largest number of sessions of a role that can ever start, up to four. */
function mostSessions(artifact: Artifact, role: string, others: SmallWorkflow["sessions"]): number {
  const { places } = new Enumeration(new Worlds(artifact, { ...others, [role]: 4 }, false), MOST_WORLDS, () => true);
  const counts = places.map(
    ({ world }) => [...world.workflow.sessions.values()].filter((member) => member.role === role).length,
  );
  return Math.max(...counts);
}

/** Whether a session by itself, in a workflow that is empty otherwise, can still come to its end. */
function ableAlone(artifact: Artifact, sessions: SmallWorkflow["sessions"]): (world: World, id: string) => boolean {
  const known = new Map<string, boolean>();
  const free = new Worlds({ ...artifact, workflow: withoutLimits(artifact) }, sessions);
  return ({ workflow, sessions: all }, id) => {
    const member = workflow.sessions.get(id);
    const session = all.get(id);
    if (member === undefined || session === undefined) return false;
    const open = Array.from(session.unsettled, ({ tool, args }) => [tool.name, args]);
    const key = JSON.stringify([member.role, session.phase, open]);
    const able = known.get(key) ?? canFinish(free, member.role, session);
    known.set(key, able);
    return able;
  };
}

function withoutLimits({ workflow }: Artifact): Artifact["workflow"] {
  if (workflow === null) return null;
  const none = {
    max_sessions: null,
    max_active_sessions: null,
    max_total_steps: null,
    max_total_cost: null,
    max_open_handoffs: null,
  };
  return { ...workflow, handoffs: [], limits: none, shared_resources: [] };
}

function canFinish(worlds: Worlds, role: string, session: Parameters<Worlds["isFinished"]>[1]): boolean {
  const start = [...worlds.moves(worlds.beginning())].find(
    (move) => move.kind === "start" && move.session === `${role}1`,
  );
  if (start === undefined) return false;
  const first: World = { workflow: start.to.workflow, sessions: new Map([[`${role}1`, session]]) };
  const seen = new Set([worlds.keyOf(first)]);
  const queue = [first];
  for (const world of queue) {
    const member = world.workflow.sessions.get(`${role}1`);
    const own = world.sessions.get(`${role}1`);
    if (member !== undefined && own !== undefined && worlds.isFinished(member, own)) return true;
    for (const { kind, session: id, to } of worlds.moves(world)) {
      if ((kind !== "call" && kind !== "settle") || id !== `${role}1` || seen.has(worlds.keyOf(to))) continue;
      seen.add(worlds.keyOf(to));
      queue.push(to);
    }
  }
  return false;
}

/** Whether a session that could finish alone is somewhere where it never can, though whoever is done leaves. */
function hasDeadlock({ places, worlds }: Enumeration, isAble: (world: World, id: string) => boolean): boolean {
  const ids = new Set(places.flatMap(({ world }) => [...world.sessions.keys()]));
  const back: number[][] = places.map(() => []);
  places.forEach(({ next }, from) => {
    for (const to of next) back[to]?.push(from);
  });
  return [...ids].some((id) => {
    const isDone = ({ workflow, sessions }: World) => {
      const member = workflow.sessions.get(id);
      const session = sessions.get(id);
      return member !== undefined && session !== undefined && worlds.isFinished(member, session);
    };
    const open = places.flatMap(({ world }, index) => (isDone(world) ? [index] : []));
    const reaching = new Set<number>();
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (reaching.has(at)) continue;
      reaching.add(at);
      open.push(...(back[at] ?? []));
    }
    return places.some(
      ({ world }, index) =>
        world.workflow.sessions.get(id)?.status === "active" && !reaching.has(index) && isAble(world, id),
    );
  });
}

/** Tries everything that can happen in a small workflow. */
export function enumerated(artifact: Artifact, { sessions }: SmallWorkflow): Enumerated {
  const isAble = ableAlone(artifact, sessions);
  const worlds = new Worlds(artifact, sessions);
  const enumeration = new Enumeration(worlds, MOST_WORLDS, (world, id) => {
    const member = world.workflow.sessions.get(id);
    const session = world.sessions.get(id);
    if (member === undefined || session === undefined) return false;
    // Whoever is done, was asked to cancel or is stuck by its own rules leaves at some time.
    return worlds.isFinished(member, session) || member.status === "cancel_requested" || !isAble(world, id);
  });
  const most = new Map([...worlds.rules.roles.keys()].map((role) => [role, mostSessions(artifact, role, sessions)]));
  return {
    isBroken(claim) {
      switch (claim.kind) {
        case "never_in_role":
          return enumeration.called.has(JSON.stringify([claim.role, claim.tool]));
        case "never_while_held":
          return enumeration.called.has(JSON.stringify([claim.role, claim.tool, claim.holder, claim.alias]));
        case "at_most_sessions":
          return (most.get(claim.role) ?? 0) > claim.sessions;
      }
    },
    hasDeadlock: hasDeadlock(enumeration, isAble),
  };
}
