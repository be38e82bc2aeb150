import type { Tool } from "@modelcontextprotocol/client";
import type { Artifact, CompiledTool } from "../../artifact/compiled.js";
import { type DefinitionPin, fitsPin, pinOf, type StatedDefinition } from "../../artifact/definition-pin.js";
import { REASON_ADVICE } from "../../artifact/reason-advice.js";
import { REASONS } from "../../artifact/reasons.js";
import { cut } from "../../base/wording.js";
import type { BlockVerdict } from "../../guard/public.js";
import type { Upstream } from "./upstream.js";

function statedBy({ description, inputSchema, outputSchema }: Tool): StatedDefinition {
  // What came over the wire is JSON.
  return { description: description ?? null, inputSchema, outputSchema: outputSchema ?? null } as StatedDefinition;
}

/** The tools of a server, and whether each still is what its contract was written for. */
export class Catalog {
  private tools = new Map<string, Tool>();
  private readonly changed = new Set<string>();
  private readonly compiled: ReadonlyMap<string, CompiledTool>;
  /** By the artifact; for tools that it has no definition of, what they said first. */
  private readonly pins = new Map<string, DefinitionPin>();
  private reading: Promise<void> | null = null;
  private mayDiffer = true;

  constructor(
    private readonly upstream: Upstream,
    artifact: Artifact,
  ) {
    this.compiled = new Map((artifact.packs[0]?.tools ?? []).map((tool) => [tool.name, tool]));
    for (const { name, definition } of this.compiled.values()) {
      if (definition !== undefined) this.pins.set(name, definition);
    }
    upstream.onToolsChanged(() => {
      this.mayDiffer = true;
    });
  }

  /** Whether the server said that something changed. */
  get isStale(): boolean {
    return this.mayDiffer;
  }

  /** Asks the server what it offers now. */
  async read(): Promise<void> {
    this.reading ??= this.readOnce().finally(() => {
      this.reading = null;
    });
    await this.reading;
  }

  tool(name: string): Tool | undefined {
    return this.tools.get(name);
  }

  contract(name: string): CompiledTool | undefined {
    return this.compiled.get(name);
  }

  /** The tools that say what their contracts were written for. */
  unchanged(): readonly Tool[] {
    return [...this.tools.values()].filter(({ name }) => !this.changed.has(name));
  }

  /** The refusal of a tool that is no longer what its contract was written for; null if it is. */
  refusal(name: string): BlockVerdict | null {
    // A tool that is called without being offered says nothing that could be compared.
    const isMissing = this.pins.has(name) && !this.tools.has(name);
    if (!this.changed.has(name) && !isMissing) return null;
    return {
      kind: "block",
      reason: "tool_definition_changed",
      message: REASONS.tool_definition_changed,
      required: "the description and the schemas that the contract was compiled with",
      found: isMissing ? `\`${cut(name)}\` is not offered any more` : `another definition of \`${cut(name)}\``,
      hint: REASON_ADVICE.tool_definition_changed.fix,
    };
  }

  private async readOnce(): Promise<void> {
    // Before it is asked: what changes from now on is asked for again.
    this.mayDiffer = false;
    const tools = await this.upstream.tools().catch((cause: unknown) => {
      this.mayDiffer = true;
      throw cause;
    });
    this.tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.changed.clear();
    for (const tool of tools) {
      const stated = statedBy(tool);
      const pin = this.pins.get(tool.name) ?? pinOf(stated);
      this.pins.set(tool.name, pin);
      if (!fitsPin(pin, stated)) this.changed.add(tool.name);
    }
  }
}
