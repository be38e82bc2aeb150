import type { ClientOptions } from "../../../src/adapters/openai/public.js";
import type { Guard } from "../../../src/guard/guard-api.js";
import type { GuardOptions } from "../../../src/guard/public.js";
import type { Received, Turn } from "./wire.js";

/** A call that the application is given. */
export interface Given {
  readonly id: string;
  readonly tool: string;
  readonly args: string;
}

/** What the application gets of a reply. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly Given[];
}

export type Result = { readonly id: string; readonly content: string };

/** A conversation, as an application without a runner keeps it. */
export interface Talk {
  readonly guard: Guard;
  readonly received: readonly Received[];
  /** Sends what is new; results answer the calls of the last reply. */
  say(...results: readonly Result[]): Promise<Reply>;
  /** The results that the model read in the last request, by the id of the call. */
  read(): Readonly<Record<string, string>>;
}

export interface TalkSetting {
  readonly turns: readonly Turn[];
  readonly stream?: boolean;
  readonly options?: ClientOptions;
  readonly guard?: Guard;
  readonly guardOptions?: GuardOptions;
  readonly pieceBytes?: number;
  readonly signal?: AbortSignal;
}
