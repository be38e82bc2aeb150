/** When everything that is searched happens, and when the replay of a plan begins; a clock that stands still. */
export function startTime(): number {
  return 0;
}
