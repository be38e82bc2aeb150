import type { StepOutcome, StepVerdict, Trace, TraceStep } from "../../analysis/trace/trace.js";
import type { CompiledPack } from "../../artifact/compiled.js";
import { REASONS } from "../../artifact/reasons.js";
import { unreachable } from "../../base/invariant.js";
import { isJsonObject, type Json } from "../../base/json.js";
import { html, type Markup } from "../markup.js";
import { counted, placeText } from "../sentence-words.js";

/** One step as the script of the page shows it: all texts are made here, so that the script only places them. */
export interface StepView {
  readonly title: string;
  readonly tool: number | null;
  /** The phases before and after, by number. */
  readonly from: number | null;
  readonly to: number | null;
  readonly verdict: StepVerdict["kind"] | "event";
  readonly facts: readonly (readonly [label: string, value: string])[];
}

/** A session that can be stepped through. */
export interface TraceView {
  readonly pack: number;
  readonly title: string;
  /** The principal and the environment. */
  readonly setting: string;
  /** Indices of all its steps: sessions share steps, because most begin alike. */
  readonly steps: readonly number[];
}

/** Everything the script of the page steps through. */
interface TraceData {
  readonly traces: readonly TraceView[];
  readonly steps: readonly StepView[];
}

const LONGEST = 600;

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** A value for people: an object has a line for each of its entries. */
function written(value: Json): string {
  if (!isJsonObject(value)) return cut(JSON.stringify(value));
  const lines = Object.entries(value).map(([name, item]) => cut(`${name}: ${JSON.stringify(item)}`));
  return lines.length === 0 ? "nothing" : lines.join("\n");
}

function approvalWords({ isUnanswered }: StepVerdict & { readonly kind: "approval" }): string {
  return isUnanswered === true ? "the approval expired unanswered" : "a person approves";
}

function verdictFacts(verdict: StepVerdict): StepView["facts"] {
  switch (verdict.kind) {
    case "allow":
      return [["Verdict", "allowed"]];
    case "approval":
      return [["Verdict", `allowed after ${approvalWords(verdict)} (${verdict.rules.map(placeText).join(", ")})`]];
    case "block": {
      const { reason, rule, required, found } = verdict;
      const where = rule === null ? "" : ` (${placeText(rule)})`;
      return [
        ["Verdict", `refused: ${REASONS[reason]}${where}`],
        ["Required", required],
        ["Found", found],
      ];
    }
    default:
      return unreachable(verdict);
  }
}

function outcomeFacts(outcome: StepOutcome | null): StepView["facts"] {
  switch (outcome?.kind) {
    case undefined:
      return [];
    case "result":
      return [["Answer", written(outcome.output)]];
    case "violated": {
      const where = outcome.rule === null ? "" : ` (${placeText(outcome.rule)})`;
      return [
        ["Answer", written(outcome.output)],
        ["Result", `withheld: ${REASONS[outcome.reason]}${where}`],
      ];
    }
    case "failed":
      return [["Answer", "none: the call could not be sent"]];
    case "lost":
      return [["Answer", "none: the call timed out after it was sent, so it may have happened"]];
    case "open":
      return [["Answer", "none yet: the call is still running"]];
    default:
      return unreachable(outcome);
  }
}

function titled(step: TraceStep): Pick<StepView, "title" | "verdict" | "facts"> {
  switch (step.kind) {
    case "call": {
      const { tool, args, verdict, outcome } = step;
      const facts = [["Arguments", written(args)] as const, ...verdictFacts(verdict), ...outcomeFacts(outcome)];
      return { title: tool, verdict: verdict.kind, facts };
    }
    case "settle":
      return { title: `${step.tool} answers`, verdict: "event", facts: [["Answer", written(step.output)]] };
    case "label":
      return { title: `The session gets the label ${step.label}`, verdict: "event", facts: [] };
    case "step":
      return { title: "The next turn of the model begins", verdict: "event", facts: [] };
    case "cost":
      return { title: `The session costs ${step.usd} USD more`, verdict: "event", facts: [] };
    default:
      return unreachable(step);
  }
}

/** A sentence without the marks around names and paths. */
function plain(sentence: string): string {
  return sentence.replace(/`|\$\./g, "");
}

/** A short label that distinguishes a button for screen readers. */
function shortened(title: string): string {
  return title.length > 200 ? `${title.slice(0, 200)}…` : title;
}

function settingOf({ principal, env }: Trace): string {
  const caller = principal === null ? [] : [`The caller: ${written(principal).replaceAll("\n", ", ")}.`];
  const names = Object.entries(env).map(([name, value]) => `${name} is ${JSON.stringify(value)}`);
  return [...caller, ...(names.length === 0 ? [] : [`In the environment ${names.join(", ")}.`])].join(" ");
}

function stepViews(trace: Trace, { pack, toolIndex, phaseIndex }: Surroundings): readonly StepView[] {
  const phaseOf = (name: string | null) => (name === null ? null : (phaseIndex.get(name) ?? null));
  let from = phaseOf(pack.phases?.initial ?? null);
  return trace.steps.map((step) => {
    const to = phaseOf(step.phase);
    const view = { ...titled(step), tool: "tool" in step ? (toolIndex.get(step.tool) ?? null) : null, from, to };
    from = to;
    return view;
  });
}

/** The context of a trace: its pack, and the numbers by which the page identifies tools and phases. */
interface Surroundings {
  readonly index: number;
  readonly pack: CompiledPack;
  readonly toolIndex: ReadonlyMap<string, number>;
  readonly phaseIndex: ReadonlyMap<string, number>;
}

/** The traces that the page steps through, each with the button that starts it. */
export class TraceBook {
  private readonly views: TraceView[] = [];
  private readonly numbers = new Map<Trace, number>();
  private readonly steps: StepView[] = [];
  private readonly stepNumbers = new Map<string, number>();

  get data(): TraceData {
    return { traces: this.views, steps: this.steps };
  }

  /** Adds a trace, once however often it is shown, and returns its button; null if there is nothing to step through. */
  button(view: Surroundings, trace: Trace | null, title: string): Markup | null {
    if (trace === null || trace.steps.length === 0) return null;
    const number = this.numbers.get(trace) ?? this.enter(trace, title, view);
    const words = `Step through (${counted(trace.steps.length, "step")})`;
    return html`<button type="button" class="show" data-trace="${number}" aria-label="${`${words}: ${shortened(plain(title))}`}">${words}</button>`;
  }

  private enter(trace: Trace, title: string, view: Surroundings): number {
    const steps = stepViews(trace, view).map((step) => this.enterStep(step));
    const number = this.views.push({ pack: view.index, title: plain(title), setting: settingOf(trace), steps }) - 1;
    this.numbers.set(trace, number);
    return number;
  }

  private enterStep(step: StepView): number {
    const content = JSON.stringify(step);
    const number = this.stepNumbers.get(content) ?? this.steps.push(step) - 1;
    this.stepNumbers.set(content, number);
    return number;
  }
}
