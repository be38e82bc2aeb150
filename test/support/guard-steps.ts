import { expect } from "vitest";
import type { Reason } from "../../src/artifact/reasons.js";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { GuardOptions, RecordedAnswer, SettleResult, Verdict } from "../../src/guard/public.js";
import type { Outcome } from "../../src/guard/session/outcome.js";
import { artifactOf } from "./guard-artifact.js";
import { TestClock } from "./guard-clock.js";

/** A proposal as a table writes it; `{ $list: item, times: n }` and `{ $text: part, times: n }` stand for long ones. */
interface TableCall {
  readonly tool: string;
  readonly args?: unknown;
}

/** `allow`, `allow, would <reason>`, `approval_required`, the reason of a block, or a part of the verdict. */
type ExpectedVerdict = string | object;

/** One step of a case; exactly one key besides `expect`, `outcome` and `times` says what it does. */
interface TableStep {
  readonly propose?: TableCall;
  readonly explain?: TableCall;
  /** The n-th allowed call, the `last` one, or a call id. */
  readonly settle?: number | string;
  readonly outcome?: Outcome;
  readonly approve?: number | string;
  readonly deny?: number | string;
  readonly resume?: number | string;
  readonly begin_step?: true;
  readonly label?: string;
  readonly cost?: number;
  readonly kill?: string;
  readonly advance_clock_ms?: number;
  readonly visible?: readonly string[];
  readonly hidden?: Readonly<Record<string, Reason>>;
  /** Parts of the state, each compared as a whole; unsettled calls by tool and status. */
  readonly state?: object;
  readonly expect?: unknown;
  readonly times?: number;
}

/** One case of a table. */
export interface TableCase {
  readonly name: string;
  /** A pack text, or the name of one under `given`. */
  readonly pack: string;
  readonly options?: GuardOptions;
  readonly steps: readonly TableStep[];
}

/** A file of test/checks. */
export interface Table {
  readonly given?: Readonly<Record<string, string>>;
  readonly cases: readonly TableCase[];
}

/** A verdict in one word, or three in shadow mode. */
export function told(verdict: Verdict | RecordedAnswer | { readonly kind: "allow" }): string {
  if (verdict.kind === "block") return verdict.reason;
  return "would" in verdict && verdict.would !== undefined ? `allow, would ${told(verdict.would)}` : verdict.kind;
}

function expanded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expanded);
  if (typeof value !== "object" || value === null) return value;
  const times = "times" in value ? Number(value.times) : 0;
  if ("$list" in value) return Array.from({ length: times }, () => expanded(value.$list));
  if ("$text" in value) return String(value.$text).repeat(times);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expanded(item)]));
}

function settledAs({ accepted, reason, violation }: SettleResult): object {
  return {
    accepted,
    ...(reason === undefined ? {} : { reason }),
    ...(violation === undefined ? {} : { violation: violation.reason }),
  };
}

/** A guard on its way through the steps of one case. */
class Run {
  private readonly calls: string[] = [];
  private readonly approvals: string[] = [];

  constructor(
    private readonly guard: Guard,
    private readonly clock: TestClock,
  ) {}

  async take(step: TableStep, where: string): Promise<void> {
    const { guard } = this;
    if (step.propose !== undefined) await this.judge(guard.propose(this.call(step.propose)), step, where);
    else if (step.approve !== undefined) await this.judge(guard.approve(this.approval(step.approve), BY), step, where);
    else if (step.deny !== undefined) await this.judge(guard.deny(this.approval(step.deny), BY), step, where);
    else if (step.resume !== undefined) await this.judge(guard.resume(this.approval(step.resume)), step, where);
    else if (step.settle !== undefined) await this.settle(step, where);
    else if (step.explain !== undefined) {
      expect(guard.explain(this.call(step.explain)).map(told), where).toEqual(step.expect);
    } else if (step.begin_step !== undefined) expect(told(await guard.beginStep()), where).toBe(step.expect ?? "allow");
    else if (step.label !== undefined) await guard.addLabel(step.label);
    else if (step.cost !== undefined) await guard.recordCost(step.cost);
    else if (step.kill !== undefined) await guard.kill(step.kill);
    else if (step.advance_clock_ms !== undefined) this.clock.advance(step.advance_clock_ms);
    else if (step.visible !== undefined) expect(guard.visibleTools().visible, where).toEqual(step.visible);
    else if (step.hidden !== undefined) this.expectHidden(step.hidden, where);
    else if (step.state !== undefined) this.expectState(step.state, where);
    else throw new Error(`${where}: no such step`);
  }

  private call({ tool, args = {} }: TableCall): { tool: string; args: unknown } {
    return { tool, args: expanded(args) };
  }

  private async judge(
    pending: Promise<Verdict | RecordedAnswer>,
    { expect: expected }: TableStep,
    where: string,
  ): Promise<void> {
    const verdict = await pending;
    if (verdict.kind === "approval_required") this.approvals.push(verdict.approvalId);
    if (verdict.kind === "allow" && !this.calls.includes(verdict.callId)) this.calls.push(verdict.callId);
    const wanted = expected as ExpectedVerdict | undefined; // a table is written by hand and fails loudly
    if (typeof wanted === "object") expect(verdict, where).toMatchObject(wanted);
    else expect(told(verdict), where).toBe(wanted);
  }

  private async settle({ settle, outcome, expect: expected }: TableStep, where: string): Promise<void> {
    if (settle === undefined || outcome === undefined) throw new Error(`${where}: a settlement needs an outcome`);
    const result = await this.guard.settle(nth(this.calls, settle), outcome);
    expect(settledAs(result), where).toEqual(expected ?? { accepted: true });
  }

  private approval(which: number | string): string {
    return nth(this.approvals, which);
  }

  private expectHidden(wanted: Readonly<Record<string, Reason>>, where: string): void {
    const hidden = this.guard.visibleTools().hidden.map(({ tool, reason }) => [tool, reason]);
    expect(Object.fromEntries(hidden), where).toEqual(wanted);
  }

  private expectState(wanted: object, where: string): void {
    const state = this.guard.state();
    const unsettled = state.unsettled.map(({ tool, status }) => ({ tool, status }));
    const parts = Object.entries({ ...state, unsettled }).filter(([key]) => key in wanted);
    expect(Object.fromEntries(parts), where).toEqual(wanted);
  }
}

const BY = { by: "a tester" };

function nth(ids: readonly string[], which: number | string): string {
  if (which === "last") return ids.at(-1) ?? "none yet";
  return typeof which === "number" ? (ids[which - 1] ?? "none yet") : which;
}

/** Runs the steps of a case, one after the other, on a guard of its own. */
export async function runCase({ pack, options = {}, steps }: TableCase): Promise<void> {
  const clock = new TestClock();
  const guard = await createGuard(artifactOf(pack), { env: {}, ...options, clock });
  const run = new Run(guard, clock);
  for (const [index, step] of steps.entries()) {
    const where = `step ${index + 1}: ${JSON.stringify(step)}`;
    for (let time = 0; time < (step.times ?? 1); time++) await run.take(step, where);
  }
}
