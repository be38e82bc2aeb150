import type { CompiledPack, CompiledTool } from "../artifact/compiled.js";
import { isSamePlace, type Place } from "../artifact/compiled-value.js";
import { type PackRule, PackRules, type RuleKind } from "../artifact/pack-rules.js";

/** How often the parts of one pack were used. */
export interface PackCoverage {
  /**
   * How often a rule refused a call, asked for its approval, rejected its output or ended its session, by the id of the rule;
   * in shadow mode, how often it would have.
   */
  readonly rules: ReadonlyMap<string, number>;
  readonly tools: ReadonlyMap<string, { readonly allowed: number; readonly refused: number }>;
  readonly transitions: readonly { readonly from: string; readonly to: string; readonly taken: number }[];
}

/** One session, as far as its phase is known. */
interface Progress {
  phase: string | null;
  readonly tools: Map<string, CompiledTool>;
  /** The answers so far, each with its call. */
  readonly answers: Set<string>;
}

/** Counts the use of one pack. */
export class PackCount {
  readonly tools: ReadonlyMap<string, CompiledTool>;
  private readonly rules: PackRules;
  private readonly fired = new Map<string, number>();
  private readonly used = new Map<string, { allowed: number; refused: number }>();
  private readonly taken = new Map<string, Map<string, number>>();
  private readonly broken = new Set<string>();
  private readonly sessions = new Map<string, Progress>();

  constructor(private readonly pack: CompiledPack) {
    this.rules = new PackRules(pack);
    this.tools = new Map(pack.tools.map((tool) => [tool.name, tool]));
  }

  /** Counts a refusal for a rule; returns whether exactly one rule explains it. */
  countRule(tool: string, at: Place | null, kinds: readonly RuleKind[] | undefined): boolean {
    const [rule, ...others] = this.rules
      .ofTool(tool)
      .filter((known) => at !== null && isSamePlace(known.at, at) && (kinds?.includes(known.body.kind) ?? true));
    if (rule === undefined || others.length > 0) return false;
    this.add(rule);
    return true;
  }

  /** Counts the end of a session by a circuit breaker; returns whether the pack has it. */
  countBreaker(session: string, breaker: "blocks" | "errors"): boolean {
    const rule = this.rules.all.find(({ body }) => body.kind === "circuit_breaker" && body.of === breaker);
    if (rule === undefined) return false;
    // A session ends once, but every guard that resumes it reports that. Sessions without a name cannot be distinguished.
    if (session === "" || !this.broken.has(session)) this.add(rule);
    this.broken.add(session);
    return true;
  }

  countVerdict(tool: string, verdict: "allowed" | "refused"): void {
    const counts = this.used.get(tool) ?? { allowed: 0, refused: 0 };
    counts[verdict] += 1;
    this.used.set(tool, counts);
  }

  /** Remembers the tool of a call: later events have only the call id. */
  rememberTool(session: string, callId: string, tool: CompiledTool): void {
    this.progressOf(session).tools.set(callId, tool);
  }

  /**
   * Whether a call got this answer before: a proposal that is repeated under its key, or resumed again, is no other call. Sessions
   * without a name cannot be distinguished.
   */
  isRepeated(session: string, callId: string, answer: string): boolean {
    const { answers } = this.progressOf(session);
    const key = `${answer} ${callId}`;
    if (session !== "" && answers.has(key)) return true;
    answers.add(key);
    return false;
  }

  /** Some calls commit when they are sent. */
  send(session: string, tool: CompiledTool): void {
    if (tool.commits === "at_dispatch") this.move(this.progressOf(session), tool);
  }

  commit(session: string, callId: string): void {
    const progress = this.progressOf(session);
    const tool = progress.tools.get(callId);
    if (tool !== undefined && tool.commits === "on_result") this.move(progress, tool);
  }

  toolOf(session: string, callId: string | null): string | null {
    return callId === null ? null : (this.progressOf(session).tools.get(callId)?.name ?? null);
  }

  /** No more events of the session come. */
  forget(session: string): void {
    this.sessions.delete(session);
    this.broken.delete(session);
  }

  coverage(): PackCoverage {
    const transitions = (this.pack.phases?.transitions ?? []).map(({ from, to }) => ({
      from,
      to,
      taken: this.taken.get(from)?.get(to) ?? 0,
    }));
    return { rules: this.fired, tools: this.used, transitions };
  }

  private add({ id }: PackRule): void {
    this.fired.set(id, (this.fired.get(id) ?? 0) + 1);
  }

  private progressOf(session: string): Progress {
    const known = this.sessions.get(session);
    if (known !== undefined) return known;
    const progress = {
      phase: this.pack.phases?.initial ?? null,
      tools: new Map<string, CompiledTool>(),
      answers: new Set<string>(),
    };
    this.sessions.set(session, progress);
    return progress;
  }

  private move(progress: Progress, { advances_to: next }: CompiledTool): void {
    if (progress.phase === null || next === null || progress.phase === next) return;
    const from = this.taken.get(progress.phase) ?? new Map<string, number>();
    this.taken.set(progress.phase, from.set(next, (from.get(next) ?? 0) + 1));
    progress.phase = next;
  }
}
