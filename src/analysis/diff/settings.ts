import type { CompiledPack, CompiledTool, CompiledWorkflow } from "../../artifact/compiled.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { contentOf } from "./rule-content.js";

/** Something that a pack lays down without refusing anything by it. */
export interface Setting {
  readonly name: string;
  readonly tools: readonly string[];
  /** The value in words. */
  readonly text: string;
  /** Whether it says what calls do to a session, so that other tools may be judged otherwise. */
  readonly hasEffect: boolean;
}

/** The setting that holds the checks of tools that no contract covers. */
export const UNMATCHED = "checks of tools without a contract";

const EFFECTS: ReadonlySet<string> = new Set(["commit requirement", "binds", "phase it leads to", "initial phase"]);

function shown(value: unknown): string {
  return typeof value === "string" ? value : canonicalJson(contentOf(value));
}

function bindsText({ binds }: CompiledTool): string {
  const texts = binds.map(({ slot, source, path }) => `${slot} = ${source} ${path.text}`);
  return texts.length === 0 ? "nothing" : texts.sort().join(", ");
}

/** The settings of a tool that have no rule of their own, by name. */
function ofTool(tool: CompiledTool, hasPhaseRule: boolean): Readonly<Record<string, unknown>> {
  return {
    "side effect": tool.side_effect,
    "evidence class": tool.evidence_class,
    "commit requirement": tool.commits === "on_result" ? "acknowledged" : "none",
    binds: bindsText(tool),
    "total time": `${tool.total_ms} ms`,
    retries: `at most ${tool.max_attempts} attempts, again on ${tool.retry_on.join(", ") || "nothing"}`,
    "rate limits": `${tool.respect_retry_after ? "keeps to" : "ignores"} Retry-After, sleeps at most ${tool.max_sleep_seconds} s`,
    "allowed errors": tool.allowed_errors,
    ...(hasPhaseRule ? {} : { "phase it leads to": tool.advances_to ?? "none" }),
  };
}

function ofPack(pack: CompiledPack): Readonly<Record<string, unknown>> {
  return {
    "initial phase": pack.phases?.initial ?? "none",
    "terminal phases": [...(pack.phases?.terminal ?? [])].sort().join(", "),
    "hides tools at the cap": String(pack.narrows_at_cap),
    resources: pack.resources,
    [UNMATCHED]: pack.unmatched_checks,
  };
}

function ofWorkflow({ name: _, at: __, roles, ...rest }: CompiledWorkflow): Readonly<Record<string, unknown>> {
  const named = Object.entries(rest).map(([key, value]) => [`workflow: ${key.replaceAll("_", " ")}`, value]);
  return {
    "workflow: roles": roles
      .map(({ name }) => name)
      .sort()
      .join(", "),
    ...Object.fromEntries(named),
  };
}

function settings(values: Readonly<Record<string, unknown>>, tools: readonly string[]): readonly Setting[] {
  return Object.entries(values).map(([name, value]) => ({
    name,
    tools,
    text: shown(value),
    hasEffect: EFFECTS.has(name),
  }));
}

/** The settings of one tool. */
export function toolSettings(tool: CompiledTool, hasPhaseRule: boolean): readonly Setting[] {
  return settings(ofTool(tool, hasPhaseRule), [tool.name]);
}

/** The settings of a pack as a whole. */
export function packSettings(pack: CompiledPack): readonly Setting[] {
  return settings(
    ofPack(pack),
    pack.tools.map(({ name }) => name),
  );
}

/** The settings of a workflow; none without one. */
export function workflowSettings(workflow: CompiledWorkflow | null): readonly Setting[] {
  return workflow === null ? [] : settings(ofWorkflow(workflow), []);
}
