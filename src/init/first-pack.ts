import { jsonLine } from "../base/clean.js";
import { guessSideEffect } from "./guess-side-effect.js";
import type { OfferedTool } from "./offered-tools.js";
import type { Link, TraceFacts } from "./trace-facts.js";

/** The files of a pack, by their names. */
export type PackFiles = ReadonlyMap<string, string>;

function schemaLine(kind: "tool" | "session"): string {
  return `# yaml-language-server: $schema=../node_modules/contract-guard/dist/schemas/${kind}.schema.json\n`;
}

/** The name of a slot or a phase, made of some other text. */
function nameOf(text: string): string {
  return text.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
}

/** The slot that keeps what an output held. */
type SlotOf = (link: Link) => string;

/** Slots for what outputs held, no two of which share one: `get` with `$.user.id` is not `get_user` with `$.id`. */
function slotsFor(links: readonly Link[]): SlotOf {
  const byOutput = new Map<string, string>();
  const taken = new Set<string>();
  const idOf = ({ tool, output }: Link) => `${tool} ${output}`;
  for (const link of links) {
    if (byOutput.has(idOf(link))) continue;
    const base = nameOf(idOf(link)) || "value";
    let name = base;
    for (let more = 2; taken.has(name); more++) name = `${base}_${more}`;
    taken.add(name);
    byOutput.set(idOf(link), name);
  }
  return (link) => byOutput.get(idOf(link)) ?? "";
}

/** Names that YAML would not read as texts. */
const NOT_TEXT = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

function nameText(tool: string): string {
  return NOT_TEXT.test(tool) ? JSON.stringify(tool) : tool;
}

/** The tool that comes before the most others, as two phases would have it; null without one. */
function landmarkOf(tools: readonly OfferedTool[], facts: TraceFacts): string | null {
  const counts = new Map<string, number>();
  for (const { name } of tools) {
    for (const prior of facts.priorsOf(name)) if (prior !== name) counts.set(prior, (counts.get(prior) ?? 0) + 1);
  }
  const [first] = [...counts].sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1));
  return first?.[0] ?? null;
}

/** Drafts of rules, each line a comment. */
class Drafts {
  private readonly lines: string[] = [];

  add(...lines: readonly string[]): void {
    this.lines.push(...lines);
  }

  text(sessions: number): string {
    if (this.lines.length === 0) return "";
    const held = `# Held in all ${sessions} recorded sessions. Remove the "# " of what is meant as a rule:`;
    return `${held}\n${this.lines.map((line) => `# ${line}\n`).join("")}`;
  }
}

function phaseNames(landmark: string): { readonly before: string; readonly after: string } {
  return { before: nameOf(`before ${landmark}`), after: nameOf(`after ${landmark}`) };
}

function sessionText(agent: string, facts: TraceFacts | null, landmark: string | null): string {
  const drafts = new Drafts();
  if (landmark !== null) {
    const { before, after } = phaseNames(landmark);
    drafts.add("phases:", `  - { name: ${before}, initial: true }`, `  - { name: ${after}, terminal: true }`);
    drafts.add("transitions:", `  ${before}: [${after}]`);
  }
  return `${schemaLine("session")}schema_version: "1.1"
agent: ${jsonLine(agent)}

# What every tool has unless its own file says otherwise. Review each: they are guesses for a tool that answers over HTTP.
tool_defaults:
  evidence_class: local_transaction
  commit_requirement: acknowledged
  timeouts: { total_ms: 30000 }
  retries: { max_attempts: 2, retry_on: ["429"] }
  rate_limits: { on_429: { respect_retry_after: true, max_sleep_seconds: 10 } }
  assertions: { input_invariants: [], output_invariants: [] }
  golden_cases: []
  allowed_errors: []
${facts === null ? "" : drafts.text(facts.sessions)}`;
}

/** What a tool's outputs are bound for: the arguments of other tools that always equal them. */
function bindsOf(tool: string, links: readonly Link[], slotOf: SlotOf): readonly string[] {
  const slots = new Map<string, string>();
  for (const link of links) if (link.tool === tool) slots.set(slotOf(link), link.output);
  if (slots.size === 0) return [];
  return [
    "binds:",
    ...Array.from(slots, ([slot, path]) => `  - { name: ${slot}, source: output, path: ${jsonLine(path)} }`),
  ];
}

function argumentRules(tool: string, facts: TraceFacts, slotOf: SlotOf): readonly string[] {
  const links = facts.linksOf(tool);
  const rules = [
    ...links.map((link) => `  - { path: ${jsonLine(link.path)}, ref: ${slotOf(link)} }`),
    ...facts
      .boundsOf(tool)
      .filter(({ path }) => !links.some((link) => link.path === path))
      .map(({ path, operators }) => `  - { path: ${jsonLine(path)}, ${operators} }`),
  ];
  return rules.length === 0 ? [] : ["argument_value_invariants:", ...rules];
}

function draftsOf(
  tool: string,
  facts: TraceFacts,
  shared: { readonly links: readonly Link[]; readonly slotOf: SlotOf; readonly landmark: string | null },
) {
  const drafts = new Drafts();
  const { links, slotOf, landmark } = shared;
  const priors = facts.priorsOf(tool).filter((prior) => prior !== tool);
  if (priors.length > 0)
    drafts.add("preconditions:", ...priors.map((prior) => `  - requires_prior_tool: ${nameText(prior)}`));
  if (landmark !== null && (tool === landmark || priors.includes(landmark))) {
    const { before, after } = phaseNames(landmark);
    const isLandmark = tool === landmark;
    drafts.add("transitions:", `  valid_in_phases: [${isLandmark ? `${before}, ${after}` : after}]`);
    if (isLandmark) drafts.add(`  advances_to: ${after}`);
  }
  drafts.add(...argumentRules(tool, facts, slotOf), ...bindsOf(tool, links, slotOf));
  return drafts.text(facts.sessions);
}

/** What the compiler accepts of a definition only where it is left out. */
function excludedLine({ unjudged = [] }: OfferedTool): string {
  if (unjudged.length === 0) return "";
  const paths = unjudged.map((path) => jsonLine(path)).join(", ");
  return `schema_derived_exclude: [${paths}] # review: the pattern there cannot be judged\n`;
}

/** The contracts of a first pack: everything in them is a guess, and marked so. */
export function firstPack(agent: string, tools: readonly OfferedTool[], facts: TraceFacts | null): PackFiles {
  const files = new Map<string, string>();
  const landmark = facts === null ? null : landmarkOf(tools, facts);
  const links = facts === null ? [] : tools.flatMap(({ name }) => facts.linksOf(name));
  const shared = { links, slotOf: slotsFor(links), landmark };
  files.set("session.yaml", sessionText(agent, facts, landmark));
  for (const tool of tools) {
    const { name, annotations } = tool;
    const { sideEffect, from } = guessSideEffect(name, annotations);
    const lines = `tool: ${nameText(name)}\nside_effect: ${sideEffect} # review: guessed from ${from}\n${excludedLine(tool)}`;
    const drafts = facts === null ? "" : draftsOf(name, facts, shared);
    files.set(`${name}.yaml`, `${schemaLine("tool")}${lines}${drafts}`);
  }
  return files;
}
