/** How a decision about a workflow is made again after conflicts: how often, with which waits, and for how long beside them. */
export interface Persistence {
  readonly mostAttempts: number;
  /** That of one request where it is absent. */
  readonly mostMs?: number;
  readonly between: { readonly firstMs: number; readonly longestMs: number; readonly spread: number };
  /** Whether it comes before the decisions of its process that wait for their turn. */
  readonly isUrgent: boolean;
}

/** Other writers try again too: waits that are entirely random keep them apart. */
const BETWEEN_ATTEMPTS = { firstMs: 1, longestMs: 100, spread: 1 };

/** All sessions of a workflow write to one stream. */
export const USUAL: Persistence = { mostAttempts: 40, between: BETWEEN_ATTEMPTS, isUrgent: false };

/** Sessions that act without a pause must not keep out who ends them. */
export const URGENT: Persistence = {
  mostAttempts: 1000,
  mostMs: 30_000,
  between: { ...BETWEEN_ATTEMPTS, longestMs: 10 },
  isUrgent: true,
};
