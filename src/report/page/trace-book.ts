import type { Trace } from "../../analysis/trace/trace.js";
import type { WorkflowTrace } from "../../analysis/workflow/workflow-trace.js";
import type { Artifact, CompiledPack } from "../../artifact/compiled.js";
import type { Json } from "../../base/json.js";
import { html, type Markup } from "../markup.js";
import { counted } from "../sentence-words.js";
import { runSteps } from "./run-steps.js";
import { type StepView, titled, written } from "./step-view.js";

/** A session, or a run of a workflow, that can be stepped through. */
export interface TraceView {
  /** Null for a run, which is stepped through over the drawing of the roles. */
  readonly pack: number | null;
  readonly title: string;
  /** The principals and the environment. */
  readonly setting: string;
  /** Indices of all its steps: sessions share steps, because most begin alike. */
  readonly steps: readonly number[];
}

/** Everything the script of the page steps through. */
interface TraceData {
  readonly traces: readonly TraceView[];
  readonly steps: readonly StepView[];
}

/** A sentence without the marks around names and paths. */
function plain(sentence: string): string {
  return sentence.replace(/`|\$\./g, "");
}

/** A short label that distinguishes a button for screen readers. */
function shortened(title: string): string {
  return title.length > 200 ? `${title.slice(0, 200)}…` : title;
}

function callerText(who: string, principal: Json | null): string {
  return principal === null ? "" : `${who}: ${written(principal).replaceAll("\n", ", ")}.`;
}

function settingText(callers: readonly string[], env: Trace["env"]): string {
  const names = Object.entries(env).map(([name, value]) => `${name} is ${JSON.stringify(value)}`);
  const environment = names.length === 0 ? "" : `In the environment ${names.join(", ")}.`;
  return [...callers, environment].filter((text) => text !== "").join(" ");
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

/** What a trace is shown as, before its steps are shared with others. */
interface Made extends Pick<TraceView, "pack" | "setting"> {
  readonly steps: readonly StepView[];
}

/** The traces that the page steps through, each with the button that starts it. */
export class TraceBook {
  private readonly views: TraceView[] = [];
  private readonly numbers = new Map<Trace | WorkflowTrace, number>();
  private readonly steps: StepView[] = [];
  private readonly stepNumbers = new Map<string, number>();

  get data(): TraceData {
    return { traces: this.views, steps: this.steps };
  }

  /** Adds a trace, once however often it is shown, and returns its button; null if there is nothing to step through. */
  button(view: Surroundings, trace: Trace | null, title: string): Markup | null {
    if (trace === null || trace.steps.length === 0) return null;
    const { principal, env } = trace;
    return this.shown(trace, title, () => ({
      pack: view.index,
      setting: settingText([callerText("The caller", principal)], env),
      steps: stepViews(trace, view),
    }));
  }

  /** The same of a run of the artifact's workflow. */
  runButton(artifact: Artifact, trace: WorkflowTrace | null, title: string): Markup | null {
    if (trace === null || trace.steps.length === 0) return null;
    const { sessions, env } = trace;
    const callers = sessions.map(({ session, principal }) => callerText(`The caller of ${session}`, principal));
    return this.shown(trace, title, () => ({
      pack: null,
      setting: settingText(callers, env),
      steps: runSteps(artifact, trace),
    }));
  }

  private shown(trace: Trace | WorkflowTrace, title: string, made: () => Made): Markup {
    const number = this.numbers.get(trace) ?? this.enter(trace, title, made());
    const words = `Step through (${counted(trace.steps.length, "step")})`;
    return html`<button type="button" class="show" data-trace="${number}" aria-label="${`${words}: ${shortened(plain(title))}`}">${words}</button>`;
  }

  private enter(trace: Trace | WorkflowTrace, title: string, { pack, setting, steps }: Made): number {
    const numbers = steps.map((step) => this.enterStep(step));
    const number = this.views.push({ pack, title: plain(title), setting, steps: numbers }) - 1;
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
