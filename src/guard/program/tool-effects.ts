import type {
  CompiledAggregate,
  CompiledEnvelope,
  CompiledPack,
  CompiledSlot,
  CompiledTool,
} from "../../artifact/compiled.js";
import type { CompiledInvariant } from "../../artifact/compiled-value.js";
import type { JsonPath } from "../../base/json-path.js";

/** A precondition's prior tool, whose committed calls the session watches. */
export interface Watch {
  readonly index: number;
  readonly tool: string;
  readonly withOutput: readonly CompiledInvariant[];
  readonly resource: JsonPath | null;
}

/** What an envelope remembers: a reference by role, or the last value of a monotonic one. */
export type ReferenceName = "ceiling" | "floor" | "anchor" | "last";

/** A stage of an envelope that a tool takes part in. */
export interface ToolStage {
  readonly envelope: number;
  readonly stage: CompiledEnvelope["stages"][number];
  /** The reference that the stage writes; null for a constrained value that is never compared with. */
  readonly writes: ReferenceName | null;
}

/** A keyed slot or a union; `limit` is how many values it keeps. */
export type Collection = CompiledSlot & { readonly limit: number };

/** What calls of a tool bind and unbind in one keyed slot or union. */
export interface CollectionEffects {
  readonly slot: string;
  readonly unbinds: NonNullable<CompiledTool["unbinds"]>;
  readonly binds: CompiledTool["binds"];
}

/** What a call of one tool reads and changes in a session. */
export interface ToolEffects {
  readonly name: string;
  /** Null for a tool without a contract. */
  readonly compiled: CompiledTool | null;
  readonly aggregates: readonly number[];
  /** Whether some check asks how often it was called. */
  readonly isCounted: boolean;
  /** How many proposals the loop detection compares; null without one. */
  readonly loopWindow: number | null;
  readonly stages: readonly ToolStage[];
  readonly watches: readonly Watch[];
  /** Of plain slots. */
  readonly binds: CompiledTool["binds"];
  /** Plain slots that a call leaves unset; not those that it binds. */
  readonly unbinds: readonly string[];
  /** Plain slots that a call unbinds and then binds: if its output is rejected, they are left unset. */
  readonly rebinds: readonly string[];
  readonly collections: readonly CollectionEffects[];
  readonly advancesTo: string | null;
  readonly commitsAtDispatch: boolean;
  readonly isRead: boolean;
}

/** The parts of a pack that a session keeps state for. */
export interface StatefulRules {
  readonly pack: CompiledPack;
  readonly watches: readonly Watch[];
  readonly aggregates: readonly CompiledAggregate[];
  readonly envelopes: readonly CompiledEnvelope[];
  /** The slots that are not plain. */
  readonly collections: readonly Collection[];
}
