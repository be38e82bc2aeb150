import type { CompiledPack, CompiledTool } from "../../artifact/compiled.js";
import { cleanLine } from "../../base/clean.js";
import type { Json } from "../../base/json.js";
import { quoted } from "../../diagnostics/wording.js";
import type { Observer } from "../../golden/play-case.js";
import type { Guard } from "../../guard/guard-api.js";
import { plainJson } from "../../guard/values/plain-json.js";
import { matchesOf, readValue } from "../../guard/values/read-value.js";
import type { Extra } from "./render-tests.js";

type Bind = CompiledTool["binds"][number];

/** A bind whose path, or key, was in no output that it was given. */
export interface IdleBind {
  readonly tool: string;
  readonly bind: Bind;
  /** How many outputs there were. */
  readonly outputs: number;
}

/** Whether a bind takes anything from an output; a key in the arguments was there when the call was allowed. */
function finds(bind: Bind, output: Json): boolean {
  const { key = [] } = bind;
  const matches = matchesOf(bind, output) ?? [];
  const hasKeys = key.every(
    (part) => "match" in part || part.source !== "output" || readValue(part, output) !== undefined,
  );
  const isKeyed = (match: Json) =>
    key.every((part) => !("match" in part) || readValue({ path: part.match }, match) !== undefined);
  return hasKeys && matches.some(isKeyed);
}

/** One session of a test. */
class Outputs {
  /** The tools of calls by their ids: a settlement has no more. */
  readonly tools = new Map<string, string>();
  readonly taken: { readonly tool: string; readonly output: Json }[] = [];
}

/**
 * Finds binds that took nothing from any output of a test run: a misspelt path would make every rule that reads the slot refuse. Outputs
 * that a rule rejected do not count, because they bind nothing anyway.
 */
export class IdleBinds implements Observer {
  private session = new Outputs();
  private outcome: Parameters<Observer["settling"]>[0] = { kind: "did_not_happen" };
  private readonly counts = new Map<Bind, { readonly outputs: number; readonly found: number }>();

  constructor(private readonly pack: CompiledPack) {}

  began(guard: Guard): void {
    const session = new Outputs();
    this.session = session;
    guard.on("decision", ({ tool, callId }) => {
      if (tool !== null && callId !== undefined) session.tools.set(callId, tool);
    });
    guard.on("settled", ({ callId, accepted, ending }) => {
      const tool = session.tools.get(callId);
      if (!accepted || ending === "violated" || tool === undefined || !("output" in this.outcome)) return;
      const output = plainJson(this.outcome.output);
      if (output.ok) session.taken.push({ tool, output: output.value });
    });
  }

  settling(outcome: Parameters<Observer["settling"]>[0]): void {
    this.outcome = outcome;
  }

  stepRefused(): void {}

  ended(): void {
    for (const { tool, output } of this.session.taken) for (const bind of this.bindsOf(tool)) this.count(bind, output);
    this.session = new Outputs();
  }

  /** Those that were given outputs, and took nothing from any. */
  all(): readonly IdleBind[] {
    return this.pack.tools.flatMap(({ name: tool }) =>
      this.bindsOf(tool).flatMap((bind) => {
        const { outputs, found } = this.counts.get(bind) ?? { outputs: 0, found: 0 };
        return outputs > 0 && found === 0 ? [{ tool, bind, outputs }] : [];
      }),
    );
  }

  private bindsOf(name: string): readonly Bind[] {
    const tool = this.pack.tools.find((each) => each.name === name);
    return (tool?.binds ?? []).filter(({ source }) => source === "output");
  }

  private count(bind: Bind, output: Json): void {
    const { outputs, found } = this.counts.get(bind) ?? { outputs: 0, found: 0 };
    this.counts.set(bind, { outputs: outputs + 1, found: found + (finds(bind, output) ? 1 : 0) });
  }
}

function messageOf({ tool, bind: { path, slot }, outputs }: IdleBind): string {
  const where = outputs === 1 ? "the only output" : `none of ${outputs} outputs`;
  return `${where} of ${quoted(tool)} in the tests has a value for the slot ${quoted(slot)} at ${quoted(path.text)}`;
}

const HELP = "correct the path or the key of the bind, or give the tests outputs as the tool answers";

/** The warnings about such binds; null if there are none. */
export function idleBindsExtra(idle: readonly IdleBind[]): Extra | null {
  if (idle.length === 0) return null;
  const text = idle
    .map(
      (each) => `${cleanLine(`WARNING ${each.bind.at.file}:${each.bind.at.line} ${messageOf(each)}; help: ${HELP}`)}\n`,
    )
    .join("");
  const json = idle.map((each) => ({
    ...{ code: "idle_bind", file: each.bind.at.file, line: each.bind.at.line },
    message: messageOf(each),
  }));
  return { name: "warnings", json, text, isEnough: true };
}
