import type { SearchBounds } from "./search/search.js";

/** How many sessions of a role are explored together by default. */
export const DEFAULT_SESSIONS = { ofRole: 2 } as const;

/** The default bounds of searches; in a file of their own, so that the command line can show them without loading the search. */
export const DEFAULT_BOUNDS: SearchBounds = { depth: 1000, states: 4000 };
