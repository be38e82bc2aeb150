import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  context,
  INVALID_SPAN_CONTEXT,
  type Meter,
  metrics,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { foreignProperty } from "../base/foreign-value.js";
import type { Guard } from "../guard/guard-api.js";
import type { ProposedCall, RecordedAnswer, SettleResult, Verdict } from "../guard/public.js";
import type { Outcome } from "../guard/session/outcome.js";
import type { CallOptions, ProxyCall, WrapOptions } from "../guard/wrap/call-options.js";
import { ContractViolation } from "../guard/wrap/contract-violation.js";
import { CallSpan } from "./call-span.js";
import { measureGuard } from "./guard-metrics.js";
import { quietly } from "./quiet.js";

/** Where telemetry goes, and whether it holds arguments. */
export interface TelemetryOptions {
  /** By default those that the process registered with `@opentelemetry/api`. */
  readonly tracer?: Tracer;
  readonly meter?: Meter;
  /** Puts the arguments of calls into spans. They are left out by default. */
  readonly arguments?: boolean;
}

const SCOPE = "contract-guard";
/** Where the tracer gives none. */
const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
/** No tool has a longer one, but a model may write anything. */
const LONGEST_NAME = 128;
/** Spans of calls that their caller settles itself; the oldest is ended where there are more. */
const MOST_OPEN = 10_000;

/** The spans of one guard. */
class Spans {
  private readonly tracer: Tracer;
  private readonly withArguments: boolean;
  private readonly open = new Map<string, CallSpan>();
  /** The wrapped call that a decision belongs to. */
  private readonly current = new AsyncLocalStorage<CallSpan>();

  constructor(
    private readonly guard: Guard,
    { tracer = trace.getTracer(SCOPE), arguments: withArguments = false }: TelemetryOptions,
  ) {
    this.tracer = tracer;
    this.withArguments = withArguments;
    guard.on("decision", (event) => {
      if (event.kind === "allow") this.current.getStore()?.allowed(event);
    });
  }

  async propose(call: ProposedCall): Promise<Verdict> {
    const span = this.start(foreignProperty(call, "tool"), foreignProperty(call, "args"));
    try {
      const verdict = await this.guard.propose(call);
      span.judged(verdict, this.guard.state().phase);
      if (verdict.kind === "allow" && verdict.repeated !== true) this.hold(verdict.callId, span);
      else span.end();
      return verdict;
    } catch (cause) {
      span.threw(cause);
      span.end();
      throw cause;
    }
  }

  /** An answer, or a call that is resumed: where that allows the call, a span of its own goes on to its settlement. */
  async allowed<T extends Verdict | RecordedAnswer>(answered: Promise<T>): Promise<T> {
    const verdict = await answered;
    if (verdict.kind !== "allow" || verdict.repeated === true) return verdict;
    const call = this.guard.unsettled().find(({ callId }) => callId === verdict.callId);
    const span = this.start(call?.tool, call?.fields);
    span.judged(verdict, this.guard.state().phase);
    this.hold(verdict.callId, span);
    return verdict;
  }

  async settle(callId: string, outcome: Outcome): Promise<SettleResult> {
    const span = this.open.get(callId);
    try {
      const settled = await this.guard.settle(callId, outcome);
      if (settled.violation !== undefined) span?.failed(settled.violation.reason);
      else if (outcome.kind === "error" || outcome.kind === "timeout") span?.failed(outcome.kind);
      return settled;
    } catch (cause) {
      span?.threw(cause);
      throw cause;
    } finally {
      this.open.delete(callId);
      span?.end();
    }
  }

  wrap(proxyCall: ProxyCall, options?: WrapOptions): ProxyCall {
    const guarded = this.guard.wrap(proxyCall, options);
    return (tool, args, given) => {
      const span = this.taken(given) ?? this.start(tool, args);
      return this.current.run(span, () => within(span, () => this.traced(span, () => guarded(tool, args, given))));
    };
  }

  private async traced(span: CallSpan, call: () => Promise<unknown>): Promise<unknown> {
    try {
      const output = await call();
      span.happened();
      return output;
    } catch (cause) {
      if (cause instanceof ContractViolation) span.judged(cause.verdict, null);
      else span.threw(cause);
      throw cause;
    } finally {
      span.inPhase(this.guard.state().phase);
      span.end();
    }
  }

  /** The span of a call that was proposed for a wrapped one: it goes on. */
  private taken(given: CallOptions | undefined): CallSpan | undefined {
    const reserved = foreignProperty(given, "reserved");
    if (typeof reserved !== "string") return undefined;
    const span = this.open.get(reserved);
    this.open.delete(reserved);
    return span;
  }

  private start(tool: unknown, args: unknown): CallSpan {
    const name = typeof tool === "string" ? tool.slice(0, LONGEST_NAME) : "unknown";
    const attributes: Attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "contract_guard.session": this.guard.sessionId,
      "contract_guard.artifact": this.guard.artifactHash,
      ...(this.withArguments ? { "gen_ai.tool.call.arguments": shown(args) } : {}),
    };
    const span = quietly(() => this.tracer.startSpan(`execute_tool ${name}`, { attributes }), NO_SPAN);
    return new CallSpan(span ?? NO_SPAN);
  }

  private hold(callId: string, span: CallSpan): void {
    this.open.set(callId, span);
    if (this.open.size <= MOST_OPEN) return;
    const [oldest] = this.open;
    if (oldest === undefined) return;
    this.open.delete(oldest[0]);
    oldest[1].end();
  }
}

/** Runs a call once, as the parent of what happens in it where that can be told. */
function within(span: CallSpan, call: () => Promise<unknown>): Promise<unknown> {
  let running: Promise<unknown> | null = null;
  const run = () => {
    running ??= call();
    return running;
  };
  quietly(() => void context.with(trace.setSpan(context.active(), span.span), run), undefined);
  return run();
}

function shown(args: unknown): string {
  try {
    return JSON.stringify(args) ?? "";
  } catch {
    return "";
  }
}

/**
 * The same guard, with a span `execute_tool {tool}` for each call and metrics of its decisions. Verdicts do not depend on it. Spans
 * hold no arguments, outputs or principals unless they are asked for.
 */
export function instrumentGuard(guard: Guard, options: TelemetryOptions = {}): Guard {
  measureGuard(guard, options.meter ?? metrics.getMeter(SCOPE));
  const spans = new Spans(guard, options);
  const own: Pick<Guard, "propose" | "approve" | "resume" | "settle" | "wrap"> = {
    propose: (call) => spans.propose(call),
    approve: (approvalId, answer) => spans.allowed(guard.approve(approvalId, answer)),
    resume: (approvalId) => spans.allowed(guard.resume(approvalId)),
    settle: (callId, outcome) => spans.settle(callId, outcome),
    wrap: (proxyCall, given) => spans.wrap(proxyCall, given),
  };
  return new Proxy(guard, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
