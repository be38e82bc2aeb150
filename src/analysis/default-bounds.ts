import type { SearchBounds } from "./search/search.js";

/** How far to look where nobody says otherwise; apart from the search, so that the command line can show them without it. */
export const DEFAULT_BOUNDS: SearchBounds = { depth: 500, states: 4000 };
