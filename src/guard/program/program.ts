import type { Artifact, CheckOf, CompiledCheck } from "../../artifact/compiled.js";
import type { Place } from "../../artifact/compiled-value.js";
import type { Json, JsonObject } from "../../base/json.js";
import type { Block } from "../decide/verdict.js";
import type { ProviderRules } from "../model/request.js";
import type { Session } from "../session/session.js";
import type { Environment } from "../values/judge-value.js";
import type { ArgumentFields, FieldValues } from "./argument-fields.js";
import type { FieldTest } from "./field-test.js";
import type { StatefulRules, ToolEffects } from "./tool-effects.js";

/** Judges a call; null passes it on to the next check. */
export type Run = (proposal: Proposal, session: Session, program: Program) => Block | null;

/** A check as the guard runs it. All of them have this one shape, which keeps running them fast. */
export interface Check {
  readonly kind: CompiledCheck["kind"];
  /** Where it was written; null if it combines several rules. */
  readonly at: Place | null;
  /** The words of the policy that it was written for; undefined without any, and where its refusals know more. */
  readonly because: string | undefined;
  readonly run: Run;
  /** Decides most calls quickly. */
  readonly test: FieldTest | null;
  /** Refuses a call that fails the test; the same as `run`, without judging it once more. */
  readonly refuse: Run;
  /** The part that does not read arguments; null if there is none. */
  readonly blind: Run | null;
  /** Refuses if it refuses every call now, whatever the arguments; more than `blind` knows, and never hides a tool. */
  readonly surely: Run | null;
}

/** One tool with everything that a call of it touches. */
export interface Tool extends ToolEffects {
  readonly checks: readonly Check[];
  /** The parts of its checks that do not read arguments: a look at all tools runs nothing else. */
  readonly glances: { readonly blind: readonly Run[]; readonly surely: readonly Run[] };
  readonly checkpoints: readonly CheckOf<"checkpoint">[];
  /** The arguments its checks read by name. */
  readonly fields: ArgumentFields;
  /** Whether a rule on its calls reads the time. */
  readonly readsNow: boolean;
}

/** A call to be judged: its tool, and its arguments as plain JSON. */
export interface Proposal {
  readonly kind: "call";
  readonly tool: Tool;
  readonly args: JsonObject;
  /** The arguments that checks of the tool read by name, at their slots. */
  readonly values: FieldValues;
  /** When it is decided, in milliseconds since 1970; 0 where no rule of the tool reads the time. */
  readonly now: number;
  /** Of the tool and all arguments, where the session is stored; undefined otherwise. */
  readonly digest?: string;
}

/** One pack, ready to judge calls; all sessions under it share it. */
export interface PreparedPack extends StatefulRules {
  readonly tools: ReadonlyMap<string, Tool>;
  /** From each phase, the phases that may follow it. */
  readonly edges: ReadonlyMap<string, ReadonlySet<string>>;
  /** The environment variables that rules of the pack read. */
  readonly variables: readonly string[];
  /** The rules on requests to models, by provider. */
  readonly providers: ReadonlyMap<string, ProviderRules>;
  /** Makes the tool for a name without a contract. */
  unmatched(name: string): Tool;
}

/** A pack for one session: the principal and the environment do not change while it lasts. */
export interface Program extends PreparedPack {
  readonly artifact: Artifact;
  readonly principal: Json | null;
  readonly env: Environment;
  /** Policies judged so far: they depend on nothing that changes. */
  readonly refusals: Map<CheckOf<"policy">, Block | null>;
}
