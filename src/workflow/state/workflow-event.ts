/** What a kill ends: one session, that one and its descendants, or everything. */
export type KillScope = "session" | "subtree" | "workflow";

/** The value that names one resource among those of its alias. */
export type ResourceKey = string | number | boolean;

/** A resource that a call touches. */
export interface Touched {
  readonly alias: string;
  readonly key: ResourceKey;
}

/** A reserved call that touches shared resources. */
export interface TouchingCall {
  readonly callId: string;
  readonly isMutating: boolean;
  readonly resources: readonly Touched[];
}

/** A call that touched shared resources has ended. */
export interface EndedCall {
  readonly callId: string;
  /** It is known that it did not happen. */
  readonly isReleased: boolean;
}

/** Everything that concerns more than one session. Replaying the events of a workflow gives the same state. */
export type WorkflowEvent =
  /** A session began: as a root, or by a handoff of `parent`. */
  | { readonly kind: "started"; readonly session: string; readonly role: string; readonly parent: string | null }
  /** What one append of a session means for the others. Every allowed call and every step is one, even if it touches nothing. */
  | {
      readonly kind: "progressed";
      readonly session: string;
      /** All steps of the session so far. */
      readonly steps: number;
      /** How many records the session has since then. */
      readonly revision?: number;
      /** The costs that were added, in US dollars. */
      readonly costs?: readonly number[];
      readonly reserved?: readonly TouchingCall[];
      readonly ended?: readonly EndedCall[];
      /** Why the session was killed, by its guard, its circuit breaker or an operator of sessions. */
      readonly killed?: string;
    }
  | { readonly kind: "closed"; readonly session: string }
  | {
      readonly kind: "killed";
      readonly scope: KillScope;
      /** Null for the whole workflow. */
      readonly session: string | null;
      readonly why: string;
      /** Who has the authority; null if nobody was named. */
      readonly operator: string | null;
    }
  /** A kill that was not permitted. Changes nothing. */
  | {
      readonly kind: "kill_refused";
      readonly scope: KillScope;
      readonly session: string | null;
      readonly why: string;
      readonly operator: string | null;
    };
