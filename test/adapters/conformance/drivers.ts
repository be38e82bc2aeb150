import type { Driver } from "./situations.js";

/** One for each framework, in the order of the table. */
export const DRIVERS: readonly Driver[] = [];
