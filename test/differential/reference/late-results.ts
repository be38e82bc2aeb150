import type { Event } from "./history.js";

function indexOf(events: readonly Event[], kind: "late_result" | "acknowledged", callId: string): number {
  return events.findLastIndex((event) => event.kind === kind && event.callId === callId);
}

/** Whether a result of the call came too late and nobody has acknowledged it. */
export function isLate(events: readonly Event[], callId: string): boolean {
  return indexOf(events, "late_result", callId) > indexOf(events, "acknowledged", callId);
}

/** Whether some late result is not acknowledged yet. */
export function hasLateResult(events: readonly Event[]): boolean {
  return events.some((event) => event.kind === "late_result" && isLate(events, event.callId));
}

/** Whether a result of the call would be late: it was settled as `did_not_happen`, and no result has come since. */
export function canBeLate(events: readonly Event[], callId: string): boolean {
  const isUndone = events.some(
    (event) =>
      event.kind === "settled" &&
      event.callId === callId &&
      event.end.kind === "released" &&
      event.end.proof === "word",
  );
  return isUndone && indexOf(events, "late_result", callId) === -1;
}
