/** When everything that is searched happens, and when the replay of a plan begins. */
export const START_TIME = 0;

/** A clock that stands still there. */
export const startTime = (): number => START_TIME;
